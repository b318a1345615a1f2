package gotestplugin

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"

	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/waive"
)

func baselineFlags(out *string) *flag.FlagSet {
	f := newFlags("baseline write")
	f.StringVar(out, "o", "", "Write the baseline to this `file` instead of standard output. What is new in it, and what is gone from it, is said.")
	return f
}

func baselineHelp() string {
	return `usage: racepred baseline write [-o file] report.json...

Write writes a baseline for 'racepred test -baseline': the findings of these
reports that fail, and those that a baseline knew when the reports were
written. Findings that turned up in none of the reports are not in it any more,
so the reports should be of all packages. What a comment in the source or a
suppression waives stays out, and so does what 'racepred vet' finds. Reports in JSON are what
'racepred test -report file.json' writes.

Flags:

` + flagHelp(baselineFlags(new(string))) + fmt.Sprintf(`
Exit codes:

  %-3d the baseline was written
  %-3d wrong usage, or a file is no report, or that of -o is no baseline, or
      could not be written
`, exitClean, exitUsage)
}

func (c *call) baseline(_ context.Context, argv []string) error {
	if len(argv) == 0 {
		return usagef("baseline needs a subcommand, which is write")
	}
	switch argv[0] {
	case "-h", "-help", "--help":
		return errHelp
	case "write":
		return c.baselineWrite(argv[1:])
	}
	return usagef("unknown subcommand %q of baseline", argv[0])
}

func (c *call) baselineWrite(argv []string) error {
	var out string
	names, err := parseMixed(baselineFlags(&out), argv)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return usagef("baseline write needs a report")
	}
	reports, err := c.readReports(names)
	if err != nil {
		return err
	}
	for i, r := range reports {
		if r.Fingerprints != report.FingerprintVersion && len(r.Findings) > 0 {
			return inputf("%s has fingerprints of version %d, and this racepred compares those of version %d: it is of another version of racepred", names[i], r.Fingerprints, report.FingerprintVersion)
		}
	}
	var old *baseline
	if out != "" {
		out = inDir(c.dir, out)
		if old, err = readOldBaseline(out); err != nil {
			return err
		}
	}
	b := &baseline{Version: baselineVersion, name: out}
	for _, r := range reports {
		b.add(r.Findings, func(f *report.Finding) bool {
			return r.Fails(f) && f.Verdict != report.Static || f.Waived == waive.ByBaseline || f.Waived == waive.ByNewBaseline
		})
	}
	if out == "" {
		data, err := b.encode()
		if err == nil {
			_, err = c.out.Write(data)
		}
		return err
	}
	if err := b.write(); err != nil {
		return err
	}
	gone, now, before := []knownFindings{}, b.fingerprints(), old.fingerprints()
	for _, k := range old.Findings {
		if !now[k.Fingerprint] {
			gone = append(gone, k)
		}
	}
	added := 0
	for f := range now {
		if !before[f] {
			added++
		}
	}
	fmt.Fprintf(c.err, "racepred: baseline: %d added, %d gone, %d in all\n", added, len(gone), len(b.Findings))
	c.listKnown("gone", gone)
	return nil
}

// readOldBaseline reads what is about to be written over. It must be a baseline, so that a mistyped
// name costs nothing.
func readOldBaseline(name string) (*baseline, error) {
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		return &baseline{}, nil
	}
	return readBaseline(name, false)
}
