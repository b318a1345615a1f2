package gotestplugin

import (
	"context"
	"flag"
	"fmt"
	"slices"

	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/report/collect"
	"github.com/racepred/racepred/internal/report/format"
	"github.com/racepred/racepred/internal/waive"
)

func mergeFlags(files *[]string) *flag.FlagSet {
	f := newFlags("merge")
	f.Func("report", "Write the merged report to a `file` instead of printing its findings. The format follows from its suffix: "+format.Suffixes()+". May be repeated.", func(name string) error {
		*files = append(*files, name)
		return nil
	})
	return f
}

func mergeHelp() string {
	return `usage: racepred merge [-report file]... report.json...

Merge makes one report of several in JSON: of the shards of a run, of runs of
different modules of a repository, or of the same tests run several times. It
is the report that one run of all of them would have made. What was waived when
they were written stays waived. A shard whose report is missing is not covered.
JUnit's XML of it has the findings only, since JSON does not list the tests.

Flags:

` + flagHelp(mergeFlags(new([]string))) + fmt.Sprintf(`
Exit codes:

  %-3d no finding fails
  %-3d the report of a shard is missing
  %-3d wrong usage, or a file is no report, or the shards are not of one run,
      or a report could not be written
  %-3d there are findings that fail
`, exitClean, exitFailed, exitUsage, exitRaces)
}

func (c *call) merge(_ context.Context, argv []string) error {
	var out []string
	names, err := parseMixed(mergeFlags(&out), argv)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return usagef("merge needs a report")
	}
	files, err := newReportFiles(c.dir, out)
	if err != nil {
		return err
	}
	reports, err := c.readReports(names)
	if err != nil {
		return err
	}
	rep, complete, err := collect.Combine(reports)
	if err != nil {
		return inputError{err}
	}
	rep.Root = inSameRepository(c.dir, rep.Dir)
	if len(files) == 0 {
		var p report.Printer
		for i := range rep.Findings {
			f := &rep.Findings[i]
			if waive.Silent(f.Waived) {
				continue
			}
			if _, err := c.out.Write(p.Append(nil, f)); err != nil {
				return err
			}
		}
	}
	for _, u := range rep.Uncovered {
		fmt.Fprintf(c.err, "racepred: not covered: %s\n", u)
	}
	fmt.Fprintf(c.err, "racepred: %s\n", format.Summary(rep.Findings))
	c.gitHub(rep, true) // the runs have shown the findings beside their lines
	if err := files.write(rep); err != nil {
		return err
	}
	switch {
	case !complete:
		return exitError(exitFailed)
	case slices.ContainsFunc(rep.Findings, func(f report.Finding) bool { return rep.Fails(&f) }):
		return exitError(exitRaces)
	}
	return nil
}
