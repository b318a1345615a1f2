package gotestplugin

import (
	"bytes"
	"context"
	"flag"
	"fmt"

	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/report/collect"
	"github.com/racepred/racepred/internal/report/format"
)

func diffFlags(asJSON *bool) *flag.FlagSet {
	f := newFlags("diff")
	f.BoolVar(asJSON, "json", false, "Print one JSON object with the findings in lists: new, changed (old and new), gone, unseen.")
	return f
}

func diffHelp() string {
	return `usage: racepred diff [-json] old.json new.json

Diff says how two reports in JSON differ: which findings are new, which have
another verdict or are waived now, or not any more, and which are gone. Findings
are told apart by their fingerprints, so code may have moved in between. A
finding that is gone from a report that is not about its package is unseen.

The exit code is that of a gate, and not that of diff: what is gone or surer, but
failed before, fails nothing.

Flags:

` + flagHelp(diffFlags(new(bool))) + fmt.Sprintf(`
Exit codes:

  %-3d nothing fails in the new report that did not in the old one
  %-3d wrong usage, or a file is no report
  %-3d something does
`, exitClean, exitUsage, exitRaces)
}

func (c *call) diff(_ context.Context, argv []string) error {
	asJSON := false
	names, err := parseMixed(diffFlags(&asJSON), argv)
	if err != nil {
		return err
	}
	if len(names) != 2 {
		return usagef("diff needs two reports, the old one and the new one")
	}
	reports, err := c.readReports(names)
	if err != nil {
		return err
	}
	d := collect.Compare(reports[0], reports[1])
	out := diffText(d)
	if asJSON {
		if out, err = diffJSON(d); err != nil {
			return err
		}
	}
	if _, err := c.out.Write(out); err != nil {
		return err
	}
	if !asJSON {
		fmt.Fprintf(c.err, "racepred: %d new, %d changed, %d gone, %d unseen, %d the same\n", len(d.New), len(d.Changed), len(d.Gone), len(d.Unseen), d.Same)
	}
	if d.Fails {
		return exitError(exitRaces)
	}
	return nil
}

// diffText has a line for each difference, and a second one for a change, which says what it was
// before.
func diffText(d *collect.Diff) []byte {
	var b bytes.Buffer
	for i := range d.New {
		fmt.Fprintf(&b, "new      %s%s\n", format.Line(&d.New[i]), waivedFor(&d.New[i]))
	}
	for i := range d.Changed {
		c := &d.Changed[i]
		fmt.Fprintf(&b, "changed  %s%s\n         it was %s%s\n", format.Line(&c.New), waivedFor(&c.New), c.Old.Verdict, waivedFor(&c.Old))
	}
	for i := range d.Gone {
		fmt.Fprintf(&b, "gone     %s\n", format.Line(&d.Gone[i]))
	}
	for i := range d.Unseen {
		fmt.Fprintf(&b, "unseen   %s\n", format.Line(&d.Unseen[i]))
	}
	return b.Bytes()
}

func waivedFor(f *report.Finding) string {
	if f.Waived == "" {
		return ""
	}
	return ", waived: " + f.Waived
}

func diffJSON(d *collect.Diff) ([]byte, error) {
	out := *d
	for _, list := range []*[]report.Finding{&out.New, &out.Gone, &out.Unseen} {
		if *list == nil {
			*list = []report.Finding{}
		}
	}
	if out.Changed == nil {
		out.Changed = []collect.Change{}
	}
	return format.Indented(&out)
}
