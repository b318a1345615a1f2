// Package pruning compares what racepred finds when the rewriter leaves out what is
// local or covered (package instrument, rules L and C) with what it finds with
// -instrument=all. Both must be the same.
//
// A finding is the unordered pair of its accesses: file, line, column and operation. Two things
// are not held against it:
//
//   - (E1) With -instrument=all a covered access may be recorded, when another goroutine has overwritten the
//     mark that lets the recorder drop it as a repeat. A finding may then name it in place of the access that
//     covers it, which is of the same goroutine, span and location. So a covered access stands
//     for the one that covers it, on both sides.
//   - (E2) Two runs of a program are not the same run. What only one mode has found so far is
//     looked for again: both modes run once more, a few times, and all that a mode ever found counts.
package pruning

import (
	"fmt"
	"slices"
	"strings"

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

// CoveringsOf takes them from what the rewriter made of packages. rel makes file names relative to the module.
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

// Findings are the pairs that a mode has found, as texts.
type Findings map[string]bool

// Add adds the findings of a report that fail a test.
func (f Findings) Add(rep *report.Report, by Coverings) {
	for i := range rep.Findings {
		r := &rep.Findings[i]
		if r.Verdict == report.Possible {
			continue
		}
		var sides []string
		for _, a := range r.Accesses {
			access := Access{a.File, a.Line, a.Column, a.Op}
			if first, ok := by[access]; ok {
				access = first
			}
			sides = append(sides, access.String())
		}
		slices.Sort(sides)
		f[strings.Join(sides, " / ")] = true
	}
}

// Only lists what is in f and not in g.
func (f Findings) Only(g Findings) (only []string) {
	for pair := range f {
		if !g[pair] {
			only = append(only, pair)
		}
	}
	slices.Sort(only)
	return only
}
