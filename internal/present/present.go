// Package present turns findings of the engine into findings for people: engine.Finding and symbols
// -> report.Finding. The tested process and `racepred analyze` share it, so that both report the
// same for the same events.
package present

import (
	"iter"
	"slices"
	"strings"

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
	Main     trace.G             // the main goroutine, which is called 1, and those behind it 2, 3, ...; 0 if they are as in the trace

	reported map[string]report.Verdict // by key
	failed   map[string]bool
}

// New returns a Namer without tests.
func New(s *symbolize.Symbols) *Namer {
	return &Namer{
		Symbols: s, TestName: func(uint32) string { return "" },
		reported: make(map[string]report.Verdict), failed: make(map[string]bool),
	}
}

// Name is the finding with names, for a report. Not ok means that a finding with the same positions
// and the same or a surer verdict was reported before; first means that it is the first one with
// these positions that fails a test.
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
	witness := f.Witness
	if out.Verdict == report.Predicted && addAndWait(&out) {
		// Adds to other counts are not recorded. So in the schedule, this one might not be from zero.
		out.Verdict, witness = report.Possible, nil
	}
	if first, ok = n.complete(&out, slices.Backward(f.Events)); !ok {
		return out, first, ok
	}
	own := map[trace.Seq]int{}
	for i := range f.Events {
		own[f.Events[i].Seq] = i + 1
	}
	objects := map[trace.Addr]int{}
	if f.Verdict == report.Observed {
		f.Around.Kept = nil // it happened: the order between its events kept it from nothing
	}
	out.Run = n.run(f.Around, own, objects)
	if len(witness) > 0 {
		out.Witness = &report.Witness{Events: f.Skipped + len(witness), Steps: n.steps(witness, own, nil, objects)}
	}
	return out, first, ok
}

// run is what the run did around a finding's events, nil if that is not known.
func (n *Namer) run(a engine.Around, own map[trace.Seq]int, objects map[trace.Addr]int) *report.Run {
	steps := n.steps(a.Events, own, a.Kept, objects)
	if len(steps) == 0 {
		return nil
	}
	return &report.Run{Steps: steps}
}

// unit is the function whose call a UnitBegin begins, if there is one.
func (n *Namer) unit(ev *trace.Event) *report.Unit {
	at, ok := n.Symbols.Site(ev.Site)
	if ev.Kind != trace.UnitBegin || !ok {
		return nil
	}
	return &report.Unit{Func: at.Func, File: at.File, Line: at.Line, Marked: ev.Flags&trace.FlagMarked != 0}
}

// complete adds what a finding's accesses imply, and the test of the first participant that has
// one. Not ok and first are as in Name.
func (n *Namer) complete(out *report.Finding, participants iter.Seq2[int, engine.Participant]) (first, ok bool) {
	out.Package = n.Package
	k := key(out)
	if old, again := n.reported[k]; again && !out.Verdict.Surer(old) {
		return false, false // the same positions with other stacks
	}
	n.reported[k] = out.Verdict
	for _, x := range participants {
		if out.Test == "" && x.Test != 0 {
			out.Test = n.TestName(x.Test)
		}
	}
	if out.Test == "" && out.Kind == report.Leak { // of goroutines that no recorded goroutine started, as timers do
		out.Test = n.testOf(out)
	}
	out.Fingerprint = report.Fingerprint(out)
	for i, x := range participants {
		switch a := &out.Accesses[i]; {
		case n.ofChannel(a, &x.Ev):
			n.channel(a)
		case ofLibrary(a, &x.Ev):
			a.Expr, a.Column = "", 0
		}
	}
	n.words(out)
	mapItself(out, participants)
	readable(out)
	out.Waived = n.Waived.Of(out)
	withoutHooks(out)
	if out.Fails() {
		first = !n.failed[k]
		n.failed[k] = true
	}
	return first, true
}

// testOf is the test whose function, or a literal in it, is on a stack of the finding; "" for none.
func (n *Namer) testOf(f *report.Finding) string {
	for i := range f.Accesses {
		for j := range f.Accesses[i].Stack {
			path, name := symbol.Split(f.Accesses[i].Stack[j].Func)
			name, _, _ = strings.Cut(name, ".")
			if (path == n.Package || path == n.Package+"_test") && isTest(name) {
				return name
			}
		}
	}
	return ""
}

// isTest reports whether package testing takes a function of that name for a test.
func isTest(name string) bool {
	rest, ok := strings.CutPrefix(name, "Test")
	return ok && rest != "Main" && (rest == "" || rest[0] < 'a' || 'z' < rest[0])
}

// readable unescapes the functions' names. After that, a package and what it declares cannot be
// told apart in them.
func readable(f *report.Finding) {
	frames := func(stack []report.Frame) []report.Frame {
		stack = slices.Clone(stack) // Symbols keeps the original
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
