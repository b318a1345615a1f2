package present

import (
	"iter"
	"path"
	"strings"

	"github.com/racepred/racepred/internal/engine"
	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/trace"
)

// goroutine is the number that a reader is told: of a recorded process the runtime's own, which the
// traces of panics have, too.
func (n *Namer) goroutine(g trace.G) int {
	if n.Main == 0 || g < n.Main {
		return int(g)
	}
	return int(g-n.Main) + 1
}

// words says what the accesses do in the words of a reader, and what variable the finding is about.
// The fingerprint was made before: it stays when the words change.
func (n *Namer) words(f *report.Finding) {
	n.waitGroup(f)
	for i := range f.Accesses {
		a := &f.Accesses[i]
		switch {
		case a.Op != "read" && a.Op != "write":
		case n.ofMap(a.File, a.Line, a.Column, a.Expr):
			a.Op = "map " + a.Op
		case a.Expr == "" && innermost(a) && n.channelOnly(a.File, a.Line):
			n.channel(a)
		default:
			a.Expr = elements(a.Expr)
		}
	}
	f.Variable = variable(f.Accesses)
}

// addAndWait reports whether a race is one of an Add to a count of zero with a Wait (seam/E18).
func addAndWait(f *report.Finding) bool {
	adds, waits := false, false
	for i := range f.Accesses {
		adds = adds || inGroup(&f.Accesses[i], "Add")
		waits = waits || inGroup(&f.Accesses[i], "Wait")
	}
	return adds && waits
}

// inGroup reports whether that method of a WaitGroup made the access.
func inGroup(a *report.Access, method string) bool {
	return len(a.Stack) > 0 && a.Stack[0].Func == "sync.(*WaitGroup)."+method
}

// waitGroup says what is wrong with an Add that nothing puts before a Wait.
func (n *Namer) waitGroup(f *report.Finding) {
	for i := range f.Accesses {
		a := &f.Accesses[i]
		if inGroup(a, "Add") || inGroup(a, "Wait") {
			a.Op = strings.TrimPrefix(a.Op, "atomic ")
			a.Expr, a.Column = n.Symbols.At(a.File, a.Line, "group")
		}
	}
	if !addAndWait(f) {
		return
	}
	f.Note = joined(f.Note, "an Add to a count of zero has to come before the Wait, which else may not wait for it")
	if f.Verdict == report.Possible {
		f.Note = joined(f.Note, "in another order of this run the count might not be zero")
	}
}

// joined is a note with one more.
func joined(note, more string) string {
	if note == "" {
		return more
	}
	return note + "; " + more
}

// mapItself says that accesses are those of a map itself, if one of them changes it: the runtime
// records them, so in a line with more than one map, or with one that has no name, none of the
// line's sites tells.
func mapItself(f *report.Finding, participants iter.Seq2[int, engine.Participant]) {
	var changed *trace.Event
	for _, x := range participants {
		if x.Ev.MapChange() {
			changed = &x.Ev
		}
	}
	for i, x := range participants {
		if a := &f.Accesses[i]; changed != nil && x.Ev.Addr == changed.Addr && x.Ev.Size == 1 && x.Ev.Site == 0 && (a.Op == "read" || a.Op == "write") {
			a.Op = "map " + a.Op
		}
	}
}

// channel says what an access of a channel itself does: a send reads it, and close writes it.
func (n *Namer) channel(a *report.Access) {
	o := operation{Step: report.Step{File: a.File, Line: a.Line}, mark: markRead}
	if a.Op == "write" {
		o.mark = markWrite
	}
	o.channel(n)
	a.Op, a.Expr, a.Column = o.Op, o.Name, 0
}

// ofChannel reports whether the access is one that the runtime has recorded of a channel. It has no
// site, so it may have been taken for one of what else is accessed in its line.
func (n *Namer) ofChannel(a *report.Access, ev *trace.Event) bool {
	return (a.Op == "read" || a.Op == "write") && ev.Site == 0 && ev.Size == 1 && innermost(a) && n.channelOnly(a.File, a.Line)
}

// ofLibrary reports whether an access was made by what the reported line calls, and has no site:
// then what else is accessed in the line is no name for it, such as the pointer to an object whose
// method was called.
func ofLibrary(a *report.Access, ev *trace.Event) bool {
	return (a.Op == "read" || a.Op == "write") && ev.Site == 0 && !innermost(a)
}

// innermost reports whether the access is made by the function that it is reported in, and by none
// of the library that this one calls.
func innermost(a *report.Access) bool {
	return len(a.Stack) == 0 || a.Stack[0].File == a.File && a.Stack[0].Line == a.Line
}

// ofMap reports whether the place is one of those at which the runtime accesses a map.
func (n *Namer) ofMap(file string, line, column int, expr string) bool {
	for _, t := range n.Symbols.On(file, line) {
		if t.Op == "map" && t.Column == column && t.Expr == expr {
			return true
		}
	}
	return false
}

// elements is an expression without what the rewriter adds to it where it records the elements of a
// slice.
func elements(expr string) string {
	for _, added := range []string{"[:]", "[len:]"} {
		if of, ok := strings.CutSuffix(expr, added); ok && of != "" {
			return "elements of " + of
		}
	}
	return expr
}

// variable is what is written, as one of the accesses names it, or else what is read.
func variable(accesses []report.Access) (name string) {
	for i := range accesses {
		a := &accesses[i]
		expr := strings.TrimPrefix(a.Expr, "elements of ")
		if of, ok := strings.CutPrefix(expr, "("); ok && strings.HasSuffix(of, ")") && !strings.ContainsAny(of[:len(of)-1], "()") {
			expr = of[:len(of)-1]
		}
		if expr != "" && (strings.HasSuffix(a.Op, "write") || a.Op == "close") {
			return expr
		}
		if name == "" {
			name = expr
		}
	}
	return name
}

// withoutHooks leaves out the frames of racepred's own files in the library: the function there is
// in the name of the operation.
func withoutHooks(f *report.Finding) {
	for i := range f.Accesses {
		a := &f.Accesses[i]
		for len(a.Stack) > 1 && strings.HasPrefix(path.Base(a.Stack[0].File), "zz_racepred_") {
			a.Stack = a.Stack[1:]
		}
	}
}
