package wcp

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/oracle"
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/trace"
)

// TestMarksOfDeadLocksGo: words that live on do not keep marks of all short-lived locks that ever
// guarded them.
func TestMarksOfDeadLocksGo(t *testing.T) {
	p := New(predict.Config{}, func(predict.Candidate) {})
	event := events(p)
	section := func(lock, word trace.Addr) {
		event(trace.Event{Kind: trace.Acquire, G: 1, Addr: lock})
		event(trace.Event{Kind: trace.Write, G: 1, Addr: word, Size: 8})
		event(trace.Event{Kind: trace.Release, G: 1, Addr: lock})
	}
	event(trace.Event{Kind: trace.Acquire, G: 2, Addr: 0x300})
	event(trace.Event{Kind: trace.Write, G: 2, Addr: 0x900, Size: 8})
	section(0x100, 0x900)
	for i := range trace.Addr(3 * manyForgotten) {
		section(0x200, 0x900+i%16*8)
		event(trace.Event{Kind: trace.Alloc, G: 1, Addr: 0x200, Size: 8})
		require.LessOrEqual(t, p.marks.n, manyForgotten+3)
	}
	p.NewAge(false)
	p.marks.dropDead()
	require.Equal(t, 2, p.marks.n, "of the lock that is held, and of the one that is not forgotten")
	require.Equal(t, 2, p.marks.locks.Live())
	p.NewAge(true)
	p.marks.dropDead()
	require.Equal(t, 1, p.marks.n, "of the lock that is held")
}

// TestDeadMarksTellNothing: what is proposed does not depend on when the marks of dead locks go.
func TestDeadMarksTellNothing(t *testing.T) {
	swept, proposed := 0, 0
	for seed := range uint64(2000) {
		rng := rand.New(rand.NewPCG(seed, 46))
		var got, want []predict.Candidate
		often := New(predict.Config{}, func(c predict.Candidate) { got = append(got, c) })
		never := New(predict.Config{}, func(c predict.Candidate) { want = append(want, c) })
		seq := trace.Seq(0)
		both := func(ev trace.Event) {
			before := often.marks.n
			often.marks.dropDead()
			swept += before - often.marks.n
			seq++
			often.Event(seq, &ev)
			never.Event(seq, &ev)
		}
		var lock trace.Addr
		for _, ev := range oracle.Random(rng, 60, oracle.All) {
			both(ev)
			switch rng.IntN(10) {
			case 0:
				often.NewAge(false)
				never.NewAge(false)
			case 1, 2:
				both(trace.Event{Kind: trace.Alloc, G: ev.G, Addr: lock, Size: 8})
			}
			if ev.Kind == trace.Acquire {
				lock = ev.Addr
			}
		}
		require.Equal(t, want, got, "seed %d", seed)
		proposed += len(got)
	}
	require.NotZero(t, swept)
	require.NotZero(t, proposed)
}
