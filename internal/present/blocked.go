package present

import (
	"slices"
	"strconv"
	"strings"

	"github.com/racepred/racepred/internal/blocked"
	"github.com/racepred/racepred/internal/engine"
	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/symbol"
	"github.com/racepred/racepred/internal/symbolize"
	"github.com/racepred/racepred/internal/trace"
)

// waits has, for each kind of wait, its words and the operations that the rewriter's tables may
// have at its place (Symbols.At).
var waits = [...]struct {
	op    string
	sites []string
}{
	blocked.ForEver:    {"select without cases", nil},
	blocked.NilReceive: {"receive from a nil channel", []string{"recv"}},
	blocked.NilSend:    {"send to a nil channel", []string{"send"}},
	blocked.Receive:    {"receive", []string{"recv"}},
	blocked.Send:       {"send", []string{"send"}},
	blocked.Select:     {"select", nil},
	blocked.Cond:       {"wait for a sync.Cond", nil},
	blocked.WaitGroup:  {"wait for a sync.WaitGroup", []string{"group"}},
	blocked.Lock:       {"lock", []string{"lock"}},
	blocked.RLock:      {"rlock", nil},
	blocked.WLock:      {"lock", []string{"lock"}},
}

// Waiting is a goroutine that waits, with what the engine knows of it.
type Waiting struct {
	blocked.Goroutine
	engine.Participant
}

// Standing is how certain it is that no lock of a cycle will be given back.
type Standing int

// The standings, the most certain first.
const (
	Proven   Standing = iota
	Lasting           // not proven, but the goroutines waited until the process was ended from outside
	Unproven          // not proven
)

// Who says that goroutines wait for ever.
const (
	byWaits     = "waits" // what they wait for
	byCollector = "gc"
)

// Deadlock is a cycle of goroutines that wait for each other's locks, with what the run did around
// them. Not ok and first are as in Name.
func (n *Namer) Deadlock(cycle []Waiting, standing Standing, around func([]engine.Participant) engine.Around) (out report.Finding, first, ok bool) {
	out = report.Finding{Kind: report.Deadlock, Verdict: report.Observed, By: []string{byWaits}}
	var participants []engine.Participant
	for i := range cycle {
		out.Accesses = append(out.Accesses, n.waiting(&cycle[i]))
		participants = append(participants, cycle[i].Participant)
	}
	if len(cycle) > 1 {
		out.Note = "each of these goroutines waits for a lock that the next one holds, and the last one for a lock of the first"
	} else {
		out.Note = "this goroutine waits for a lock that it holds itself"
	}
	switch standing {
	case Lasting:
		out.Note += "; this lasted until the process was ended, but a goroutine that could still run might have given a lock back"
	case Unproven:
		out.Verdict = report.Possible
		out.Note += "; when the process ended, a goroutine that could still run might have been about to give a lock back"
	}
	if first, ok = n.complete(&out, slices.All(participants)); ok {
		out.Run = n.run(around(participants), nil, map[trace.Addr]int{})
	}
	return out, first, ok
}

// Leak is a goroutine that nothing can wake, as the collector found, or because no goroutine could
// run any more, with the number of those that wait and were started at the same places. Not ok
// means that it is not of the tested module.
func (n *Namer) Leak(w *Waiting, count int, around func([]engine.Participant) engine.Around) (out report.Finding, ok bool) {
	out = report.Finding{Kind: report.Leak, Verdict: report.Observed, By: []string{byCollector}, Accesses: []report.Access{n.waiting(w)}}
	var notes []string
	if !w.Stuck {
		out.By = []string{byWaits}
		notes = append(notes, "no goroutine of the process could run any more, and no timer was set to wake one")
	}
	if count > 1 {
		notes = append(notes, strconv.Itoa(count)+" goroutines that were started at the same place wait here")
	}
	a := &out.Accesses[0]
	if len(a.Created) == 0 {
		notes = append(notes, "no go statement started it: a timer did (time.AfterFunc), a cleanup, or a call from C")
	}
	out.Note = strings.Join(notes, "; ")
	if !n.ours(a.Stack) && !n.ours(a.Created) {
		return out, false
	}
	participants := []engine.Participant{w.Participant}
	if _, ok = n.complete(&out, slices.All(participants)); ok {
		out.Run = n.run(around(participants), nil, map[trace.Addr]int{})
	}
	return out, ok
}

// ours reports whether one of the functions is of the tested module: of the tested package, or of
// one that records something.
func (n *Namer) ours(stack []report.Frame) bool {
	for _, f := range stack {
		pkg, _ := symbol.Split(f.Func)
		if n.Package != "" && strings.TrimSuffix(pkg, "_test") == strings.TrimSuffix(n.Package, "_test") || n.Symbols.Rewritten(f) {
			return true
		}
	}
	return false
}

// Position is where a goroutine waits and where it was started, so that goroutines with the same
// position can be counted. Not ok means that it waits for a subtest: if that waits in vain, it is
// reported instead.
func (n *Namer) Position(w *Waiting) (at string, ok bool) {
	a := n.waiting(w)
	return a.Op + " in " + a.Func + " at " + a.Position(report.Leak), len(a.Stack) == 0 || !strings.HasPrefix(a.Stack[0].Func, "testing.")
}

// Line says in a line which goroutine waits, and where. Files are given as below the directory
// root.
func (n *Namer) Line(w *Waiting, root string) string {
	a := n.waiting(w)
	return a.Op + a.Who() + " in " + a.Func + " at " + report.Rel(root, a.File) + ":" + strconv.Itoa(a.Line)
}

// waiting is the operation in which a goroutine waits.
func (n *Namer) waiting(w *Waiting) report.Access {
	out := n.access(&w.Participant)
	how := waits[w.Wait]
	if w.Wait == blocked.RLock { // of the method RLock, or of what RLocker returns
		how.sites = lockOps(lockCalled(out.Stack), true)
	}
	out.Stack = callers(out.Stack)
	out.Op = how.op
	out.Expr, out.Column = "", 0
	if out.File != "" && how.sites != nil {
		out.Expr, out.Column = n.Symbols.At(out.File, out.Line, how.sites...)
	}
	return out
}

// callers is the stack of an operation without the functions of package sync on top.
func callers(stack []report.Frame) []report.Frame {
	for len(stack) > 1 && waitsItself(stack[0].Func) {
		stack = stack[1:]
	}
	return stack
}

// lockCalled is the function of package sync by which such an operation was called; "" if the stack
// has none.
func lockCalled(stack []report.Frame) (called string) {
	for _, f := range stack {
		switch {
		case f.File == "<autogenerated>":
		case !waitsItself(f.Func):
			return called
		default:
			called = f.Func
		}
	}
	return called
}

// waitsItself reports whether every goroutine that waits in this way is in this function. Readers
// want to see its caller.
func waitsItself(fn string) bool {
	return symbolize.IsLock(fn) || strings.HasPrefix(fn, "internal/sync.") || strings.HasPrefix(fn, "sync.runtime_") || strings.HasPrefix(fn, "sync.(*WaitGroup).")
}
