// Package present makes what people read of what the engine found: engine.Finding and symbols -> report.Finding. The
// tested process and `racepred analyze` share it, so that both say the same of the same events.
package present

import (
	"iter"
	"slices"

	"github.com/racepred/racepred/internal/engine"
	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/symbol"
	"github.com/racepred/racepred/internal/symbolize"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/waive"
)

// Namer names the findings of one process.
type Namer struct {
	Symbols  *symbolize.Symbols
	Package  string              // the tested package; "" when unknown
	TestName func(uint32) string // "" for none
	Waived   *waive.Rules        // nil for none
	Main     trace.G             // the main goroutine, which is called 1, and 1 what it is called; 0 if they are as in the trace

	reported map[string]report.Verdict // by key
	failed   map[string]bool
}

// New returns a Namer that knows no test.
func New(s *symbolize.Symbols) *Namer {
	return &Namer{
		Symbols: s, TestName: func(uint32) string { return "" },
		reported: make(map[string]report.Verdict), failed: make(map[string]bool),
	}
}

// Name is f as a reader wants it. Not ok means that the same was reported of its places before, and no less surely;
// first, that this is the first finding about them that fails a test.
func (n *Namer) Name(f *engine.Finding) (out report.Finding, first, ok bool) {
	out = report.Finding{
		Kind:    report.Kind(f.Goal.String()),
		Verdict: f.Verdict,
		By:      f.By,
		Note:    f.Note,
		Rank:    f.Rank,
	}
	for i := range f.Events {
		out.Accesses = append(out.Accesses, n.access(&f.Events[i]))
	}
	out.Unit = n.unit(&f.Unit)
	if first, ok = n.complete(&out, slices.Backward(f.Events)); !ok {
		return out, first, ok
	}
	own := map[trace.Seq]int{}
	for i := range f.Events {
		own[f.Events[i].Seq] = i + 1
	}
	objects := map[trace.Addr]int{}
	out.Run = n.run(f.Around, own, objects)
	if len(f.Witness) > 0 {
		out.Witness = &report.Witness{Events: f.Skipped + len(f.Witness), Steps: n.steps(f.Witness, own, nil, objects)}
	}
	return out, first, ok
}

// run is what the run did around a finding's events, nil if that is not known.
func (n *Namer) run(a engine.Around, own map[trace.Seq]int, objects map[trace.Addr]int) *report.Run {
	if len(a.Events) == 0 {
		return nil
	}
	return &report.Run{Steps: n.steps(a.Events, own, a.Kept, objects)}
}

// unit is the function that an event begins, if any.
func (n *Namer) unit(ev *trace.Event) *report.Unit {
	at, ok := n.Symbols.Site(ev.Site)
	if ev.Kind != trace.UnitBegin || !ok {
		return nil
	}
	return &report.Unit{Func: at.Func, File: at.File, Line: at.Line, Marked: ev.Flags&trace.FlagMarked != 0}
}

// complete adds what follows from a finding's accesses, and the test of the first participant that has one. Not ok and first are as in Name.
func (n *Namer) complete(out *report.Finding, participants iter.Seq2[int, engine.Participant]) (first, ok bool) {
	out.Package = n.Package
	k := key(out)
	if old, again := n.reported[k]; again && !out.Verdict.Surer(old) {
		return false, false // the same places with other stacks
	}
	n.reported[k] = out.Verdict
	for _, x := range participants {
		if out.Test == "" && x.Test != 0 {
			out.Test = n.TestName(x.Test)
		}
	}
	out.Fingerprint = report.Fingerprint(out)
	n.words(out)
	readable(out)
	out.Waived = n.Waived.Of(out)
	withoutHooks(out)
	if out.Fails() {
		first = !n.failed[k]
		n.failed[k] = true
	}
	return first, true
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
