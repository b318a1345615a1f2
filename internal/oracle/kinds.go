package oracle

import (
	"slices"

	"github.com/racepred/racepred/internal/trace"
)

// What an event of each kind means. All that the oracle knows of kinds is here. A kind has its
// order as events that it needs (meets), as cells that it must find as in the trace (cellsOf,
// writes), or as a rule of its own (mayBe). The orders of happens-before and WCP are in edgesOf.

// names numbers what the event is about.
func (w *world) names(e *trace.Event) {
	switch e.Kind {
	case trace.Read, trace.Write, trace.Alloc:
		for b := range trace.Addr(e.Size) {
			if _, ok := w.varIx[e.Addr+b]; !ok {
				w.varIx[e.Addr+b] = len(w.vars)
				w.vars = append(w.vars, e.Addr+b)
			}
		}
	case trace.Observe, trace.Change:
		if _, ok := w.objs[e.Addr]; !ok {
			w.objs[e.Addr] = len(w.objs)
		}
	}
}

// cellsOf lists the cells whose content an event must find as in the trace.
func (w *world) cellsOf(i int) (list []int) {
	e := w.evs[i]
	switch e.Kind {
	case trace.Read:
		return w.bytes(e)
	case trace.Write:
		if e.Append() {
			return w.bytes(e)
		}
	case trace.Observe, trace.Change:
		return []int{len(w.vars) + w.objs[e.Addr]}
	case trace.Opaque:
		for _, s := range w.opaques[i] {
			list = append(list, len(w.vars)+len(w.objs)+w.locks[w.sections[s].lock])
		}
	}
	return list
}

// writes lists the cells that an event changes.
func (w *world) writes(i int) (list []int) {
	e := w.evs[i]
	switch e.Kind {
	case trace.Write, trace.Alloc:
		return w.bytes(e)
	case trace.Change:
		return w.cellsOf(i)
	case trace.Opaque:
		for _, s := range w.opaques[i] {
			if !w.sections[s].shared {
				list = append(list, len(w.vars)+len(w.objs)+w.locks[w.sections[s].lock])
			}
		}
	}
	return list
}

// meets notes what event i found when the trace is run as it is: the lives of its bytes, and what
// each object holds.
func (w *world) meets(i int, e *trace.Event, lives []int, held map[trace.Addr][]int) {
	switch e.Kind {
	case trace.Alloc:
		for _, c := range w.bytes(*e) {
			lives[c]++
		}
	case trace.Read, trace.Write:
		for _, c := range w.bytes(*e) {
			w.life[i] = append(w.life[i], lives[c])
		}
	case trace.HardAcquire:
		w.holds[i] = slices.Clone(held[e.Addr])
		if !e.Unseen() {
			w.needs[i] = w.holds[i]
		}
	case trace.HardRelease:
		held[e.Addr] = []int{i}
	case trace.HardMerge:
		held[e.Addr] = append(slices.Clone(held[e.Addr]), i)
	case trace.HardSwap:
		w.holds[i] = slices.Clone(held[e.Addr])
		if !e.Unseen() {
			w.needs[i] = w.holds[i]
		}
		held[e.Addr] = []int{i}
	case trace.Acquire, trace.RAcquire:
		for _, s := range w.sections { // (O5)
			if s.lock == e.Addr && s.rel >= 0 && s.rel < i && (s.hard || e.Flags&trace.FlagHard != 0) {
				w.hards[i] = append(w.hards[i], s.rel)
			}
		}
		if !trace.TakesLock(w.evs, w.of[e.G], w.place[i]) {
			w.needs[i] = w.hards[i]
		}
	case trace.Release, trace.RRelease:
		if a := w.sections[w.byEvent[i]].acq; a >= 0 {
			w.needs[i] = []int{a}
		}
	case trace.Join:
		w.needs[i] = slices.Clone(w.of[trace.G(e.Other)])
		if f, ok := w.fork[trace.G(e.Other)]; ok && f < i {
			w.needs[i] = append(w.needs[i], f)
		}
	case trace.TryFail:
		for k, s := range w.sections {
			if s.lock == e.Addr && s.acq < i && (s.rel < 0 || s.rel > i) {
				w.holders[i] = append(w.holders[i], k)
			}
		}
	}
	if own := w.of[e.G]; !trace.TakesLock(w.evs, own, w.place[i]) { // (O5)
		for k := w.place[i] - 1; k >= 0 && trace.TakesLock(w.evs, own, k); k-- {
			w.owes[i] = append(w.owes[i], w.hards[own[k]]...)
		}
	}
}

// mayBe reports whether event i can be next. It is the next event of its goroutine, and the events
// that it needs are done.
func (w *world) mayBe(s *state, i int, e *trace.Event) bool {
	switch e.Kind {
	case trace.Acquire, trace.RAcquire:
		return w.blocker(s, i) < 0 && (!w.inOrder || w.first(s, i))
	case trace.TryFail: // (O8)
		for _, k := range w.holders[i] {
			if !w.isOpen(s, k) {
				return false
			}
		}
		if len(w.holders[i]) > 0 {
			return true
		}
		for _, c := range w.sections {
			if c.lock != e.Addr {
				continue
			}
			if c.acq < i && (c.rel < 0 || !w.done(s, c.rel)) || c.acq > i && w.done(s, c.acq) {
				return false
			}
		}
	}
	return true
}

// edgesOf adds the direct orders that end in event i, see edges.
func (w *world) edgesOf(i int, prediction bool, add func(from, to int, must bool), list *[]edge) {
	e := &w.evs[i]
	switch e.Kind {
	case trace.Join:
		for _, j := range w.needs[i] {
			add(j, i, true)
		}
	case trace.HardAcquire, trace.HardSwap:
		if prediction && e.Unseen() {
			break
		}
		for _, j := range w.holds[i] {
			if w.evs[j].G != e.G {
				add(w.before(j), i, true)
			}
		}
	case trace.Acquire, trace.RAcquire:
		for _, s := range w.sections {
			if prediction && (s.unseen || e.Unseen()) {
				continue
			}
			if s.lock == e.Addr && s.rel >= 0 && !(s.shared && e.Kind == trace.RAcquire) {
				add(s.rel, i, false)
			}
		}
		if !prediction {
			break
		}
		for _, j := range w.hards[i] {
			if w.evs[j].G != e.G {
				*list = append(*list, edge{j, i, true, !w.sections[w.byEvent[j]].hard && !w.sections[w.byEvent[j]].unseen})
			}
		}
	}
}
