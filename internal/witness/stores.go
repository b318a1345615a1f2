package witness

import (
	"slices"

	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/witness/cells"
)

// stores are the stores that the trace's Reads and appends found, and the unseen Writes of each
// cell that has some, in the trace's order.
type stores struct {
	*cells.Found
	unseen [][]int32 // by place in Found.Unseen
}

func storesOf(evs []trace.Event) stores {
	s := stores{Found: cells.Find(evs)}
	if s.unseen = make([][]int32, len(s.Unseen)); len(s.Unseen) == 0 {
		return s
	}
	for i := range evs {
		if e := &evs[i]; e.Kind == trace.Write && e.Unseen() {
			for r := s.UnseenIn(s.Of(int32(i))); r.Lo < r.Hi; r.Lo++ {
				s.unseen[r.Lo] = append(s.unseen[r.Lo], int32(i))
			}
		}
	}
	return s
}

// writers calls yield with each seen store that event i, a Read or an append, takes bytes from, and
// merged with the unseen Writes since that store, cell by cell. from is -1 if there was no seen
// store.
func (s *stores) writers(i int32, yield func(int32), merged func(list []int32, from int32)) {
	for _, part := range s.Parts(i) {
		if part.From >= 0 {
			yield(part.From)
		}
		for r := s.UnseenIn(part.Range); r.Lo < r.Hi; r.Lo++ {
			list := s.unseen[r.Lo]
			lo, _ := slices.BinarySearch(list, part.From)
			hi, _ := slices.BinarySearch(list, i)
			if lo < hi {
				merged(list[lo:hi], part.From)
			}
		}
	}
}
