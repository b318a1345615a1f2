package present

import (
	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/trace"
)

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
		} else if f, ok := n.Symbols.LockCaller(ev.Stack); ok {
			st.File, st.Line = f.File, f.Line
		}
		w.Steps = append(w.Steps, st)
	}
	return w
}
