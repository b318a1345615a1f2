package oracle_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/oracle"
	"github.com/racepred/racepred/internal/trace"
)

// withTokens puts events of their locks' opaque tokens into some sections of a trace, as a recorder does: an Observe before the first access, or a
// Change. A token's name is that of the lock with bit set.
func withTokens(rng *rand.Rand, evs []trace.Event, bit trace.Addr) (out []trace.Event) {
	type section struct {
		g    trace.G
		lock trace.Addr
		said bool
	}
	var open []section
	for _, ev := range evs {
		spec := ev.Kind.Spec()
		for i := range open {
			if s := &open[i]; spec.Access && s.g == ev.G && !s.said && len(out) < 60 {
				s.said = true
				kind := trace.Observe
				if rng.IntN(4) == 0 {
					kind = trace.Change
				}
				out = append(out, trace.Event{Kind: kind, G: ev.G, Addr: s.lock | bit})
			}
		}
		out = append(out, ev)
		switch {
		case spec.Opens:
			open = append(open, section{g: ev.G, lock: ev.Addr})
		case spec.Closes:
			open = slices.DeleteFunc(open, func(s section) bool { return s.g == ev.G && s.lock == ev.Addr })
		}
	}
	for i := range out {
		out[i].Site = trace.Site(i + 1)
	}
	return out
}

// TestOpaqueTokens: a section changes its lock's opaque token where it is released, wherever its opaque calls were. That seldom makes a difference to what is proposed. It may
// when the later section, still open, leads to another goroutine by a second lock.
func TestOpaqueTokens(t *testing.T) {
	other, matter, lost := 0, 0, 0
	for seed := range uint64(3000) {
		evs := oracle.Random(rand.New(rand.NewPCG(seed, 23)), 20+int(seed%22), oracle.Features{Locks: true, RW: seed%3 == 0, Hard: seed%4 == 0})
		plain := withTokens(rand.New(rand.NewPCG(seed, 24)), evs, 1<<46)
		marked := make([]trace.Event, len(plain))
		for i, ev := range plain {
			if ev.Kind.Spec().Pin && ev.Addr&(1<<46) != 0 {
				ev.Addr = ev.Addr&^(1<<46) | trace.OpaqueTokenBit
			}
			marked[i] = ev
		}
		want, got := seconds(run(plain, newWCP)), seconds(run(marked, newWCP))
		without := make([]trace.Event, len(plain)) // each token's event of a token of its own
		for i, ev := range marked {
			if ev.Kind.Spec().Pin && ev.Addr&trace.OpaqueTokenBit != 0 {
				ev.Addr += trace.Addr(i) << 12
			}
			without[i] = ev
		}
		if !maps.Equal(got, seconds(run(without, newWCP))) {
			matter++
		}
		if maps.Equal(want, got) {
			continue
		}
		other++
		can := oracle.Explore(plain, 100_000)
		for p := range can.Races {
			if want[p[1]] && !got[p[1]] {
				lost++
				t.Logf("seed %d: not proposed: %v", seed, p)
				break
			}
		}
	}
	t.Logf("other candidates in %d traces; opaque tokens matter in %d", other, matter)
	require.Less(t, 3*other, matter)
	require.Less(t, 20*lost, matter)
	require.Greater(t, matter, 10)
}
