package gotestplugin

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/racepred/racepred/internal/engine"
	"github.com/racepred/racepred/internal/offline"
	"github.com/racepred/racepred/internal/predictors"
	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/report/collect"
	"github.com/racepred/racepred/internal/report/format"
	"github.com/racepred/racepred/internal/trace/tracefile"
)

// analysis is one `racepred analyze`.
type analysis struct {
	*call
	engines        engines
	report         []string
	reportFiles    reportFiles
	json, possible bool
	racy           bool
	complete       *bool
	rules          bool
	window         int
	memory         byteCount
	searchTime     time.Duration
	files          []string
	format         offline.Format
}

func (a *analysis) flags() *flag.FlagSet {
	f := newFlags("analyze")
	f.Var(&a.engines, "engines", enginesHelp()+" (default: what the recording process ran, "+strings.Join(predictors.Default(), ",")+" unless its -engines said otherwise)")
	f.BoolFunc("complete", "Take it that the traces have every access, as those of other tools do (default: in STD format they have; -complete=false for those "+
		"that were converted from recordings). Recordings leave out accesses that repeat one of their span, and what is not known of them makes for fewer schedules.",
		func(s string) error {
			on, err := strconv.ParseBool(s)
			a.complete = &on
			return err
		})
	f.BoolVar(&a.rules, "v", false, "Also say what each predictor found, and how often its rules ordered what nothing had ordered before. -json always has that.")
	f.BoolVar(&a.json, "json", false, "Print the report as JSON instead of text.")
	f.BoolVar(&a.possible, "possible", false, "Also report findings for which no schedule was found. They do not count for the exit code.")
	f.BoolVar(&a.racy, "racy", false, "Print, instead of findings, how many accesses race with an earlier one by each of the -engines, at how many locations, and how long that took, as RAPID counts them. "+
		"Each runs by itself, without a bound unless there is -memory, and no schedules are searched, so candidates of ipa, lockset and syncrev count without a proof.")
	f.Func("report", "Also write all findings to a `file`. The format follows from its suffix: "+format.Suffixes()+". May be repeated.", func(name string) error {
		a.report = append(a.report, name)
		return nil
	})
	f.Func("format", "Take the files for traces of this `format`: std, text or rptrace (default: what their names say). Binary traces, rptrace, are known by their beginning.", func(s string) error {
		a.format = offline.Format(s)
		if !slices.Contains(offline.Formats, a.format) {
			return fmt.Errorf("it is std, text or rptrace")
		}
		return nil
	})
	f.IntVar(&a.window, "window", 0, fmt.Sprintf("Keep the last `n` events for schedules (default: what the recording process kept, %d unless -memory says otherwise).", engine.DefaultWindow))
	f.DurationVar(&a.searchTime, "search-time", defaultSearchTime, "How long to look, in all, for schedules that the first search for each gave up on; 0: not at all. The default is "+defaultSearchTime.String()+".")
	f.Var(&a.memory, "memory", memoryHelp+" (default: what the recording process had, 1GiB)")
	return f
}

func analyzeHelp() string {
	return `usage: racepred analyze [flags] file...

Analyze reads traces and reports the data races, deadlocks and atomicity
violations in them: those the run itself showed and those that another schedule
of the same run would have had. In a trace that 'racepred test -trace' wrote, it
finds what the test process found itself, and what was found after the tests. A
file that ends in .std is in the STD format of RAPID; other files that are not
binary traces are in the text form, which 'racepred trace dump' writes. Files
may be compressed with gzip; - is standard input, in STD unless -format says
otherwise. Several files make one report.

Flags:

` + flagHelp(new(analysis).flags()) + fmt.Sprintf(`
Exit codes:

  %-3d no finding fails
  %-3d a file could not be read, or is not what it should be
  %-3d wrong usage
  %-3d there are findings that fail
`, exitClean, exitFailed, exitUsage, exitRaces)
}

func (c *call) analyze(ctx context.Context, argv []string) error {
	a := &analysis{call: c}
	var err error
	if a.files, err = parseMixed(a.flags(), argv); err != nil {
		return err
	}
	if len(a.files) == 0 {
		return usagef("no file to analyze")
	}
	if err := a.check(); err != nil {
		return err
	}
	if a.racy {
		return a.count(ctx)
	}
	run := &collect.Run{}
	root, goVersion, bad := "", "", 0
	for _, name := range a.files {
		t, err := a.file(ctx, name, run)
		if ctx.Err() != nil {
			return cancelled(ctx, ctx.Err())
		}
		if err != nil {
			fmt.Fprintf(c.err, "racepred: %v\n", err)
			bad++
			continue
		}
		if root == "" {
			root, goVersion = t.Value(tracefile.KeyRoot), t.Value(tracefile.KeyGo)
		}
	}
	rep := collect.Merge(run, nil, collect.Options{
		Tool:     report.Tool{Name: "racepred", Version: version(), Go: withoutExperiments(goVersion)},
		Root:     root,
		Possible: a.possible,
	})
	rep.Dir = inRepository(root)
	if bad == len(a.files) {
		return exitError(exitFailed)
	}
	if err := a.print(rep, bad); err != nil {
		return err
	}
	a.gitHub(rep, a.json)
	switch {
	case bad > 0:
		return exitError(exitFailed)
	case slices.ContainsFunc(rep.Findings, func(f report.Finding) bool { return f.Fails() }):
		return exitError(exitRaces)
	}
	return nil
}

// check reports wrong flags, before anything is read.
func (a *analysis) check() error {
	if a.searchTime < 0 {
		return usagef("invalid value %v for flag -search-time: it is a duration, as in 1m30s", a.searchTime)
	}
	if a.window < 0 {
		return usagef("invalid value %d for flag -window: it is a number of events", a.window)
	}
	if a.racy && (len(a.report) > 0 || a.possible || a.window > 0) {
		return usagef("-racy counts events, and makes no findings for -report, -possible or -window")
	}
	var err error
	a.reportFiles, err = newReportFiles(a.dir, a.report)
	return err
}

// file analyses one file.
func (a *analysis) file(ctx context.Context, name string, run *collect.Run) (*tracefile.Tables, error) {
	f, err := a.open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	line := statusLine{call: a.call}
	defer line.clear()
	cfg := offline.Config{Predictors: a.engines, Window: a.window, Memory: int(a.memory), Complete: a.complete, SearchTime: a.searchTime, Progress: line.progress, Stop: ctx.Err}
	return f.Tables(), cfg.Analyze(f, run)
}

// open opens a file; - is standard input.
func (a *analysis) open(name string) (*offline.File, error) {
	if name != "-" {
		return offline.OpenAs(inDir(a.dir, name), name, a.format)
	}
	how := a.format
	if how == "" {
		how = offline.STD
	}
	return offline.OpenStdin(a.in, how)
}

// print writes the report. Nothing else goes to stdout.
func (a *analysis) print(rep *report.Report, bad int) error {
	var err error
	if a.json {
		var data []byte
		if data, err = format.JSON.Encode(rep); err == nil {
			_, err = a.out.Write(data)
		}
	} else {
		var p report.Printer
		for i := range rep.Findings {
			if _, err = a.out.Write(p.Append(nil, &rep.Findings[i])); err != nil {
				break
			}
		}
		for _, u := range rep.Uncovered {
			fmt.Fprintf(a.err, "racepred: not covered: %s\n", u)
		}
		if a.rules {
			for _, r := range rep.Stats.Rules {
				fmt.Fprintf(a.err, "racepred: %s: %s: %d\n", r.Predictor, r.Rule, r.Fired)
			}
			for _, line := range perPredictor(rep.Findings) {
				fmt.Fprintf(a.err, "racepred: %s\n", line)
			}
			if list := format.Directed(rep); list != "" {
				fmt.Fprintf(a.err, "racepred: %s", list)
			}
		}
		unread := ""
		if bad > 0 {
			unread = fmt.Sprintf("; files that could not be read: %d of %d", bad, len(a.files))
		}
		fmt.Fprintf(a.err, "racepred: %d events, %s%s%s\n", rep.Stats.Events, format.Summary(rep.Findings), candidates(&rep.Stats), unread)
	}
	if err != nil {
		return err
	}
	return a.reportFiles.write(rep)
}

// perPredictor has a line for each predictor: how many findings it proposed, and how many places
// they have.
func perPredictor(findings []report.Finding) (lines []string) {
	count, places := map[string]int{}, map[string]map[string]bool{}
	for i := range findings {
		f := &findings[i]
		for _, by := range f.By {
			if count[by]++; places[by] == nil {
				places[by] = map[string]bool{}
			}
			for j := range f.Accesses {
				a := &f.Accesses[j]
				at := a.Func
				if a.Thread == "" { // the location is its position
					at = a.Position(f.Kind)
				}
				places[by][at] = true
			}
		}
	}
	for _, by := range slices.Sorted(maps.Keys(count)) {
		lines = append(lines, fmt.Sprintf("%s: findings: %d, at locations: %d", by, count[by], len(places[by])))
	}
	return lines
}

// progress shows how far a file is.
func (l *statusLine) progress(f *offline.File, events uint64) {
	if !l.due() {
		return
	}
	percent := int64(0)
	if f.Size > 0 {
		percent = 100 * f.Done() / f.Size
	}
	l.show("%s: %d %%, %.1f million events", filepath.Base(f.Name), percent, float64(events)/1e6)
}
