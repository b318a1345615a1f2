package gotestplugin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"github.com/racepred/racepred/analyzer"
	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/report/format"
	"github.com/racepred/racepred/internal/vet"
)

// vetArgs are what `racepred vet` was called with.
type vetArgs struct {
	report []string
	with   []string
	rest   []string // for go vet
	plain  bool     // go vet's own output is wanted: -json, -fix, -diff, or a flag that prints and ends
	around int      // -c
	dir    string   // -C; "" is where the command runs
}

// parseVet takes racepred's own flags out of the arguments. All others are go vet's, and those of
// the checks.
func parseVet(argv []string) (*vetArgs, error) {
	a := &vetArgs{around: -1}
	for i := 0; i < len(argv); i++ {
		arg := argv[i]
		if !strings.HasPrefix(arg, "-") || arg == "--" {
			a.rest = append(a.rest, argv[i:]...)
			break
		}
		name, value, has := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-"), "=")
		switch name {
		case "h", "help":
			return nil, errHelp
		case "report", "with", "c", "C":
			if !has {
				if i++; i == len(argv) {
					return nil, usagef("flag needs an argument: -%s", name)
				}
				value = argv[i]
			}
			switch name {
			case "report":
				a.report = append(a.report, value)
			case "with":
				a.with = append(a.with, value)
			case "C":
				a.dir = value
			case "c":
				n, err := strconv.Atoi(value)
				if err != nil {
					return nil, usagef("invalid value %q for flag -c: it is a number of lines", value)
				}
				a.around = n
			}
			continue
		case "vettool":
			return nil, usagef("-vettool is racepred itself")
		case "json", "fix", "diff", "n", "V", "flags":
			a.plain = a.plain || value != "false"
			if name == "diff" && value != "false" { // go vet wants both
				a.rest = append(a.rest, "-fix")
			}
		}
		a.rest = append(a.rest, arg)
		if !has && vetValue[name] && i+1 < len(argv) {
			i++
			a.rest = append(a.rest, argv[i])
		}
	}
	if a.plain && (a.report != nil || a.with != nil) {
		return nil, usagef("-report and -with go with none of -json, -fix, -diff, -n")
	}
	return a, nil
}

// vetValue are the build flags of go vet that take their value from the next argument.
var vetValue = map[string]bool{
	"p": true, "asmflags": true, "buildmode": true, "compiler": true, "covermode": true, "coverpkg": true, "gccgoflags": true, "gcflags": true,
	"installsuffix": true, "ldflags": true, "mod": true, "modfile": true, "overlay": true, "pgo": true, "pkgdir": true, "tags": true, "toolexec": true,
}

func vetHelp() string {
	var b strings.Builder
	b.WriteString(`usage: racepred vet [flags] [packages]

Vet looks for data races, deadlocks and wrong uses of synchronization in the
source of packages, without a run. It is 'go vet -vettool=racepred', and
accepts the flags of 'go vet' (see 'go help vet'), -json, -fix, -diff and -c
among them.

Flags of racepred:

  -report file
`)
	for _, line := range wrap("Also write what was found to a file. The format follows from its suffix: "+format.Suffixes()+". May be repeated.", 72) {
		fmt.Fprintf(&b, "      %s\n", line)
	}
	b.WriteString("  -with report.json\n")
	for _, line := range wrap("A report of 'racepred test' or 'racepred analyze'. What a run has shown, too, comes first, and says so. May be repeated.", 72) {
		fmt.Fprintf(&b, "      %s\n", line)
	}
	b.WriteString("\nChecks, each with a flag of its name: -NAME runs only those that are named,\n-NAME=false all but those.\n\n")
	for _, r := range analyzer.Table {
		short, _, _ := strings.Cut(r.Analyzer.Doc, "\n")
		if r.OptIn {
			short += " (only when it is named)"
		}
		fmt.Fprintf(&b, "  -%s\n", r.Analyzer.Name)
		for _, line := range wrap(short, 72) {
			fmt.Fprintf(&b, "      %s\n", line)
		}
	}
	fmt.Fprintf(&b, `
A comment //racepred:ignore REASON keeps a line, the next line or a function
from being reported, as in 'racepred test'.

Exit codes:

  %-3d nothing was found; with -json always
  %-3d something was found, or a package could not be looked at
  %-3d wrong usage
`, exitClean, exitFailed, exitUsage)
	return b.String()
}

// vet runs go vet with this program as its tool.
func (c *call) vet(ctx context.Context, argv []string) error {
	a, err := parseVet(argv)
	if err != nil {
		return err
	}
	if c.self == "" {
		return errors.New("vet: this program is not the racepred command, which go vet runs")
	}
	if a.dir != "" { // go vet wants it before -vettool
		there := *c
		there.dir = inDir(c.dir, a.dir)
		if _, err := os.ReadDir(there.dir); err != nil {
			return inputf("-C: %w", err)
		}
		c = &there
	}
	path, err := findGo(c.env, c.dir)
	if err != nil {
		return err
	}
	g := goCommand{path: path, dir: c.dir, env: c.env}
	cmd := append([]string{"vet", "-vettool=" + c.self}, a.rest...)
	if a.plain {
		ran, err := g.stream(ctx, c.streams, cmd...)
		if err == nil && ran.exit != 0 {
			err = exitError(ran.exit)
		}
		return err
	}
	files, err := newReportFiles(c.dir, a.report)
	if err != nil {
		return err
	}
	runs, err := c.readRuns(a.with)
	if err != nil {
		return err
	}
	stdout, stderr, err := g.output(ctx, slices.Insert(cmd, 2, "-json")...)
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return cancelled(ctx, ctx.Err())
	case errors.As(err, &exit) && exit.ExitCode() == exitUsage:
		return goFailed{stderr, usageError{"vet"}}
	case err != nil && exit == nil:
		return err
	}
	found, other, failed := vet.Parse(slices.Concat(stdout, stderr)) // up to Go 1.25 it is all in stderr
	for i, run := range runs {
		vet.Confirm(found, run, a.with[i])
	}
	_, _ = c.err.Write(other)
	for _, f := range failed {
		fmt.Fprintf(c.err, "racepred: vet: %s\n", f)
	}
	text := vet.AppendText(nil, found, func(file string) string { return report.Rel(c.dir, file) }, a.around)
	if _, err := c.err.Write(text); err != nil {
		return err
	}
	if len(files) > 0 {
		env, err := g.readGoEnv(ctx)
		if err != nil {
			return err
		}
		root := env.root(c.dir)
		rep := vet.Report(found, root, report.Tool{Name: "racepred", Version: version(), Go: env.GOVERSION})
		rep.Dir = inRepository(root)
		if err := files.write(rep); err != nil {
			return err
		}
	}
	if exit != nil || len(failed) > 0 || len(found) > 0 {
		return exitError(exitFailed)
	}
	return nil
}

// readRuns reads the reports of -with.
func (c *call) readRuns(names []string) (runs []*report.Report, err error) {
	for _, name := range names {
		r, err := c.readReport(name)
		if err != nil {
			return nil, fmt.Errorf("-with: %w", err)
		}
		runs = append(runs, r)
	}
	return runs, nil
}
