package oracle

import "github.com/racepred/racepred/internal/trace"

// Triple is three events by their places in the trace, in the order of a violation: an event of one
// goroutine, one of another goroutine, one of the first again.
type Triple [3]int

// SplitBy finds the accesses c of a's goroutine that make a violation of atomicity with a and b: a
// and b conflict and are executed one after the other, c conflicts with b and is next. It tries all
// correct reorderings in up to max states. False means that it did not try all.
//
// Atomic accesses and parts of appends are parts of operations, so they do not count.
func SplitBy(evs []trace.Event, a, b, max int) (violations []Triple, complete bool) {
	w := newWorld(evs)
	found := map[int]bool{}
	start := w.start()
	seen := map[string]bool{start.key(): true}
	stack := []state{start}
	complete = true
	for len(stack) > 0 {
		s := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if w.done(&s, b) {
			if c, ok := w.next(&s, w.gi[a]); ok && w.allDone(&s, w.owes[c]) && w.splits(a, b, c) {
				found[c] = true
			}
		}
		for k := range w.gs {
			e, ok := w.next(&s, k)
			if !ok || !w.enabled(&s, e) || e == b && !w.done(&s, a) {
				continue
			}
			n := s.clone()
			w.do(&n, e)
			if key := n.key(); !seen[key] {
				if len(seen) >= max {
					complete = false
					continue
				}
				seen[key] = true
				stack = append(stack, n)
			}
		}
	}
	for c := range evs {
		if found[c] {
			violations = append(violations, Triple{a, b, c})
		}
	}
	return violations, complete
}

// splits reports whether b conflicts with both others, and all three have a byte of one life in
// common.
func (w *world) splits(a, b, c int) bool {
	for _, i := range []int{a, b, c} {
		if _, part := w.header[i]; part || w.evs[i].Flags&trace.FlagAtomic != 0 {
			return false
		}
	}
	if w.place[a] >= w.place[c] || !w.Conflict(a, b) || !w.Conflict(b, c) {
		return false
	}
	x, y, z := &w.evs[a], &w.evs[b], &w.evs[c]
	for at := x.Addr; at < x.Addr+trace.Addr(x.Size); at++ {
		i, j := int(at)-int(y.Addr), int(at)-int(z.Addr)
		if i < 0 || i >= int(y.Size) || j < 0 || j >= int(z.Size) {
			continue
		}
		if life := w.life[a][at-x.Addr]; w.life[b][i] == life && w.life[c][j] == life {
			return true
		}
	}
	return false
}
