//go:build racepred_seam

package process

import (
	"strings"

	"github.com/racepred/racepred/internal/engine"
	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/trace"
)

// found is the engine's sink: one finding, named, printed and kept.
func (a *analysis) found(f engine.Finding) {
	out := report.Finding{
		Kind:    report.Race,
		Verdict: f.Verdict,
		By:      f.By,
		Note:    f.Note,
		Accesses: []report.Access{
			a.access(&f.First),
			a.access(&f.Second),
		},
	}
	k := pairKey(&out)
	if old, ok := a.reported[k]; ok && !out.Verdict.Surer(old) {
		return // the same two places with other stacks
	}
	_, again := a.reported[k]
	a.reported[k] = out.Verdict
	for i := range out.Accesses {
		if out.Variable == "" {
			out.Variable = out.Accesses[i].Expr
		}
	}
	for _, t := range []uint32{f.Second.Test, f.First.Test} {
		if out.Test == "" && int(t) < len(a.tests) {
			out.Test = a.tests[t]
		}
	}
	out.Package = a.pkg
	if len(f.Witness) > 0 {
		out.Witness = a.witness(f.Witness)
	}
	out.Fingerprint = report.Fingerprint(&out)
	if out.Verdict.Fails() {
		if !again || !a.failed[k] {
			a.races++
		}
		a.failed[k] = true
	}
	if out.Verdict.Fails() || a.possible {
		runtime_write(report.AppendText(nil, &out, a.root))
	}
	a.keep(&out)
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

func (a *analysis) access(x *engine.Access) report.Access {
	ev := &x.Ev
	out := report.Access{
		Op:        opName(ev),
		Goroutine: int(ev.G),
		Addr:      uint64(ev.Addr),
		Stack:     a.symbols.stack(uint32(ev.Stack)),
	}
	if len(out.Stack) > 0 {
		f := a.userFrame(out.Stack)
		out.File, out.Line, out.Func = f.File, f.Line, f.Func
	}
	if t, ok := a.symbols.site(uint32(ev.Site)); ok && ev.Site != 0 {
		out.File, out.Line, out.Column, out.Expr = t.file, t.line, t.column, t.expr
	} else if out.File != "" {
		out.Expr, out.Column = a.symbols.at(out.File, out.Line, "map", opName(ev))
	}
	if x.Fork.Kind == trace.Fork {
		out.Created = a.symbols.stack(uint32(x.Fork.Stack))
	}
	for i := range x.Locks {
		out.Locks = append(out.Locks, a.lock(&x.Locks[i]))
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

// userFrame is the innermost frame of a rewritten package, or the innermost one.
func (a *analysis) userFrame(stack []report.Frame) report.Frame {
	for _, f := range stack {
		if a.symbols.rewritten(f) {
			return f
		}
	}
	return stack[0]
}

func (a *analysis) lock(ev *trace.Event) report.Lock {
	l := report.Lock{Mode: "w"}
	ops := []string{"lock"}
	if ev.Kind == trace.RAcquire {
		l.Mode = "r"
		ops = []string{"rlock", "lock"}
	}
	if f, ok := a.symbols.lockPlace(uint32(ev.Stack)); ok {
		l.File, l.Line = f.File, f.Line
		l.Name, _ = a.symbols.at(f.File, f.Line, ops...)
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

func (a *analysis) witness(events []trace.Event) *report.Witness {
	w := &report.Witness{Events: len(events)}
	for i := range events {
		ev := &events[i]
		op, ok := stepNames[ev.Kind]
		if !ok {
			continue
		}
		st := report.Step{Goroutine: int(ev.G), Op: op}
		if t, ok := a.symbols.site(uint32(ev.Site)); ok && ev.Site != 0 {
			st.File, st.Line = t.file, t.line
		} else if f, ok := a.symbols.lockPlace(uint32(ev.Stack)); ok {
			st.File, st.Line = f.File, f.Line
		}
		w.Steps = append(w.Steps, st)
	}
	return w
}

// testedPackage is the package whose test binary this is, "" for any other program.
func testedPackage(path string) string {
	p, _ := strings.CutSuffix(path, ".test")
	return p
}
