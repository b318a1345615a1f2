package wcp

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/trace/gen"
)

// TestOneWordIsAnyWord: the short ways that rule (a) takes at accesses of one word order what the
// long way does, and propose the same.
func TestOneWordIsAnyWord(t *testing.T) {
	proposed := 0
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 7))
		m := gen.Mix{Events: 3000, Goroutines: 2 + rng.IntN(8), Locks: 4 + rng.IntN(12), Shared: 1 + rng.IntN(100), Own: 1 + rng.IntN(20), Sites: 1 + rng.IntN(200),
			Depth: 1 + rng.IntN(3), Length: 1 + rng.IntN(6), Quantum: 1 + rng.IntN(20), Enter: .3, Nest: .1, Read: float64(rng.IntN(3)) / 3, Write: rng.Float64(),
			Local: .2, Unsafe: float64(rng.IntN(2)) / 5, Seed: seed}
		var got, want []predict.Candidate
		short := New(predict.Config{}, func(c predict.Candidate) { got = append(got, c) })
		long := New(predict.Config{}, func(c predict.Candidate) { want = append(want, c) })
		long.longWay = true
		run := m.New()
		var ev trace.Event
		for seq := trace.Seq(0); ; seq++ {
			if a, _ := run.Next(&ev); a != trace.Next {
				break
			}
			if ev.Kind.Spec().Access && rng.IntN(10) == 0 {
				ev.Addr, ev.Size = ev.Addr+trace.Addr(rng.IntN(2)*4), 4
			}
			if ev.Kind.Spec().Access && rng.IntN(200) == 0 { // the word, half of it, or some more are used anew
				alloc := trace.Event{Kind: trace.Alloc, G: ev.G, Addr: ev.Addr, Size: 4 << rng.IntN(6)}
				short.Event(seq, &alloc)
				long.Event(seq, &alloc)
			}
			short.Event(seq, &ev)
			long.Event(seq, &ev)
		}
		require.Equal(t, want, got, "seed %d", seed)
		require.Equal(t, long.marks.locks.Extra, short.marks.locks.Extra, "seed %d: marks", seed)
		proposed += len(got)

		require.Equal(t, len(long.sections.refs)-len(long.sections.ids), len(short.sections.refs)-len(short.sections.ids), "seed %d: sections", seed)
	}
	require.NotZero(t, proposed)
}
