package cells_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/witness/cells"
)

// TestCells: two bytes that matter have one cell if and only if they lie side by side and no access
// of the trace tells them apart; bytes that do not matter have none; and cells are in the order of
// their bytes.
func TestCells(t *testing.T) {
	const memory = 48
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 1))
		evs := make([]trace.Event, rng.IntN(9))
		for i := range evs {
			e := &evs[i]
			e.Kind = []trace.Kind{trace.Read, trace.Write, trace.Write, trace.Alloc, trace.Acquire}[rng.IntN(5)]
			e.Addr, e.Size = trace.Addr(rng.IntN(memory-20)), uint32(rng.IntN(20))
			if e.Kind == trace.Write && rng.IntN(4) == 0 {
				e.Flags = trace.FlagUnseen
			}
		}
		has := func(i int, b trace.Addr) bool {
			return evs[i].Kind != trace.Acquire && evs[i].Addr <= b && b < evs[i].Addr+trace.Addr(evs[i].Size)
		}
		cellOf := map[trace.Addr]int32{}
		n := int32(0)
		apart := true
		for b := range trace.Addr(memory) {
			matters := false
			for i := range evs {
				matters = matters || has(i, b) && (evs[i].Kind == trace.Read || evs[i].Unseen())
				apart = apart || b > 0 && has(i, b) != has(i, b-1)
			}
			if !matters {
				apart = true
				continue
			}
			if apart {
				n++
			}
			cellOf[b], apart = n-1, false
		}
		table := cells.New(len(evs), func(i int) *trace.Event { return &evs[i] })
		require.Equal(t, n, table.N, "seed %d: %v", seed, evs)
		for i := range evs {
			want, got := map[int32]bool{}, map[int32]bool{}
			for b := range trace.Addr(memory) {
				if cell, ok := cellOf[b]; ok && has(i, b) {
					want[cell] = true
				}
			}
			for r := table.Of(int32(i)); r.Lo < r.Hi; r.Lo++ {
				got[r.Lo] = true
			}
			require.Equal(t, want, got, "seed %d: event %d of %v", seed, i, evs)
		}
	}
}

// TestContents: what is set is held, and neighbours that were set at once are given at once.
func TestContents(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 2))
		n := 1 + rng.Int32N(300)
		c, want := cells.NewContents(n), make([]int32, n)
		for v := range int32(100) {
			r := cells.Range{Lo: rng.Int32N(n), Hi: rng.Int32N(n + 1)}
			if rng.IntN(2) == 0 {
				r.Hi = min(n, r.Lo+rng.Int32N(4))
			}
			c.Set(r, v+1)
			for k := r.Lo; k < r.Hi; k++ {
				want[k] = v + 1
			}
			r = cells.Range{Lo: rng.Int32N(n), Hi: rng.Int32N(n + 1)}
			next := r.Lo
			parts := 0
			c.Each(r, func(part cells.Range, v int32) bool {
				require.Equal(t, next, part.Lo)
				require.Less(t, part.Lo, part.Hi)
				for next = part.Lo; next < part.Hi; next++ {
					require.Equal(t, want[next], v, "seed %d: cell %d", seed, next)
				}
				parts++
				return true
			})
			if r.Lo < r.Hi {
				require.Equal(t, r.Hi, next)
			} else {
				require.Zero(t, parts)
			}
		}
		c.Set(cells.Range{Lo: 0, Hi: n}, 7)
		parts := 0
		c.Each(cells.Range{Lo: 0, Hi: n}, func(cells.Range, int32) bool { parts++; return true })
		require.Equal(t, 1, parts)
	}
}

// TestEndOfMemory: what goes beyond the last address ends there.
func TestEndOfMemory(t *testing.T) {
	evs := []trace.Event{{Kind: trace.Read, Addr: math.MaxUint64 - 4, Size: 100}, {Kind: trace.Write, Addr: math.MaxUint64 - 4, Size: 2}}
	table := cells.New(len(evs), func(i int) *trace.Event { return &evs[i] })
	require.Equal(t, int32(2), table.N)
	require.Equal(t, cells.Range{Lo: 0, Hi: 2}, table.Of(0))
	require.Equal(t, cells.Range{Lo: 0, Hi: 1}, table.Of(1))
}
