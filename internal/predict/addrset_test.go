package predict_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/trace"
)

// TestAddrSet: the set has every address that was put into it, and as long as it need not halve its
// precision no other word.
func TestAddrSet(t *testing.T) {
	for name, limit := range map[string]int{"exact": 0, "bounded": 4 << 10} {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(3, 4))
			var x predict.AddrSet
			x.Limit = limit
			words := map[trace.Addr]bool{}
			some := func() trace.Addr { return 0xc000_0000_0000 + trace.Addr(rng.IntN(1<<20))*8 }
			for i := range 60_000 {
				if i%20 == 19 {
					a, n := some(), 1+rng.IntN(300)
					x.Clear(a, uint32(8*n))
					for j := range n {
						delete(words, a+8*trace.Addr(j))
					}
				}
				a := some()
				x.Add(a + 4)
				words[a] = true
				require.True(t, x.Has(a))
			}
			for a := range words {
				require.True(t, x.Has(a) && x.Has(a+7))
			}
			if limit > 0 {
				require.LessOrEqual(t, x.Bytes(), limit)
				return
			}
			for range 60_000 {
				a := some()
				require.Equal(t, words[a], x.Has(a))
			}
		})
	}
}

// TestAddrSetIsEmptyInTheEnd: what is cleared leaves nothing behind.
func TestAddrSetIsEmptyInTheEnd(t *testing.T) {
	var x predict.AddrSet
	for a := trace.Addr(0x1000); a < 0x9000; a += 40 {
		x.Add(a)
	}
	x.Clear(0x1000, 0x8000)
	for a := trace.Addr(0x1000); a < 0x9000; a += 8 {
		require.False(t, x.Has(a))
	}
	x.Clear(0x1000, 0x8000)
}

// TestAddrSetInTheOrderOfAnIndex: to add addresses in the order in which an Index has them is not
// slower than in another one. When it was, to forget the objects of a process took seconds.
func TestAddrSetInTheOrderOfAnIndex(t *testing.T) {
	pages := make([]trace.Addr, 1<<18)
	for i := range pages {
		pages[i] = 0xc000_0000_0000 + trace.Addr(i)<<9
	}
	took := func(order []trace.Addr) time.Duration {
		var x predict.AddrSet
		since := time.Now()
		for _, a := range order {
			x.Add(a)
		}
		return time.Since(since)
	}
	rng := rand.New(rand.NewPCG(5, 6))
	rng.Shuffle(len(pages), func(i, j int) { pages[i], pages[j] = pages[j], pages[i] })
	random := took(pages)
	slices.SortFunc(pages, func(a, b trace.Addr) int {
		return cmp.Compare(uint64(a>>9)*0x9E3779B97F4A7C15, uint64(b>>9)*0x9E3779B97F4A7C15)
	})
	require.Less(t, took(pages), 10*random+50*time.Millisecond)
}
