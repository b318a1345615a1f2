package hb

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/trace"
)

// TestForgottenAfterSharedSlot: what a goroutine without a slot of its own passed on is forgotten
// when it has ended. The goroutine that takes it then must still come after that one. Without the
// edge they race.
func TestForgottenAfterSharedSlot(t *testing.T) {
	const object, word = 0x100, 0x200
	access := func(g trace.G) trace.Event { return trace.Event{Kind: trace.Write, G: g, Addr: word, Size: 8} }
	for _, taken := range []bool{true, false} {
		races := 0
		p := New(predict.Config{}, func(predict.Candidate) { races++ })
		p.slots.Limit = 1
		seq := trace.Seq(0)
		do := func(evs ...trace.Event) {
			for i := range evs {
				p.Event(seq, &evs[i])
				seq++
			}
		}
		do(
			trace.Event{Kind: trace.Write, G: 1, Addr: 0x300, Size: 8},
			trace.Event{Kind: trace.Fork, G: 1, Other: 2},
			access(2),
			trace.Event{Kind: trace.HardRelease, G: 2, Addr: object},
			trace.Event{Kind: trace.End, G: 2},
		)
		require.NotZero(t, p.threads.Shared)
		if taken {
			p.NewAge(true)
		}
		if taken {
			do(trace.Event{Kind: trace.HardAcquire, G: 1, Addr: object})
		}
		do(access(1))
		require.Equal(t, !taken, races > 0)
	}
}
