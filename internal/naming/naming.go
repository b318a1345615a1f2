// Package naming gives names to what the engine found: engine.Finding and symbol tables -> report.Finding. The
// tested process and `racepred analyze` share it, so that both say the same of the same events.
package naming

import (
	"slices"

	"github.com/racepred/racepred/internal/engine"
	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/symbol"
	"github.com/racepred/racepred/internal/trace"
)

// Namer names the findings of one process.
type Namer struct {
	Symbols  *Symbols
	Package  string              // the tested package; "" when unknown
	TestName func(uint32) string // "" for none

	reported map[[2]place]report.Verdict
	failed   map[[2]place]bool
}

// New returns a Namer that knows no test.
func New(s *Symbols) *Namer {
	return &Namer{
		Symbols: s, TestName: func(uint32) string { return "" },
		reported: make(map[[2]place]report.Verdict), failed: make(map[[2]place]bool),
	}
}

// Name is f as a reader wants it. Not ok means that the two places were reported before, and no less surely;
// first, that this is the first finding about them that fails a test.
func (n *Namer) Name(f *engine.Finding) (out report.Finding, first, ok bool) {
	out = report.Finding{
		Kind:     report.Race,
		Verdict:  f.Verdict,
		By:       f.By,
		Note:     f.Note,
		Accesses: []report.Access{n.access(&f.First), n.access(&f.Second)},
		Package:  n.Package,
	}
	k := pairKey(&out)
	if old, again := n.reported[k]; again && !out.Verdict.Surer(old) {
		return out, false, false // the same two places with other stacks
	}
	n.reported[k] = out.Verdict
	for i := range out.Accesses {
		if out.Variable == "" {
			out.Variable = out.Accesses[i].Expr
		}
	}
	for _, t := range []uint32{f.Second.Test, f.First.Test} {
		if out.Test == "" && t != 0 {
			out.Test = n.TestName(t)
		}
	}
	if len(f.Witness) > 0 {
		out.Witness = n.witness(f.Witness)
	}
	out.Fingerprint = report.Fingerprint(&out)
	readable(&out)
	if out.Verdict.Fails() {
		first = !n.failed[k]
		n.failed[k] = true
	}
	return out, first, true
}

// readable unescapes the functions' names, after which nobody can tell a package from what it declares.
func readable(f *report.Finding) {
	frames := func(stack []report.Frame) []report.Frame {
		stack = slices.Clone(stack) // Symbols has it
		for i := range stack {
			stack[i].Func = symbol.Readable(stack[i].Func)
		}
		return stack
	}
	for i := range f.Accesses {
		a := &f.Accesses[i]
		a.Func, a.Stack, a.Created = symbol.Readable(a.Func), frames(a.Stack), frames(a.Created)
	}
}

// pairKey is the unordered pair of places: each is reported once per run, whatever is done there (x++ reads and writes).
func pairKey(f *report.Finding) [2]place {
	p, q := placeOf(&f.Accesses[0]), placeOf(&f.Accesses[1])
	if q.less(p) {
		p, q = q, p
	}
	return [2]place{p, q}
}

type place struct {
	file         string
	line, column int
}

func placeOf(a *report.Access) place { return place{a.File, a.Line, a.Column} }

func (p place) less(q place) bool {
	if p.file != q.file {
		return p.file < q.file
	}
	if p.line != q.line {
		return p.line < q.line
	}
	return p.column < q.column
}

func (n *Namer) access(x *engine.Access) report.Access {
	ev, s := &x.Ev, n.Symbols
	out := report.Access{
		Op:        opName(ev),
		Goroutine: int(ev.G),
		Addr:      uint64(ev.Addr),
		Stack:     s.Stack(ev.Stack),
	}
	if len(out.Stack) > 0 {
		f := s.userFrame(out.Stack)
		out.File, out.Line, out.Func = f.File, f.Line, f.Func
	}
	if t, ok := s.Site(ev.Site); ok {
		out.File, out.Line, out.Column, out.Expr = t.File, t.Line, t.Column, t.Expr
	} else if out.File != "" {
		out.Expr, out.Column = s.at(out.File, out.Line, "map", opName(ev))
	}
	if x.Fork.Kind == trace.Fork {
		out.Created = s.Stack(x.Fork.Stack)
	}
	for i := range x.Locks {
		out.Locks = append(out.Locks, n.lock(&x.Locks[i]))
	}
	return out
}

func opName(ev *trace.Event) string {
	op := "read"
	if ev.Kind == trace.Write {
		op = "write"
	}
	if ev.Flags&trace.FlagAtomic != 0 {
		op = "atomic " + op
	}
	return op
}

func (n *Namer) lock(ev *trace.Event) report.Lock {
	l := report.Lock{Mode: "w"}
	ops := []string{"lock", "send"} // a channel is a lock to those who put something in
	if ev.Kind == trace.RAcquire {
		l.Mode = "r"
		ops = []string{"rlock", "lock"}
	}
	if f, ok := n.Symbols.lockPlace(ev.Stack); ok {
		l.File, l.Line = f.File, f.Line
		l.Name, _ = n.Symbols.at(f.File, f.Line, ops...)
	} else if t, ok := n.Symbols.Site(ev.Site); ok {
		l.File, l.Line, l.Name = t.File, t.Line, t.Expr
	}
	return l
}

// stepNames are the events of a witness that a reader wants to see.
var stepNames = map[trace.Kind]string{
	trace.Read: "read", trace.Write: "write",
	trace.Acquire: "lock", trace.Release: "unlock",
	trace.RAcquire: "rlock", trace.RRelease: "runlock",
	trace.Fork: "go", trace.Change: "channel or atomic", trace.TryFail: "try lock",
}

// endOfSection reports whether event i is the Change that a channel used as a lock has beside the lock's own event.
func endOfSection(events []trace.Event, i int) bool {
	ev := &events[i]
	beside := func(j int, k trace.Kind) bool {
		return j >= 0 && j < len(events) && events[j].Kind == k && events[j].G == ev.G && events[j].Addr == ev.Addr
	}
	return ev.Kind == trace.Change && (beside(i-1, trace.Acquire) || beside(i+1, trace.Release))
}

func (n *Namer) witness(events []trace.Event) *report.Witness {
	w := &report.Witness{Events: len(events)}
	for i := range events {
		ev := &events[i]
		op, ok := stepNames[ev.Kind]
		if !ok || endOfSection(events, i) {
			continue
		}
		st := report.Step{Goroutine: int(ev.G), Op: op}
		if t, ok := n.Symbols.Site(ev.Site); ok {
			st.File, st.Line = t.File, t.Line
		} else if f, ok := n.Symbols.lockPlace(ev.Stack); ok {
			st.File, st.Line = f.File, f.Line
		}
		w.Steps = append(w.Steps, st)
	}
	return w
}
