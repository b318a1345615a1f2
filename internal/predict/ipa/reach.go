package ipa

import (
	"slices"

	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

// Strategy says what a search assumes of the other goroutines.
type Strategy uint8

const (
	StrategyI  Strategy = iota // it ignores them: Unreachable is certain
	StrategyII                 // they stay where they were when the search starts: Reachable is certain
)

// Access is an event of the run that a search does not execute: it searches a way to the event's
// place.
type Access struct {
	G   trace.G
	Seq trace.Seq
}

// Reach says whether some order of critical sections brings both goroutines to their accesses (the
// paper's procedure Check_reach). The order that every schedule keeps must not order the two.
func (h *Histories) Reach(s Strategy, a, b Access) Answer {
	answer, _ := h.reach(s, a, b)
	return answer
}

// Ordered reports whether the order that every schedule keeps has a before b, of which b is the
// present event.
func (h *Histories) Ordered(a, b Access) bool {
	la, lb := h.of.Get(a.G), h.of.Get(b.G)
	if la == nil || lb == nil {
		return false
	}
	t, ok := la.time(a.Seq)
	return ok && t <= lb.last.At(la.Slot)
}

// Way is Reach with a way there: the places in the run of the acquires and releases that lead to it
// from the one at from, before which the run is as it was.
func (h *Histories) Way(s Strategy, a, b Access) (answer Answer, from trace.Seq, way []trace.Seq) {
	answer, w := h.reach(s, a, b)
	if answer != Reachable {
		return answer, 0, nil
	}
	pairs := w.path(w.end)
	for i := 1; i < len(pairs); i++ {
		for side := range pairs[i] {
			if p := pairs[i-1][side]; p < pairs[i][side] {
				way = append(way, w.sides[side].h.at(p).Seq)
			}
		}
	}
	return answer, w.from, way
}

// found is the end of a search.
type found struct {
	*kept
	end int32
}

func (h *Histories) reach(s Strategy, a, b Access) (Answer, found) {
	none := found{}
	if a.G > b.G { // a space serves questions either way
		a, b = b, a
	}
	la, lb := h.known(a), h.known(b)
	if la == nil || lb == nil {
		return Unknown, none
	}
	p, okA := la.Place(a.Seq)
	q, okB := lb.Place(b.Seq)
	if !okA || !okB {
		return Unknown, none
	}
	to := pair{p, q}
	if s == StrategyI {
		return h.ask(h.spaceI(la, lb, to, min(a.Seq, b.Seq)), to)
	}
	answer := Unreachable
	for _, from := range h.startsII(la, lb, min(a.Seq, b.Seq)) {
		k := h.spaceII(la, lb, from)
		if k == nil {
			answer = Unknown
			continue
		}
		if apart(from, k.others, la.known(p)) || apart(from, k.others, lb.known(q)) {
			continue
		}
		switch got, f := h.ask(k, to); got {
		case Reachable:
			return got, f
		case Unknown:
			answer = Unknown
		}
	}
	return answer, none
}

// known is the history of an access's goroutine, nil if it does not have enough.
func (h *Histories) known(a Access) *History {
	l := h.of.Get(a.G)
	if l == nil || l.lost {
		return nil
	}
	if t, ok := l.time(a.Seq); !ok || h.slots != nil && h.slots.Stale(l.Slot, t) {
		return nil
	}
	return l
}

// ask searches a space.
func (h *Histories) ask(k *kept, to pair) (Answer, found) {
	if k == nil {
		return Unknown, found{}
	}
	answer, n := k.search(to, h.limits.Calls, &h.Counters)
	return answer, found{k, n}
}

// spaceI is the space for a question of strategy I: a kept one, unless that begins too long ago.
func (h *Histories) spaceI(a, b *History, to pair, seq trace.Seq) *kept {
	if k := h.find(a, b, func(k *kept) bool {
		return k.strategy == StrategyI && k.begins(to) && int(to[0]-k.start(0))+int(to[1]-k.start(1)) <= h.limits.Events
	}); k != nil {
		return k
	}
	at, from, ok := start(a, b, seq)
	if !ok {
		return nil
	}
	return h.keep(&kept{newSpace(a, b, at, nil), StrategyI, from, nil})
}

// startsII are the events before which searches of strategy II begin: the latest unblocking event
// before both accesses (the paper's snapshot), the first of the two itself, and where strategy I
// begins.
func (h *Histories) startsII(a, b *History, seq trace.Seq) (list []trace.Seq) {
	if at, ok := h.snapshot(seq); ok {
		list = append(list, at+1)
	}
	list = append(list, seq)
	if _, at, ok := start(a, b, seq); ok {
		list = append(list, at)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// spaceII is the space of strategy II that begins with the run's state before an event; nil if that
// is not known.
func (h *Histories) spaceII(a, b *History, from trace.Seq) *kept {
	others, ok := h.others(from, a, b)
	if !ok {
		return nil
	}
	if k := h.find(a, b, func(k *kept) bool { return k.strategy == StrategyII && k.from == from }); k != nil {
		k.others = others // some may have begun since
		return k
	}
	p, okA := a.Place(from)
	q, okB := b.Place(from)
	if !okA || !okB {
		return nil
	}
	if _, ok := a.locks(p); !ok {
		return nil
	}
	if _, ok := b.locks(q); !ok {
		return nil
	}
	held, ok := held(from, others)
	if !ok {
		return nil
	}
	k := &kept{nil, StrategyII, from, others}
	k.Space = newSpace(a, b, pair{p, q}, func(e *Event) bool {
		return e.Lock == 0 || h.handed[e.Lock] > from || apart(from, k.others, e.Known) ||
			e.Opens && slices.ContainsFunc(held, func(s section) bool { return s.lock == e.Lock && excludes(s.shared, e.Shared) })
	})
	return h.keep(k)
}

// others are the histories of the other goroutines that had an event from an event of the run on,
// or were in a section before it; false if that is not known.
func (h *Histories) others(from trace.Seq, a, b *History) (list []*History, ok bool) {
	if from < h.gone || h.of.Len() > h.limits.Histories {
		return nil, false
	}
	ok = h.of.All(func(l *History) bool {
		if l == a || l == b || l.until() <= from && len(l.in) == 0 {
			return true
		}
		list = append(list, l)
		return !l.lost && len(list) <= h.limits.Others
	})
	return list, ok
}

// held are the sections that they were in before an event; false if that is not known.
func held(from trace.Seq, others []*History) (list []section, ok bool) {
	for _, l := range others {
		p, ok := l.Place(from)
		if !ok {
			return nil, false
		}
		in, ok := l.locks(p)
		if !ok {
			return nil, false
		}
		list = append(list, in...)
	}
	return list, true
}

// apart reports whether a vector has, or may have, an event at from or later of one of the others.
func apart(from trace.Seq, others []*History, v *vclock.Vec) bool {
	return slices.ContainsFunc(others, func(l *History) bool {
		t, ok := l.time(from)
		return !ok || v.At(l.Slot) >= t
	})
}

// find is a kept space, and makes it the latest.
func (h *Histories) find(a, b *History, which func(*kept) bool) *kept {
	for i := len(h.spaces) - 1; i >= 0; i-- {
		k := h.spaces[i]
		if k.sides[0].h != a || k.sides[1].h != b || !which(k) {
			continue
		}
		if h.spaces = slices.Delete(h.spaces, i, i+1); k.start(0) < a.from || k.start(1) < b.from || len(k.nodes) > h.limits.Reached {
			return nil
		}
		h.spaces = append(h.spaces, k)
		return k
	}
	return nil
}

func (h *Histories) keep(k *kept) *kept {
	if len(h.spaces) >= h.limits.Spaces {
		h.spaces = slices.Delete(h.spaces, 0, 1)
	}
	h.spaces = append(h.spaces, k)
	return k
}

// start is where the space begins on one side.
func (s *Space) start(side int) Place { return s.sides[side].start }

// begins reports whether the pair is not before the start.
func (s *Space) begins(to pair) bool { return to[0] >= s.start(0) && to[1] >= s.start(1) }
