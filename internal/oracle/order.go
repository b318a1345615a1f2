package oracle

import (
	"math/bits"

	"github.com/racepred/racepred/internal/trace"
)

// Relation is an order of the events of a trace of at most 64: bit j of element i says that i is
// before j.
type Relation []uint64

// Before reports whether i comes before j.
func (r Relation) Before(i, j int) bool { return r[i]>>j&1 != 0 }

// Races lists the conflicting pairs that the relation leaves unordered.
func (r Relation) Races(evs []trace.Event) map[Pair]bool {
	w := newWorld(evs)
	races := map[Pair]bool{}
	for j := range evs {
		for i := range j {
			if w.Conflict(i, j) && !r.Before(i, j) {
				races[Pair{i, j}] = true
			}
		}
	}
	return races
}

// edge is a direct order. must means that every reordering keeps it, whole that every reordering
// keeps it for all events that happened before from.
type edge struct {
	from, to    int
	must, whole bool
}

// before is the event that a HardSwap gives: not itself, but the one before it of its goroutine.
func (w *world) before(i int) int {
	if w.evs[i].Kind != trace.HardSwap {
		return i
	}
	if p := w.place[i]; p > 0 {
		return w.of[w.evs[i].G][p-1]
	}
	if f, ok := w.fork[w.evs[i].G]; ok {
		return f
	}
	return -1
}

// edges lists the direct orders of the trace: of happens-before, or those that hold for prediction.
func (w *world) edges(prediction bool) (list []edge) {
	add := func(from, to int, must bool) {
		if from >= 0 && from < to {
			list = append(list, edge{from, to, must, false})
		}
	}
	for i, e := range w.evs {
		if p := w.place[i]; p > 0 {
			add(w.of[e.G][p-1], i, false)
		} else if f, ok := w.fork[e.G]; ok {
			add(f, i, true)
		}
		w.edgesOf(i, prediction, add, &list)
	}
	return list
}

func closure(n int, list []edge) Relation {
	r := make(Relation, n)
	for _, e := range list {
		r[e.from] |= 1 << e.to
	}
	for i := n - 1; i >= 0; i-- {
		for m := r[i]; m != 0; m &= m - 1 {
			r[i] |= r[bits.TrailingZeros64(m)]
		}
	}
	return r
}

// HB is happens-before by its definition.
func HB(evs []trace.Event) Relation {
	return closure(len(evs), newWorld(evs).edges(false))
}

// WCP is weak-causally-precedes by Definition 3 of the paper, with read mode, and with the orders
// that every reordering keeps: the order of each goroutine, fork, join and hard edges. These are
// not composed with the edges of locks, except for edges from a soft section to a hard one. WCP
// does not know hand-overs, TryFail, and sections that do not nest.
func WCP(evs []trace.Event) Relation {
	w := newWorld(evs)
	list := w.edges(true)
	h := closure(len(evs), list)
	var kept []edge
	for _, e := range list {
		if e.must || evs[e.from].G == evs[e.to].G {
			kept = append(kept, e)
		}
		for i := range e.from {
			if e.whole && h.Before(i, e.from) {
				kept = append(kept, edge{from: i, to: e.to})
			}
		}
	}
	m := closure(len(evs), kept)
	for more := true; more; { // if one section always begins before the release of another one, it also ends before that
		more = false
		for _, s := range w.sections {
			for _, c := range w.sections {
				if s.soft() && c.soft() && s.lock == c.lock && s.g != c.g && s.rel < c.rel && !(s.shared && c.shared) &&
					m.Before(s.acq, c.rel) && !m.Before(s.rel, c.rel) {
					kept = append(kept, edge{from: s.rel, to: c.rel})
					m, more = closure(len(evs), kept), true
				}
			}
		}
	}
	r := w.weak(h, nil)
	for i, after := range m {
		r[i] |= after
	}
	return r
}

// soft reports whether a section has both ends and is neither hard nor unseen.
func (s section) soft() bool { return s.acq >= 0 && s.rel >= 0 && !s.hard && !s.unseen }

// PaperWCP is the reflexive-by-goroutine closure of weak-causally-precedes by Definition 3 of the
// paper, with fork, join and hard edges as WCP edges.
func PaperWCP(evs []trace.Event) Relation {
	w := newWorld(evs)
	list := w.edges(true)
	r := w.weak(closure(len(evs), list), list)
	for _, list := range w.of {
		for x, i := range list {
			for _, j := range list[x+1:] {
				r[i] |= 1 << j
			}
		}
	}
	return r
}

// weak is the smallest relation with rules (a), (b), (c) for soft sections and the edges among
// seeds that must hold; h is happens-before.
func (w *world) weak(h Relation, seeds []edge) Relation {
	n := len(w.evs)
	preds := make([]uint64, n) // of h, with the event itself
	for i := range n {
		preds[i] |= 1 << i
		for j := range i {
			if h.Before(j, i) {
				preds[i] |= 1 << j
			}
		}
	}
	r := make(Relation, n)
	order := func(a, b int) (changed bool) { // rule (c)
		succ := h[b] | 1<<b
		for m := preds[a]; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m)
			if succ&^r[i] != 0 {
				r[i] |= succ
				changed = true
			}
		}
		return changed
	}
	for _, e := range seeds {
		if e.must {
			order(e.from, e.to)
		}
	}
	for _, s := range w.sections { // rule (a)
		if !s.soft() {
			continue
		}
		for e := s.rel + 1; e < n; e++ {
			for _, k := range w.around(e) {
				if c := w.sections[k]; c.lock == s.lock && !c.hard && !c.unseen && !(c.shared && s.shared) && w.anyConflict(s, e) {
					order(s.rel, e)
				}
			}
		}
	}
	for changed := true; changed; { // rule (b)
		changed = false
		for _, s := range w.sections {
			for _, c := range w.sections {
				if s.lock == c.lock && s.soft() && c.soft() && s.rel < c.rel && !(s.shared && c.shared) &&
					r.Before(s.acq, c.rel) && order(s.rel, c.rel) {
					changed = true
				}
			}
		}
	}
	return r
}

// anyConflict reports whether an event of section s is in conflict with e.
func (w *world) anyConflict(s section, e int) bool {
	for i := s.acq + 1; i < s.rel; i++ {
		a, b := w.evs[i], w.evs[e]
		if a.G != s.g {
			continue
		}
		if a.Kind == trace.Opaque && b.Kind == trace.Opaque && a.G != b.G {
			return true
		}
		if commutes(&a) && commutes(&b) {
			continue
		}
		a.Flags, b.Flags = 0, 0
		if trace.Conflict(&a, &b) && w.common(i, e) {
			return true
		}
	}
	return false
}

func commutes(e *trace.Event) bool { return e.Unseen() && e.Kind == trace.Write || e.AppendPart() }

// SHB is schedulable happens-before: happens-before, and the last store of a byte before every Read
// of it. It knows the paper's events, fork, join and read mode, and no unseen Writes.
func SHB(evs []trace.Event) Relation {
	w := newWorld(evs)
	list := w.edges(false)
	for i, e := range evs {
		if e.Kind == trace.Read {
			for _, c := range w.sees[i] {
				if j := w.content(c).last; j >= 0 {
					list = append(list, edge{j, i, false, false})
				}
			}
		}
	}
	return closure(len(evs), list)
}
