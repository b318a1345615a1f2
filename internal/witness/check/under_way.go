package check

import (
	"math/bits"

	"github.com/racepred/racepred/internal/witness/cells"
)

// underWay are accesses of spans that may go on. An access of few cells is in the list of each of
// them, and one of many cells in a list for all cells, so that both cost little.
type underWay struct {
	found *cells.Found
	few   [][]int32 // by cell
	has   []uint64  // a bit for each cell whose list in few is not empty
	many  []int32   // for all cells
}

// fewCells is how many cells an access of few has at most.
const fewCells = 64

func newUnderWay(f *cells.Found) underWay {
	return underWay{found: f, few: make([][]int32, f.N), has: make([]uint64, (f.N+63)/64)}
}

func (u *underWay) add(i int32, at cells.Range) {
	if at.Hi-at.Lo > fewCells {
		u.many = append(u.many, i)
		return
	}
	for ; at.Lo < at.Hi; at.Lo++ {
		u.few[at.Lo] = append(u.few[at.Lo], i)
		u.has[at.Lo>>6] |= 1 << (at.Lo & 63)
	}
}

// each calls f with each access that has cells in common with at, and with these cells. Accesses
// that keep rejects are forgotten.
func (u *underWay) each(at cells.Range, keep func(int32) bool, f func(i int32, common cells.Range)) {
	if at.Lo >= at.Hi {
		return
	}
	rest := u.many[:0]
	for _, i := range u.many {
		if !keep(i) {
			continue
		}
		rest = append(rest, i)
		r := u.found.Of(i)
		if r = (cells.Range{Lo: max(r.Lo, at.Lo), Hi: min(r.Hi, at.Hi)}); r.Lo < r.Hi {
			f(i, r)
		}
	}
	u.many = rest
	for w := at.Lo >> 6; w <= (at.Hi-1)>>6; w++ {
		for m := u.has[w]; m != 0; m &= m - 1 {
			cell := w<<6 + int32(bits.TrailingZeros64(m))
			if cell < at.Lo || cell >= at.Hi {
				continue
			}
			list := u.few[cell]
			rest := list[:0]
			for _, i := range list {
				if keep(i) {
					rest = append(rest, i)
					f(i, cells.Range{Lo: cell, Hi: cell + 1})
				}
			}
			if u.few[cell] = rest; len(rest) == 0 {
				u.has[w] &^= 1 << (cell & 63)
			}
		}
	}
}
