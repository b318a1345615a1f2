package oracle

import "github.com/racepred/racepred/internal/trace"

// Triple is three events by their places in the trace: two of one goroutine and in the middle one of another goroutine, in the order in which a violation has them.
type Triple [3]int

// SplitBy finds, by trying all correct reorderings as far as max states go, the accesses of a's goroutine after a for which that is a violation of atomicity: a and
// then b, which are in conflict, are executed, and the access, which is in conflict with b, is next. False means that not all reorderings were seen.
//
// Atomic accesses and parts of appends are none of the three: they are parts of operations.
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
			if c, ok := w.next(&s, w.gi[a]); ok && w.splits(a, b, c) {
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

// splits reports whether b is in conflict with both others, and all three have a byte of one life in common.
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
