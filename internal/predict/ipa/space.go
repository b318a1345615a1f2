package ipa

import (
	"slices"

	"github.com/racepred/racepred/internal/vclock"
)

// Space is the grid of pairs of places of two histories from a start on, as far as it was searched.
type Space struct {
	sides  [2]side
	apart  func(e *Event) bool // strategy II: the event needs what a third goroutine has, or has not done; nil for strategy I
	nodes  []node
	byPair map[pair]int32 // nodes, by their pairs
	open   []int32        // nodes that were left with an event of one of the two not executed: where later questions go on (the paper's incpairs)
}

// pair is a place of either goroutine.
type pair [2]Place

// node is a pair that was reached.
type node struct {
	pair
	from  int32 // the node that it was reached from; -1 is none
	tried moves // what was executed from there on
}

// moves are sets of ways on from a pair: one of the two executes its next event, or each does.
type moves uint8

const (
	moveA moves = 1 << iota
	moveB
	moveBoth
)

// side is the part of a history that the space needs.
type side struct {
	h     *History
	start Place
	steps []step
	locks map[Lock][]section // by their places
}

// step is an event of a history with what it needs.
type step struct {
	lock   Lock
	needs  Place // of the other goroutine
	opens  bool
	shared bool
	never  bool // strategy II excludes it
}

// newSpace returns the space of two histories from a pair on that the run went through.
func newSpace(a, b *History, start pair, apart func(*Event) bool) *Space {
	s := &Space{byPair: map[pair]int32{}, apart: apart}
	for i, h := range []*History{a, b} {
		s.sides[i] = side{h: h, start: start[i], locks: map[Lock][]section{}}
		in, _ := h.locks(start[i])
		for _, l := range in {
			s.sides[i].locks[l.lock] = append(s.sides[i].locks[l.lock], l)
		}
	}
	s.reach(start, -1)
	return s
}

// extend adds the histories' events up to the places of a question.
func (s *Space) extend(to pair) {
	for i := range s.sides {
		d, other := &s.sides[i], s.sides[1-i].h
		var last *vclock.Vec
		needs := Place(0)
		for p := d.start + Place(len(d.steps)); p < to[i]; p++ {
			e := d.h.at(p)
			if p == d.start || e.Known != last || len(d.steps) == 0 {
				needs, last = other.knows(e.Known), e.Known
			}
			d.steps = append(d.steps, step{e.Lock, needs, e.Opens, e.Shared, s.apart != nil && s.apart(e)})
			list := d.locks[e.Lock]
			if e.Opens {
				d.locks[e.Lock] = append(list, section{lock: e.Lock, open: p, close: never, shared: e.Shared})
				continue
			}
			if n := slices.IndexFunc(list, func(x section) bool { return x.close == never && x.shared == e.Shared }); n >= 0 {
				list[n].close = p
			}
		}
	}
}

// at is the step that the goroutine does at p.
func (d *side) at(p Place) *step { return &d.steps[p-d.start] }

// next is the first section of the lock that begins at p or later, as an index.
func (d *side) next(l Lock, p Place) int {
	list := d.locks[l]
	n := len(list)
	for n > 0 && list[n-1].open >= p {
		n--
	}
	return n
}

// blocks reports whether the goroutine, at p, is in a section of the lock that excludes one of
// another goroutine. Its sections of one lock do not overlap.
func (d *side) blocks(l Lock, shared bool, p Place) bool {
	n := d.next(l, p) - 1
	return n >= 0 && d.locks[l][n].close >= p && excludes(d.locks[l][n].shared, shared)
}

// uses reports whether the goroutine has a whole section of the lock between p and end that
// excludes one of another goroutine.
func (d *side) uses(l Lock, shared bool, p, end Place) bool {
	list := d.locks[l]
	for n := d.next(l, p); n < len(list) && list[n].open < end; n++ {
		if list[n].close < end && excludes(list[n].shared, shared) {
			return true
		}
	}
	return false
}

// reach notes that a pair is reached. It is false if that was known.
func (s *Space) reach(at pair, from int32) (int32, bool) {
	if n, ok := s.byPair[at]; ok {
		return n, false
	}
	n := int32(len(s.nodes))
	s.nodes = append(s.nodes, node{pair: at, from: from})
	s.byPair[at] = n
	return n, true
}

// path is the pairs on the way to a node, from the start on.
func (s *Space) path(n int32) (pairs []pair) {
	for ; n >= 0; n = s.nodes[n].from {
		pairs = append(pairs, s.nodes[n].pair)
	}
	slices.Reverse(pairs)
	return pairs
}
