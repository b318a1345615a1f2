package vet

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/racepred/racepred/analyzer"
	"github.com/racepred/racepred/internal/funcname"
	"github.com/racepred/racepred/internal/report"
)

// Report is what was found as a report. Files beneath root are named relative to it. The positions
// of a diagnostic are the accesses of its finding, and their operations are what it says of them,
// its own message up to the first comma: what comes behind may be counts, which belong in no
// fingerprint.
func Report(found []Diagnostic, root string, tool report.Tool) *report.Report {
	rep := &report.Report{Version: report.Version, Fingerprints: report.FingerprintVersion, Tool: tool}
	funcs := functions{}
	for i := range found {
		d := &found[i]
		f := report.Finding{ID: "R" + strconv.Itoa(i+1), Kind: kindOf(d.Analyzer), Verdict: report.Static, By: []string{d.Analyzer}, Package: d.Package, Note: d.Message}
		if d.Confirmed != "" {
			f.Note += "; " + d.Confirmed
		}
		add := func(at Position, op string) {
			a := report.Access{Op: op, File: report.Rel(root, at.File), Line: at.Line, Column: at.Column, Func: d.Package + "." + funcs.at(at)}
			a.Stack = []report.Frame{{Func: a.Func, File: a.File, Line: a.Line}}
			f.Accesses = append(f.Accesses, a)
		}
		for _, r := range d.Related {
			add(r.At, r.Message)
		}
		op, _, _ := strings.Cut(d.Message, ", ")
		add(d.At, op) // a report is shown at its last access
		f.Fingerprint = report.Fingerprint(&f)
		rep.Findings = append(rep.Findings, f)
	}
	return rep
}

func kindOf(name string) report.Kind {
	if r, ok := analyzer.Find(name); ok {
		return r.Finds
	}
	return report.Misuse
}

// functions are those of files, for the names of those that positions are in. A fingerprint is made
// of them.
type functions map[string][]funcname.Lines

// at is the name of the function that p is in, as stacks have it, without its package: "(*T).Put",
// or "" outside of all.
func (fs functions) at(p Position) string {
	list, ok := fs[p.File]
	if !ok {
		list = funcname.LinesOf(p.File)
		fs[p.File] = list
	}
	for _, f := range list {
		if f.First <= p.Line && p.Line <= f.Last {
			return f.Name
		}
	}
	return ""
}

// Mark notes at the findings of a run what the source alone shows of them. It returns what it used,
// and how many findings that is about.
func Mark(findings []report.Finding, found []Diagnostic) (used []Diagnostic, marked int) {
	shown := map[int]bool{}
	for i := range findings {
		f := &findings[i]
		for j := range found {
			if d := &found[j]; confirms(f, d) {
				f.Vet = d.Message + " (" + d.Analyzer + ")"
				marked++
				if !shown[j] {
					shown[j] = true
					used = append(used, *d)
				}
				break
			}
		}
	}
	return used, marked
}

// Confirm marks the diagnostics that a run has shown, and puts them first: a finding of the run, in
// the file name, has an access on the line that the diagnostic is at.
func Confirm(found []Diagnostic, run *report.Report, name string) {
	for i := range found {
		d := &found[i]
		for j := range run.Findings {
			f := &run.Findings[j]
			if confirms(f, d) {
				d.Confirmed = "a run has shown it: " + f.ID + " of " + name + ", " + string(f.Verdict)
				break
			}
		}
	}
	slices.SortStableFunc(found, func(a, b Diagnostic) int {
		switch {
		case (a.Confirmed != "") == (b.Confirmed != ""):
			return 0
		case a.Confirmed != "":
			return -1
		}
		return 1
	})
}

func confirms(f *report.Finding, d *Diagnostic) bool {
	if f.Verdict == report.Possible || f.Verdict == report.Static {
		return false
	}
	switch kindOf(d.Analyzer) { // a misuse may be either
	case report.Race:
		if f.Kind.Waits() {
			return false
		}
	case report.Deadlock:
		if !f.Kind.Waits() {
			return false
		}
	}
	is := func(a *report.Access, p Position) bool {
		return a.Line == p.Line && (a.File == p.File || strings.HasSuffix(filepath.ToSlash(p.File), "/"+a.File))
	}
	return slices.ContainsFunc(f.Each(), func(f report.Finding) bool {
		return slices.ContainsFunc(f.Accesses, func(a report.Access) bool { return is(&a, d.At) })
	})
}
