package oracle

import (
	"slices"

	"github.com/racepred/racepred/internal/trace"
)

// garbled is the content of a byte that an append out of place may have written.
const garbled = -2

// findAppends notes the append that each part belongs to, if the append is in the trace.
func (w *world) findAppends() {
	w.header = map[int]int{}
	for _, list := range w.of {
		h := -1
		for _, i := range list {
			switch e := &w.evs[i]; {
			case e.Append():
				h = i
			case !e.AppendPart():
				h = -1
			case h >= 0:
				w.header[i] = h
			}
		}
	}
}

// inPlace reports whether append h, which is next, finds its list as in the trace. (O10)
func (w *world) inPlace(s *state, h int) bool {
	for x, c := range w.bytes(w.evs[h]) {
		if s.cells[c] != w.sees[h][x] {
			return false
		}
	}
	return true
}

// placed reports whether append h was done in place, and its list not stored since.
func (w *world) placed(s *state, h int) bool {
	return w.sameList(s, h) && !slices.Contains(w.misplaced(s, h), h)
}

// partReady is (O10) for a part that is next.
func (w *world) partReady(s *state, i, h int) bool {
	if w.evs[i].Kind == trace.Read && w.placed(s, h) {
		for x, c := range w.bytes(w.evs[i]) {
			if s.cells[c] != w.sees[i][x] {
				return false
			}
		}
	}
	return w.sameList(s, h)
}

// sameList reports whether the list of append h has the same last seen store as in the trace.
func (w *world) sameList(s *state, h int) bool {
	for x, c := range w.bytes(w.evs[h]) {
		if !w.same(s.cells[c], w.sees[h][x], true) {
			return false
		}
	}
	return true
}

// epoch lists the appends that came after the same seen store of the list as h.
func (w *world) epoch(h int) (list []int) {
	for q := range w.evs {
		if f, e := &w.evs[q], &w.evs[h]; f.Append() && f.Addr == e.Addr && f.Size == e.Size && w.content(w.sees[q][0]).last == w.content(w.sees[h][0]).last {
			list = append(list, q)
		}
	}
	return list
}

// misplaced lists those of h's epoch that were not done in place so far.
func (w *world) misplaced(s *state, h int) []int {
	epoch := w.epoch(h)
	done := w.content(s.cells[w.bytes(w.evs[h])[0]]).unseen
	for len(epoch) > 0 && len(done) > 0 && epoch[0] == done[0] {
		epoch, done = epoch[1:], done[1:]
	}
	return epoch
}

// garble does what h does to elements when it is not in place.
func (w *world) garble(s *state, h int) {
	for _, q := range w.misplaced(s, h) {
		for i, of := range w.header {
			if of == q && w.evs[i].Kind == trace.Write {
				for _, c := range w.bytes(w.evs[i]) {
					s.cells[c] = w.number(content{last: garbled})
				}
			}
		}
	}
}

// cut reports whether append h is not in place, and another append of its epoch that is not in
// place either was under way when the trace ended.
func (w *world) cut(s *state, h int) bool {
	return !w.inPlace(s, h) && slices.ContainsFunc(w.misplaced(s, h), func(q int) bool {
		return w.place[q] == len(w.of[w.evs[q].G])-1
	})
}

// races reports whether an access may be part of a race: a part of an append may only if the append
// was in place.
func (w *world) races(s *state, i int) bool {
	h, part := w.header[i]
	return w.allDone(s, w.owes[i]) && (!part || w.placed(s, h))
}
