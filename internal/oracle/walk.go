package oracle

import (
	"math/rand/v2"
	"slices"

	"github.com/racepred/racepred/internal/trace"
)

// Correct reports whether the schedule, a list of places in the trace, is a correct reordering of
// it, and which races it leaves next to each other.
func Correct(evs []trace.Event, schedule []int) (races map[Pair]bool, ok bool) {
	w := newWorld(evs)
	s := w.start()
	for _, i := range schedule {
		if e, ready := w.next(&s, w.gi[i]); !ready || e != i || !w.enabled(&s, i) {
			return nil, false
		}
		w.do(&s, i)
	}
	r := Result{Races: map[Pair]bool{}}
	w.look(&s, &r)
	return r.Races, true
}

// Walk is a random correct reordering of the trace.
func Walk(rng *rand.Rand, evs []trace.Event) (schedule []int) {
	w := newWorld(evs)
	s := w.start()
	for stop := rng.IntN(len(evs) + 1); len(schedule) < stop; {
		var can []int
		for k := range w.gs {
			if e, ready := w.next(&s, k); ready && w.enabled(&s, e) {
				can = append(can, e)
			}
		}
		if len(can) == 0 {
			break
		}
		e := can[rng.IntN(len(can))]
		w.do(&s, e)
		schedule = append(schedule, e)
	}
	return schedule
}

func (w *world) start() state {
	s := state{pos: make([]int, len(w.gs)), cells: make([]int, len(w.vars)+len(w.objs)+len(w.locks))}
	for i := range s.cells {
		s.cells[i] = -1
	}
	return s
}

func (w *world) do(s *state, e int) {
	s.pos[w.gi[e]]++
	h, part := w.header[e]
	misplaced := part && !w.placed(s, h)
	if w.evs[e].Append() {
		h, misplaced = e, !w.inPlace(s, e)
	}
	if !(part && misplaced) {
		for _, c := range w.writes(e) {
			s.cells[c] = w.after(s.cells[c], e)
		}
	}
	if misplaced {
		w.garble(s, h)
	}
}

// clone is a copy of the state.
func (s *state) clone() state { return state{slices.Clone(s.pos), slices.Clone(s.cells)} }
