package offline

import (
	"strconv"

	"github.com/racepred/racepred/internal/engine"
	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/trace"
)

// A trace of another tool has names for threads, variables, locks and locations. A finding has them
// instead of numbers, and as its position the line of the event, which is its number in the trace.
// They are put in at the end, since the reader is ahead of the engine.

// unnamed is a finding whose numbers have names.
type unnamed struct {
	accesses []unnamedAccess
	steps    map[uint64]trace.Event // by their numbers
}

type unnamedAccess struct {
	event trace.Event
	seq   trace.Seq
	locks []trace.Event
}

func newUnnamed(f *engine.Finding) unnamed {
	u := unnamed{steps: map[uint64]trace.Event{}}
	for i := range f.Events {
		p := &f.Events[i]
		u.accesses = append(u.accesses, unnamedAccess{p.Ev, p.Seq, p.Locks})
	}
	for _, p := range f.Witness {
		u.steps[uint64(p.Seq)] = p.Ev
	}
	for _, p := range f.Around.Events {
		u.steps[uint64(p.Seq)] = p.Ev
	}
	return u
}

// stdNames are the names in a trace.
type stdNames struct {
	std                  *trace.STDReader
	source               string // the file
	threads, vars, locks []string
}

func newSTDNames(f *File, source string) *stdNames {
	s := f.std
	return &stdNames{std: s, source: source, threads: s.Names(trace.OnG), vars: s.Names(trace.OnBytes), locks: s.Names(trace.OnLock)}
}

func nth(list []string, n uint64) string {
	if n == 0 || n > uint64(len(list)) {
		return ""
	}
	return list[n-1]
}

func (n *stdNames) thread(g int) string { return nth(n.threads, uint64(g)) }

// of is the name of what an event is done to.
func (n *stdNames) of(ev *trace.Event) string {
	switch ev.Kind.Spec().Operand {
	case trace.OnBytes:
		return nth(n.vars, uint64(ev.Addr/8))
	case trace.OnLock:
		return nth(n.locks, uint64(ev.Addr/8))
	case trace.OnG:
		return nth(n.threads, uint64(ev.Other))
	}
	return ""
}

// put puts names into a finding.
func (n *stdNames) put(out *report.Finding, u *unnamed) {
	for i := range out.Accesses {
		a, x := &out.Accesses[i], &u.accesses[i]
		a.Thread, a.Addr = n.thread(a.Goroutine), 0
		a.Func = "location " + n.std.Location(x.event.Site)
		a.File, a.Line, a.Column, a.Expr = n.source, n.std.LineOf(x.seq), 0, n.of(&x.event)
		for j := range a.Locks {
			if j < len(x.locks) {
				l := &x.locks[j]
				a.Locks[j].Name, a.Locks[j].File, a.Locks[j].Line = n.of(l), "location "+n.std.Location(l.Site), 0
			}
		}
	}
	if out.Kind == report.Race && len(out.Accesses) > 0 {
		out.Variable = out.Accesses[0].Expr
	}
	for _, steps := range n.stepsOf(out) {
		for i := range steps {
			s := &steps[i]
			ev := u.steps[s.Event]
			s.Thread, s.Name = n.thread(s.Goroutine), n.of(&ev)
			s.File, s.Line, s.Column = n.source, n.std.LineOf(trace.Seq(s.Event)), 0
		}
	}
	out.Fingerprint = report.Fingerprint(out)
}

// stepsOf are the schedules that a finding has.
func (n *stdNames) stepsOf(out *report.Finding) (all [][]report.Step) {
	if out.Witness != nil {
		all = append(all, out.Witness.Steps)
	}
	if out.Run != nil {
		all = append(all, out.Run.Steps)
	}
	return all
}

// malformed says what no run can have.
func malformed(f *File) (notes []string) {
	if f.std == nil {
		return nil
	}
	first, more := f.std.Problems()
	for _, p := range first {
		notes = append(notes, f.Name+":"+strconv.Itoa(p.Line)+": no run can have this, so findings may be wrong: "+p.Text)
	}
	if more > 0 {
		notes = append(notes, f.Name+": more that no run can have: "+strconv.Itoa(more))
	}
	return notes
}
