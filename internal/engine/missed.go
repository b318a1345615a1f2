package engine

import (
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/hb"
	"github.com/racepred/racepred/internal/trace"
)

// An access at a busy position is mostly left out, so no predictor knows it. But the recorder may
// remember it until it records a conflicting access of another goroutine
// (rt/runtimehooks/missed.go, Q8). The event after that one says who made the first access, and
// from where on. Then (E1) is for the two, too, if nothing orders them in the run: each way from
// the first to the second begins with an event of the first one's goroutine after that place. What
// comes from earlier events of that goroutine counts as well, if they had not been given out by
// then, so a race may be lost.

const (
	// maxMissed is how far back such an access may lie, in events, and missedShare which part of the run's events may be gone through for all of them, after the first missedFree.
	maxMissed   = 64 << 10
	missedShare = 4
	missedFree  = 256 << 10
	// maxToLatest is how far the goroutine's latest access lies back at most. Mostly it is the event before.
	maxToLatest = 1 << 8
)

// missed takes in a MissedRead or MissedWrite at seq.
func (e *Engine) missed(seq trace.Seq, ev *trace.Event) {
	back := trace.Seq(ev.Size)
	if back > min(maxMissed, seq-e.window.first) || e.missedLooks+back > missedFree+seq/missedShare {
		return
	}
	e.missedLooks += back
	latest, ok := e.latest(seq, ev.G)
	if !ok {
		return
	}
	first := predict.Event{Seq: min(seq-back, latest.Seq), Ev: trace.Event{Kind: trace.Read, Flags: ev.Flags, G: trace.G(ev.Other), Addr: latest.Ev.Addr, Size: latest.Ev.Size, Site: ev.Site, Stack: ev.Stack}}
	if ev.Kind == trace.MissedWrite {
		first.Ev.Kind = trace.Write
	}
	var at trace.Event
	reused := false
	if hb.Before(int(latest.Seq-first.Seq)+2, func(i int) *trace.Event {
		if i == 0 {
			return &first.Ev
		}
		at, _ = e.window.at(first.Seq + trace.Seq(i-1))
		reused = reused || at.Kind == trace.Alloc && trace.Overlap(&at, &latest.Ev)
		return &at
	}) || reused {
		return
	}
	e.isMissed = true
	e.hb.Race(first, latest)
	e.isMissed = false
}

// latest is the latest access of g before seq.
func (e *Engine) latest(seq trace.Seq, g trace.G) (latest predict.Event, ok bool) {
	for at := seq; at > e.window.first && seq-at < maxToLatest; {
		at--
		if !e.window.by(at, g) {
			continue
		}
		if ev, _ := e.window.at(at); ev.Kind.Spec().Access {
			return predict.Event{Seq: at, Ev: ev}, true
		}
	}
	return latest, false
}

// missedNote is the note of a finding with such an access.
const missedNote = "the first of the two was not recorded, since its code runs very often: its stack is cut off, and its goroutine may have held locks that are not shown"
