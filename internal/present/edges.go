package present

import (
	"slices"

	"github.com/racepred/racepred/internal/engine"
	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/trace"
)

// waitsFor finds what steps wait for. Of each other goroutine it keeps the latest step, with the
// first of these reasons:
//
//	(W1) "start": a goroutine's first step waits for its start; "end": a join waits for its last
//	     step;
//	(W2) "sync": an acquire waits for the releases that its object holds;
//	(W3) "lock": a section waits for the previous release of its lock;
//	(W4) "order": an operation that observes or changes a channel waits for the previous change.
type waitsFor struct {
	ops   []operation
	at    map[trace.Seq]int
	after map[int][]report.Edge

	started map[trace.G]int
	last    map[trace.G]int
	held    map[trace.Addr][]int
	free    map[trace.Addr]int   // of a lock, the last release in write mode
	readers map[trace.Addr][]int // of a lock, the releases in read mode since then
	changed map[trace.Addr]int
}

func (w *waitsFor) event(p *engine.Placed) {
	i, ok := w.at[p.Seq]
	if !ok {
		return
	}
	if w.after == nil {
		w.after, w.started, w.last = map[int][]report.Edge{}, map[trace.G]int{}, map[trace.G]int{}
		w.held, w.free, w.readers, w.changed = map[trace.Addr][]int{}, map[trace.Addr]int{}, map[trace.Addr][]int{}, map[trace.Addr]int{}
	}
	ev := &p.Ev
	spec := ev.Kind.Spec()
	if from, ok := w.started[ev.G]; ok && (w.ops[i].user || w.ops[i].must) { // (W1)
		w.add(i, from, report.ByStart)
		delete(w.started, ev.G)
	}
	switch {
	case ev.Kind == trace.Fork:
		w.started[trace.G(ev.Other)] = i
	case ev.Kind == trace.Join:
		if from, ok := w.last[trace.G(ev.Other)]; ok {
			w.add(i, from, report.ByEnd)
		}
	case spec.Takes || spec.Gives: // (W2)
		if spec.Takes {
			for _, from := range w.held[ev.Addr] {
				w.add(i, from, report.BySync)
			}
		}
		if spec.Resets {
			w.held[ev.Addr] = nil
		}
		if spec.Gives {
			w.held[ev.Addr] = append(w.held[ev.Addr], i)
		}
	case spec.Opens: // (W3)
		if from, ok := w.free[ev.Addr]; ok {
			w.add(i, from, report.ByLock)
		}
		if !spec.Shared {
			for _, from := range w.readers[ev.Addr] {
				w.add(i, from, report.ByLock)
			}
		}
	case spec.Closes && spec.Shared:
		w.readers[ev.Addr] = append(w.readers[ev.Addr], i)
	case spec.Closes:
		w.free[ev.Addr] = i
		delete(w.readers, ev.Addr)
	case spec.Pin && !ev.Unseen(): // (W4)
		if from, ok := w.changed[ev.Addr]; ok {
			w.add(i, from, report.ByOrder)
		}
		if ev.Kind == trace.Change {
			w.changed[ev.Addr] = i
		}
	}
	w.last[ev.G] = i
}

// add makes step i wait for an earlier step of another goroutine.
func (w *waitsFor) add(i, from int, why report.Why) *report.Edge {
	g := w.ops[from].Goroutine
	if from >= i || g == w.ops[i].Goroutine {
		return nil
	}
	list := w.after[i]
	for k := range list {
		if e := &list[k]; w.ops[e.Step].Goroutine == g {
			if e.Step < from || e.Step == from && why.Before(e.Why) {
				e.Step, e.Why = from, why
			}
			return e
		}
	}
	w.after[i] = append(list, report.Edge{Step: from, Why: why})
	return &w.after[i][len(list)]
}

// keep marks the edges that kept the finding's events apart, so that their steps are shown.
func (w *waitsFor) keep(kept []engine.Edge) {
	for _, e := range kept {
		from, some := w.at[e.From]
		to, ok := w.at[e.To]
		if !some || !ok || from >= to || w.ops[from].Goroutine == w.ops[to].Goroutine {
			continue
		}
		w.ops[from].must, w.ops[to].must = true, true
		w.after[to] = slices.DeleteFunc(w.after[to], func(x report.Edge) bool { return x.Step == from })
		why := report.BySync
		switch spec := w.ops[from].event.Kind.Spec(); {
		case w.ops[from].event.Kind == trace.Fork:
			why = report.ByStart
		case spec.Closes:
			why = report.ByLock
		}
		w.after[to] = append(w.after[to], report.Edge{Step: from, Why: why, Kept: true})
	}
}
