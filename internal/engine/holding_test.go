package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/engine"
	"github.com/racepred/racepred/internal/trace"
)

// TestHoldingReaders: if one of several read locks is given back by a goroutine that has none, it
// is not known who still has one. What begins later is known again.
func TestHoldingReaders(t *testing.T) {
	const l, other = 0x1000, 0x2000
	on := func(k trace.Kind, g trace.G, a trace.Addr) trace.Event { return trace.Event{Kind: k, G: g, Addr: a} }
	for name, c := range map[string]struct {
		evs  []trace.Event
		held map[trace.G]trace.Addr
	}{
		"given by another": {[]trace.Event{on(trace.RAcquire, 1, l), on(trace.RAcquire, 2, l), on(trace.RRelease, 3, l)}, map[trace.G]trace.Addr{}},
		"given by a holder": {
			[]trace.Event{on(trace.RAcquire, 1, l), on(trace.RAcquire, 2, l), on(trace.RRelease, 2, l)},
			map[trace.G]trace.Addr{1: l},
		},
		"the only one": {[]trace.Event{on(trace.RAcquire, 1, l), on(trace.RRelease, 3, l)}, map[trace.G]trace.Addr{}},
		"later": {
			[]trace.Event{on(trace.RAcquire, 1, l), on(trace.RAcquire, 2, l), on(trace.RRelease, 3, l), on(trace.RAcquire, 4, l)},
			map[trace.G]trace.Addr{4: l},
		},
		"of another lock": {
			[]trace.Event{on(trace.RAcquire, 1, l), on(trace.RAcquire, 4, other), on(trace.RAcquire, 2, l), on(trace.RRelease, 3, l)},
			map[trace.G]trace.Addr{4: other},
		},
		"a Mutex": {
			[]trace.Event{on(trace.Acquire, 1, l), on(trace.Release, 3, l), on(trace.Acquire, 2, l)},
			map[trace.G]trace.Addr{2: l},
		},
	} {
		t.Run(name, func(t *testing.T) {
			e := engine.New(engine.Config{}, func(engine.Finding) {})
			for i := range c.evs {
				e.Take(&c.evs[i])
			}
			held := map[trace.G]trace.Addr{}
			e.Holding(func(g trace.G, lock trace.Addr, _ bool, _ trace.Seq) { held[g] = lock })
			require.Equal(t, c.held, held)
		})
	}
}
