package gotestplugin

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/racepred/racepred/internal/offline"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/trace/validate"
)

// traceCommand is one word after "racepred trace".
type traceCommand struct {
	name, args, help string
	flags            func(*traceCall) *flag.FlagSet
	run              func(*traceCall, []string) error
}

// traceCall is one `racepred trace`.
type traceCall struct {
	*call
	events string // -events of dump
	to     string // -to of convert
}

// traceCommands in the order help lists them.
func traceCommands() []traceCommand {
	return []traceCommand{
		{"dump", "[-events first:last] file...", "Print events in the text form, with positions and call stacks as comments.",
			(*traceCall).dumpFlags, (*traceCall).dump},
		{"stat", "file...", "Print what a trace consists of.", nil, (*traceCall).stat},
		{"convert", "[-to format] from to", "Write a trace in another format. A file that is complete stays complete; one that breaks off becomes a complete trace of what there is of it. Names of stacks, sites and tests are in binary traces only.",
			(*traceCall).convertFlags, (*traceCall).convert},
		{"validate", "file...", "Say what no run could have done: a lock released that nobody holds, events of a goroutine before it was forked. Remarks are about what is allowed, but rare.",
			nil, (*traceCall).validate},
	}
}

func (t *traceCall) dumpFlags() *flag.FlagSet {
	f := newFlags("dump")
	f.StringVar(&t.events, "events", "", "Print only the events with these numbers, `first:last`, from 0; either may be left out.")
	return f
}

func (t *traceCall) convertFlags() *flag.FlagSet {
	f := newFlags("convert")
	f.StringVar(&t.to, "to", "", "The `format` to write: "+formats()+" (default: by the suffix, .rptrace, .std, or text for any other).")
	return f
}

func formats() string {
	var names []string
	for _, f := range offline.Formats {
		names = append(names, string(f))
	}
	return strings.Join(names, ", ")
}

func traceHelp() string {
	var b strings.Builder
	b.WriteString(`usage: racepred trace subcommand [flags] file...

Trace looks into traces that 'racepred test -trace' wrote, or that other tools
wrote in the STD format of RAPID (file.std). Any other file is taken for the
text form.

Subcommands:

`)
	for _, s := range traceCommands() {
		fmt.Fprintf(&b, "  %s %s\n", s.name, s.args)
		for _, line := range wrap(s.help, 72) {
			fmt.Fprintf(&b, "      %s\n", line)
		}
		if s.flags != nil {
			for line := range strings.Lines(flagHelp(s.flags(&traceCall{}))) {
				b.WriteString("    " + line)
			}
		}
	}
	fmt.Fprintf(&b, `
Exit codes:

  %-3d everything was read, and is what it should be
  %-3d a file could not be read or written, or is not what it should be
  %-3d wrong usage
`, exitClean, exitFailed, exitUsage)
	return b.String()
}

func (c *call) trace(_ context.Context, argv []string) error {
	if len(argv) == 0 {
		return usagef("trace needs a subcommand")
	}
	if name := argv[0]; name == "-h" || name == "-help" || name == "--help" {
		return errHelp
	}
	for _, s := range traceCommands() {
		if s.name != argv[0] {
			continue
		}
		t := &traceCall{call: c}
		f := newFlags(s.name)
		if s.flags != nil {
			f = s.flags(t)
		}
		files, err := parseMixed(f, argv[1:])
		if err != nil {
			return err
		}
		if len(files) == 0 {
			return usagef("trace %s needs a file", s.name)
		}
		return s.run(t, files)
	}
	return usagef("unknown subcommand %q of trace", argv[0])
}

// each opens the files one after the other, and goes on after a file with an error.
func (t *traceCall) each(files []string, do func(*offline.File) error) error {
	bad := false
	for _, name := range files {
		f, err := offline.Open(inDir(t.dir, name), name)
		if err == nil {
			err = do(f)
			f.Close()
		}
		if err != nil {
			bad = true
			fmt.Fprintf(t.err, "racepred: %v\n", err)
		}
	}
	if bad {
		return exitError(exitFailed)
	}
	return nil
}

func (t *traceCall) dump(files []string) error {
	first, last, ranged := strings.Cut(t.events, ":")
	from, err1 := numberOrZero(first)
	to, err2 := numberOrZero(last)
	if t.events != "" && (!ranged || err1 != nil || err2 != nil) {
		return usagef("invalid value %q for flag -events: it is first:last", t.events)
	}
	if last != "" {
		to++
	}
	return t.each(files, func(f *offline.File) error { return offline.Dump(t.out, f, from, to) })
}

func numberOrZero(s string) (uint64, error) {
	if s == "" {
		return 0, nil
	}
	return strconv.ParseUint(s, 10, 63)
}

func (t *traceCall) stat(files []string) error {
	return t.each(files, func(f *offline.File) error {
		s, err := offline.Count(f)
		if err != nil {
			return err
		}
		return s.Print(t.out, f)
	})
}

// convert writes a trace in another form.
func (t *traceCall) convert(files []string) error {
	if len(files) != 2 {
		return usagef("trace convert needs two files: from and to")
	}
	to := offline.FormatOf(files[1])
	if t.to != "" {
		to = offline.Format(t.to)
	}
	known := false
	for _, f := range offline.Formats {
		known = known || f == to
	}
	if !known {
		return usagef("invalid value %q for flag -to: it is one of %s", t.to, formats())
	}
	return t.each(files[:1], func(f *offline.File) error {
		truncated := false
		err := createAtomically(inDir(t.dir, files[1]), func(w io.Writer) (err error) {
			truncated, err = offline.Convert(w, f, to)
			return err
		})
		if err == nil && truncated {
			fmt.Fprintf(t.err, "racepred: %s breaks off; %s has what there is of it\n", files[0], files[1])
		}
		return err
	})
}

// maxProblems is how many problems of one file are printed.
const maxProblems = 100

func (t *traceCall) validate(files []string) error {
	return t.each(files, func(f *offline.File) error {
		problems, remarks := 0, 0
		events, last, err := offline.Validate(f, func(place string, p validate.Problem) {
			kind := ""
			if p.Remark {
				kind = "remark: "
				remarks++
			} else {
				problems++
			}
			if problems+remarks <= maxProblems {
				fmt.Fprintf(t.out, "%s: %s%s\n", place, kind, p.Text)
			}
		})
		if n := problems + remarks - maxProblems; n > 0 {
			fmt.Fprintf(t.out, "trace: %s: and %d more\n", f.Name, n)
		}
		if err != nil {
			return err
		}
		return t.verdict(f.Name, events, problems, last, t.out)
	})
}

func (t *traceCall) verdict(name string, events uint64, problems int, last trace.Answer, w io.Writer) error {
	if problems > 0 {
		return fmt.Errorf("%s: %d problems in %d events", name, problems, events)
	}
	end := ""
	if last == trace.Truncated {
		end = "; it breaks off there: the process was killed, or crashed"
	}
	fmt.Fprintf(w, "%s: ok, %d events%s\n", name, events, end)
	return nil
}
