package engine_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/engine"
	"github.com/racepred/racepred/internal/trace"
)

// TestMemoryIsBounded: accesses all over 4 GB, half of them in sections of many locks, in no more than the engine may have; what it
// forgot is counted, and no race is made up.
func TestMemoryIsBounded(t *testing.T) {
	const limit = 32 << 20
	races := 0
	e := engine.New(engine.Config{Memory: limit}, func(engine.Finding) { races++ })
	before := heap()
	e.Event(trace.Event{Kind: trace.Fork, G: 1, Other: 2})
	e.Event(trace.Event{Kind: trace.Fork, G: 1, Other: 3})
	most := uint64(0)
	x := uint64(1)
	for i := range 200_000 {
		g := trace.G(1 + i%3)
		x = x*6364136223846793005 + 1442695040888963407
		own := trace.Addr(g)<<33 + trace.Addr(x>>32)&^7
		shared := 0x10_0000 + 8*trace.Addr(x>>40%1000)
		lock := 0x8_0000 + 8*(shared>>3%100)
		e.Event(trace.Event{Kind: trace.Write, G: g, Addr: own, Size: 8, Site: 1})
		e.Event(trace.Event{Kind: trace.Acquire, G: g, Addr: lock, Site: 2})
		e.Event(trace.Event{Kind: trace.Write, G: g, Addr: shared, Size: 8, Site: 3})
		e.Event(trace.Event{Kind: trace.Write, G: g, Addr: own + 8, Size: 8, Site: 4})
		e.Event(trace.Event{Kind: trace.Release, G: g, Addr: lock, Site: 5})
		if i%50_000 == 49_999 {
			most = max(most, heap()-before)
			require.LessOrEqual(t, e.Stats().Memory, limit)
		}
	}
	t.Logf("%d MB in use, %d MB by the engine's own count, %d evictions", most>>20, e.Stats().Memory>>20, e.Stats().Evicted)
	require.Less(t, most, uint64(limit+limit/4))
	require.NotZero(t, e.Stats().Evicted)
	require.Zero(t, races)
	runtime.KeepAlive(e)
}
