// Package pruning compares racepred's findings if the rewriter leaves out local and covered
// accesses (package instrument, rules L and C) with its findings under -instrument=all. None
// may be missing.
//
// A finding is the unordered pair of its accesses: file, line, column and operation. Four
// differences do not count:
//
//   - (E1) With -instrument=all a covered access may be recorded, when another goroutine has
//     overwritten the mark that lets the recorder drop it as a repeat. A finding may then name it
//     in place of the access that covers it, which is of the same goroutine, span and location. So
//     a covered access counts as the one that covers it, on both sides.
//   - (E2) An access that the runtime records (of a channel, a map, a conversion) or the compiler
//     (in a library) has no column of its own, but that of whatever is recorded in its line and
//     fits, or none; pruning may have left that out. So no column fits any. And since one pair of
//     positions is reported once, which operation in a library it names depends on the column, too:
//     there, the operation does not count.
//   - (E3) Two runs of a program are not the same run. If only one mode has a finding so far, both
//     modes run again, a few times, and all that a mode ever found counts.
//   - (E4) With -instrument=all a load is recorded though the program throws its value away
//     (instrument/D2). What it read then ties its section to another one, so pruning may predict
//     more.
package pruning

import (
	"fmt"
	"slices"

	"github.com/racepred/racepred/instrument"
	"github.com/racepred/racepred/internal/report"
)

// Access is one side of a finding.
type Access struct {
	File      string // relative to the module
	Line, Col int
	Op        string
}

func (a Access) String() string { return fmt.Sprintf("%s %s:%d:%d", a.Op, a.File, a.Line, a.Col) }

// Coverings maps covered accesses to those that cover them. (E1)
type Coverings map[Access]Access

// CoveringsOf takes the coverings from the rewriter's results for packages. rel makes file names
// relative to the module.
func CoveringsOf(pkgs []instrument.Package, rel func(string) string) Coverings {
	c := Coverings{}
	for _, p := range pkgs {
		for _, f := range p.Covered {
			file := rel(f.File)
			c[Access{file, f.Line, f.Col, string(f.Op)}] = Access{file, f.ByLine, f.ByCol, string(f.ByOp)}
		}
	}
	return c
}

// Pair are the two sides of a finding.
type Pair [2]Access

func (p Pair) String() string { return p[0].String() + " / " + p[1].String() }

// same says whether two accesses count as one. (E2)
func (a Access) same(b Access) bool {
	return a.File == b.File && a.Line == b.Line && a.Op == b.Op && (a.Col == b.Col || a.Col == 0 || b.Col == 0)
}

func (p Pair) same(q Pair) bool {
	return p[0].same(q[0]) && p[1].same(q[1]) || p[0].same(q[1]) && p[1].same(q[0])
}

// Findings are what a mode has found.
type Findings map[Pair]bool

// Add adds the findings of a report that fail a test.
func (f Findings) Add(rep *report.Report, by Coverings) {
	for _, r := range each(rep) {
		if r.Verdict == report.Possible || len(r.Accesses) != 2 {
			continue
		}
		var pair Pair
		for k, a := range r.Accesses {
			pair[k] = Access{a.File, a.Line, a.Column, a.Op}
			if first, ok := by[pair[k]]; ok { // (E1)
				pair[k] = first
			}
			if len(a.Stack) > 0 && (a.Stack[0].File != a.File || a.Stack[0].Line != a.Line) { // (E2)
				pair[k].Col, pair[k].Op = 0, "library"
			}
		}
		if pair[1].String() < pair[0].String() {
			pair[0], pair[1] = pair[1], pair[0]
		}
		f[pair] = true
	}
}

// each are the findings at all of their places.
func each(rep *report.Report) (list []report.Finding) {
	for i := range rep.Findings {
		list = append(list, rep.Findings[i].Each()...)
	}
	return list
}

// Only lists the findings that are in f and not in g.
func (f Findings) Only(g Findings) (only []string) {
	for pair := range f {
		found := g[pair]
		for other := range g {
			found = found || pair.same(other)
		}
		if !found {
			only = append(only, pair.String())
		}
	}
	slices.Sort(only)
	return only
}
