package engine_test

import (
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/engine"
	"github.com/racepred/racepred/internal/trace"
)

// TestHeap: with many synchronization objects and locks and many goroutines, next to nothing of the
// engine is on the heap, where the collector would look at it in each cycle. What the engine says
// that it takes of the heap is what it takes, more or less: the collector's goal is without it
// (rt/runtimehooks/pacer.go).
func TestHeap(t *testing.T) {
	var arena int
	var kept [][]uint64 // the arena; some of it is referred to only from within, where the collector does not look
	var left []uint64   // of the last of them
	cfg := engine.Config{Arena: func(n uintptr) unsafe.Pointer {
		words := int(n+7) / 8
		if len(left) < words {
			left = make([]uint64, max(words, 1<<18))
			kept = append(kept, left)
			arena += 8 * len(left)
		}
		at := left
		left = left[words:]
		return unsafe.Pointer(unsafe.SliceData(at))
	}}
	before := heap()
	e := engine.New(cfg, func(engine.Finding) {})
	const gs, objects = 200, 20_000
	for g := range trace.G(gs) {
		e.Event(trace.Event{Kind: trace.Fork, G: 1, Other: 2 + uint32(g)})
	}
	for i := range 5 * objects {
		g, a := trace.G(2+i%gs), 0x10_0000+64*trace.Addr(i%objects)
		e.Event(trace.Event{Kind: trace.Acquire, G: g, Addr: a})
		e.Event(trace.Event{Kind: trace.Write, G: g, Addr: a + 32, Size: 8})
		e.Event(trace.Event{Kind: trace.HardMerge, G: g, Addr: a + 8})
		e.Event(trace.Event{Kind: trace.Change, G: g, Addr: a + 16})
		e.Event(trace.Event{Kind: trace.Observe, G: g, Addr: a + 24})
		e.Event(trace.Event{Kind: trace.Release, G: g, Addr: a})
	}
	took := int(heap()-before) - arena
	t.Logf("%d MB on the heap, %d by the engine's own count, %d in the arena", took>>20, e.Heap()>>20, arena>>20)
	require.InEpsilon(t, took, e.Heap(), 0.3)
	require.Less(t, took, arena/10)
	runtime.KeepAlive(e)
	runtime.KeepAlive(kept)
}
