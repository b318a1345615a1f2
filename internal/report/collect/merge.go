package collect

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/racepred/racepred/internal/report"
)

// Options are options of Merge.
type Options struct {
	Tool     report.Tool
	Root     string // module root: files beneath it become relative
	Possible bool   // keep possible findings
}

// Merge makes one report of a run and of what the build already knew to be
// uncovered:
//
// (M1) findings of one kind between the same source positions are one finding,
// whichever processes, tests or goroutines it was seen in, and whether x++ was
// caught reading or writing;
// (M7) so are those of one variable between the same functions, as their fingerprints, functions
// and files say (report.Places): the fingerprints alone take all literals of a function for one.
// Waived ones stay apart from others, and so do those of accesses without a name;
// (M2) one of them stays: one that fails a run before others, then the surest, then the one with
// the most writes, then the first by package, test and position. It gets the predictors of all;
// (M3) findings are sorted by position and numbered R1, R2, ... in that order;
// (M4) possible findings are left out unless Options.Possible is set;
// (M6) pairs that are worth a directed run are listed once for their positions, the most promising
// first, unless there is a finding about them;
// (M5) totals are sums over the processes.
func Merge(run *Run, uncovered []report.Uncovered, o Options) *report.Report {
	r := &report.Report{Version: report.Version, Fingerprints: report.FingerprintVersion, Tool: o.Tool, Root: o.Root}
	var all []report.Finding
	for _, f := range run.Findings {
		if f.Verdict == report.Possible && !o.Possible { // (M4)
			continue
		}
		f = relative(f, o.Root)
		if f.Fingerprint == "" {
			f.Fingerprint = report.Fingerprint(&f)
		}
		all = append(all, f)
	}
	has := map[string]bool{}
	for _, f := range all {
		for _, place := range append(placesAlso(&f), positions(&f)) {
			has[place] = true
		}
	}
	r.Findings = grouped(all)
	slices.SortFunc(r.Findings, func(f, g report.Finding) int {
		return cmp.Or(compare(&f, &g), boolean(before(&g, &f))-boolean(before(&f, &g)))
	})
	for i := range r.Findings { // (M3)
		r.Findings[i].ID = fmt.Sprintf("R%d", i+1)
	}
	r.Directed = directed(run.Directed, has, o.Root) // (M6)
	r.Uncovered = mergeUncovered(uncovered, run)
	for _, p := range run.Processes { // (M5)
		addStats(&r.Stats, &p.Stats)
		r.Packages = addPackage(r.Packages, p.Package, &p.Stats)
	}
	return r
}

// directed is (M6); has are the positions of findings.
func directed(all []report.Finding, has map[string]bool, root string) (list []report.Finding) {
	at := map[string]int{}
	for _, f := range all {
		f = relative(f, root)
		key := positions(&f)
		if has[key] {
			continue
		}
		if i, ok := at[key]; !ok {
			at[key] = len(list)
			list = append(list, f)
		} else if f.Rank < list[i].Rank {
			list[i] = f
		}
	}
	slices.SortFunc(list, func(a, b report.Finding) int { return cmp.Or(cmp.Compare(a.Rank, b.Rank), compare(&a, &b)) })
	for i := range list {
		list[i].ID = fmt.Sprintf("D%d", i+1)
	}
	return list
}

// before is the order of (M2). It does not depend on which of the two was found first, so that
// several runs or machines make the report of one.
func before(f, g *report.Finding) bool {
	if f.Fails() != g.Fails() {
		return f.Fails()
	}
	if f.Verdict != g.Verdict {
		return f.Verdict.Surer(g.Verdict)
	}
	return cmp.Or(boolean(f.Waived != "")-boolean(g.Waived != ""), writes(g)-writes(f), cmp.Compare(f.Package, g.Package), cmp.Compare(f.Test, g.Test), compare(f, g)) < 0
}

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}

func writes(f *report.Finding) (n int) {
	for i := range f.Accesses {
		n += boolean(isWrite(f.Accesses[i].Op))
	}
	return n
}

func isWrite(op string) bool { return strings.HasSuffix(op, "write") }

// positions is the key of (M1): findings with the same key are one.
func positions(f *report.Finding) string {
	places := make([]string, len(f.Accesses))
	for i := range f.Accesses {
		places[i] = f.Accesses[i].Position(f.Kind)
	}
	return joined(f.Kind, places)
}

func joined(k report.Kind, places []string) string {
	if !k.Ordered() {
		slices.Sort(places)
	}
	return string(k) + "|" + strings.Join(places, "|")
}

func compare(f, g *report.Finding) int {
	return cmp.Or(
		slices.CompareFunc(f.Accesses, g.Accesses, func(a, b report.Access) int {
			return cmp.Or(
				cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line),
				cmp.Compare(a.Column, b.Column), cmp.Compare(a.Op, b.Op))
		}),
		cmp.Compare(f.Fingerprint, g.Fingerprint))
}

// relative is a copy of the finding in which every file is slash-separated,
// and relative to root when it lies beneath it.
func relative(f report.Finding, root string) report.Finding {
	return renamed(f, func(file string) string { return filepath.ToSlash(report.Rel(root, file)) })
}

// renamed is a copy of the finding with other names of files.
func renamed(f report.Finding, rel func(file string) string) report.Finding {
	frames := func(s []report.Frame) []report.Frame {
		s = slices.Clone(s)
		for i := range s {
			s[i].File = rel(s[i].File)
		}
		return s
	}
	f.Accesses = slices.Clone(f.Accesses)
	for i := range f.Accesses {
		a := &f.Accesses[i]
		a.File, a.Stack, a.Created = rel(a.File), frames(a.Stack), frames(a.Created)
		a.Locks = slices.Clone(a.Locks)
		for j := range a.Locks {
			a.Locks[j].File = rel(a.Locks[j].File)
		}
	}
	f.Also = slices.Clone(f.Also)
	for i := range f.Also {
		p := &f.Also[i]
		p.Accesses = slices.Clone(p.Accesses)
		for j := range p.Accesses {
			p.Accesses[j].File = rel(p.Accesses[j].File)
		}
	}
	if f.Unit != nil {
		u := *f.Unit
		u.File = rel(u.File)
		f.Unit = &u
	}
	steps := func(list []report.Step) []report.Step {
		list = slices.Clone(list)
		for j := range list {
			list[j].File = rel(list[j].File)
		}
		return list
	}
	if f.Witness != nil {
		f.Witness = &report.Witness{Events: f.Witness.Events, Steps: steps(f.Witness.Steps)}
	}
	if f.Run != nil {
		f.Run = &report.Run{Steps: steps(f.Run.Steps)}
	}
	return f
}

// mergeUncovered is everything that was not covered, each thing once, sorted.
func mergeUncovered(build []report.Uncovered, run *Run) []report.Uncovered {
	all := slices.Concat(build, run.Notes)
	var said []report.Uncovered
	for _, p := range run.Processes {
		said = append(said, p.Uncovered...)
	}
	all = append(all, oncePerPackage(said)...)
	slices.SortFunc(all, func(a, b report.Uncovered) int {
		return cmp.Or(cmp.Compare(a.Package, b.Package), cmp.Compare(a.Reason, b.Reason))
	})
	return slices.Compact(all)
}
