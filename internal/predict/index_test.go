package predict_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/trace"
)

// TestIndex compares it with a map while names come, go, and collide.
func TestIndex(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	var x predict.Index[uint64, int]
	want := map[uint64]*int{}
	most := 0
	for i := range 200_000 {
		k := rnd.Uint64N(1 + uint64(i%50_000)/8)
		switch {
		case rnd.IntN(3) == 0 || i%50_000 > 40_000:
			x.Delete(k)
			delete(want, k)
		default:
			v := new(int)
			x.Put(k, v)
			want[k] = v
		}
		require.Same(t, want[k], x.Get(k))
		most = max(most, x.Len())
		if i%10_000 == 0 {
			require.Equal(t, len(want), x.Len())
			for k, v := range want {
				require.Same(t, v, x.Get(k))
			}
			n := 0
			require.True(t, x.All(func(*int) bool { n++; return true }))
			require.Equal(t, len(want), n)
		}
	}
	require.Greater(t, most, 1<<11)
}

// TestForgetAny compares an index of addresses with a map while what lies in ranges of all sizes
// goes, if it may.
func TestForgetAny(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	var x predict.ByAddr[trace.Addr]
	want := map[trace.Addr]bool{}
	forgot := 0
	for range 3000 {
		for range rnd.IntN(20) {
			a := trace.Addr(1 + rnd.IntN(1<<13))
			if rnd.IntN(3) > 0 { // so that pages get tables
				a = (a | 1<<12) &^ 7
			}
			x.Put(a, &a)
			want[a] = true
		}
		if a := trace.Addr(1 + rnd.IntN(1<<13)); rnd.IntN(4) == 0 {
			x.Delete(a)
			delete(want, a)
		}
		addr, size := trace.Addr(rnd.IntN(1<<13)), uint32(1)<<rnd.IntN(13)
		size += uint32(rnd.IntN(int(size)))
		stays := trace.Addr(rnd.IntN(7))
		x.Forget(addr, size, func(a *trace.Addr) bool {
			require.True(t, want[*a] && addr <= *a && *a < addr+trace.Addr(size), "%x", *a)
			return *a%7 != stays
		})
		for a := range want {
			if addr <= a && a < addr+trace.Addr(size) && a%7 != stays {
				delete(want, a)
				forgot++
			}
		}
		require.Equal(t, len(want), x.Len())
		for a := range want {
			require.Equal(t, a, *x.Get(a))
			require.Nil(t, x.Get(a+1<<14))
		}
		all := 0
		require.True(t, x.All(func(a *trace.Addr) bool { all++; return want[*a] }))
		require.Equal(t, len(want), all)
	}
	require.Greater(t, forgot, 10_000)
}

// TestForget: what lies in a range goes if it may, what lies beside it stays.
func TestForget(t *testing.T) {
	var x predict.ByAddr[trace.Addr]
	for a := trace.Addr(0x1f00); a < 0x3100; a += 8 {
		x.Put(a, &a)
	}
	x.Forget(0x2000, 0x1000, func(a *trace.Addr) bool { return *a != 0x2800 })
	for a := trace.Addr(0x1f00); a < 0x3100; a += 8 {
		require.Equal(t, a < 0x2000 || a >= 0x3000 || a == 0x2800, x.Get(a) != nil, "%x", a)
	}
}
