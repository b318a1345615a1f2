package wcp

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

// TestOriginsChangeNothing: clocks are the same if joins look at all times (C5), with goroutines
// that come and go, slots that are used again, by force and by several goroutines at once, and
// edges of all kinds.
func TestOriginsChangeNothing(t *testing.T) {
	proposed := 0
	var forced, shared uint64
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 11))
		var got, want []predict.Candidate
		with := New(predict.Config{}, func(c predict.Candidate) { got = append(got, c) })
		plain := New(predict.Config{}, func(c predict.Candidate) { want = append(want, c) })
		plain.pool.Plain = true
		most := []int{5, 40, 150, 400}[seed%4]
		limit := 0
		if seed%3 == 0 {
			limit = most * 2 / 3
		}
		with.slots.Limit, plain.slots.Limit = limit, limit
		live, started := []trace.G{1}, trace.G(1)
		held := map[trace.G][]trace.Addr{}
		locked := map[trace.Addr]bool{}
		seq := trace.Seq(0)
		event := func(ev trace.Event) {
			ev.Site = trace.Site(ev.Addr%61 + 1)
			a, b := ev, ev
			with.Event(seq, &a)
			plain.Event(seq, &b)
			seq++
		}
		equal := func() {
			for _, id := range live {
				a, b := with.threads.Get(id), plain.threads.Get(id)
				if a == nil || b == nil {
					require.Equal(t, a == nil, b == nil)
					continue
				}
				require.Equal(t, b.Slot, a.Slot)
				for s := range vclock.Slot(with.slots.Count()) {
					if s != a.Slot {
						require.Equal(t, [3]vclock.Time{b.h.At(s), b.Known.At(s), b.w.At(s)}, [3]vclock.Time{a.h.At(s), a.Known.At(s), a.w.At(s)}, "seed %d, event %d, goroutine %d, slot %d", seed, seq, id, s)
					}
				}
			}
		}
		for range 4000 {
			i := rng.IntN(len(live))
			g := live[i]
			if rng.IntN(3) == 0 {
				g = live[0]
			}
			object, variable := trace.Addr(0x1000+16*rng.IntN(6)), trace.Addr(0x8000+8*rng.IntN(20))
			switch n := rng.IntN(20); {
			case n < 2 && len(live) < most:
				started++
				event(trace.Event{Kind: trace.Fork, G: g, Other: uint32(started)})
				live = append(live, started)
			case n == 2 && len(live) > most/2 && i > 0 && len(held[live[i]]) == 0:
				event(trace.Event{Kind: trace.End, G: live[i]})
				if rng.IntN(2) == 0 {
					event(trace.Event{Kind: trace.Join, G: live[0], Other: uint32(live[i])})
				}
				live[i] = live[len(live)-1]
				live = live[:len(live)-1]
			case n < 7:
				if own := held[g]; len(own) > 0 {
					event(trace.Event{Kind: trace.Release, G: g, Addr: own[len(own)-1]})
					locked[own[len(own)-1]] = false
					held[g] = own[:len(own)-1]
				} else if l := trace.Addr(0x100 + 16*rng.IntN(5)); !locked[l] {
					locked[l] = true
					held[g] = append(own, l)
					event(trace.Event{Kind: trace.Acquire, G: g, Addr: l})
				}
			case n < 12:
				event(trace.Event{Kind: []trace.Kind{trace.Read, trace.Write}[rng.IntN(2)], G: g, Addr: variable, Size: 8})
			default:
				kinds := []trace.Kind{trace.HardAcquire, trace.HardAcquire, trace.HardRelease, trace.HardMerge, trace.HardSwap}
				event(trace.Event{Kind: kinds[rng.IntN(len(kinds))], G: g, Addr: object})
			}
			if rng.IntN(400) == 0 {
				equal()
			}
		}
		equal()
		require.Equal(t, want, got, "seed %d", seed)
		proposed += len(got)
		forced, shared = forced+with.slots.Forced, shared+with.threads.Shared
	}
	require.NotZero(t, proposed)
	require.NotZero(t, forced)
	require.NotZero(t, shared)
}
