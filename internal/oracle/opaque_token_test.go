package oracle_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/goal"
	"github.com/racepred/racepred/internal/oracle"
	"github.com/racepred/racepred/internal/oracle/oracletest"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/witness"
)

// withTokens puts events of their locks' opaque tokens into some sections of a trace, as a recorder
// does: an Observe before the first access, or a Change.
func withTokens(rng *rand.Rand, evs []trace.Event) (out []trace.Event) {
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
				out = append(out, trace.Event{Kind: kind, G: ev.G, Addr: s.lock | trace.OpaqueTokenBit})
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

// TestOpaqueTokens: predictors do not know opaque tokens (wcp/W10), so they propose the same pairs
// with and without them. A pair that the tokens keep apart has no schedule then, and one that they
// do not keep apart is still found.
func TestOpaqueTokens(t *testing.T) {
	apart, races, found := 0, 0, 0
	for seed := range uint64(600) {
		plain := oracle.Random(rand.New(rand.NewPCG(seed, 23)), 20+int(seed%22), oracle.Features{Locks: true, RW: seed%3 == 0, Hard: seed%4 == 0})
		evs := withTokens(rand.New(rand.NewPCG(seed, 24)), plain)
		own := slices.Clone(evs) // each token's event of a token of its own
		for i := range own {
			if own[i].Kind.Spec().Pin {
				own[i].Addr += trace.Addr(i) << 12
			}
		}
		proposed := oracletest.Run(evs, newWCP)
		require.Equal(t, oracletest.Run(own, newWCP), proposed, "seed %d", seed)
		can, without := oracle.Explore(evs, 100_000), oracle.Explore(own, 100_000)
		if !can.Complete || !without.Complete {
			continue
		}
		w := witness.New(evs, witness.Options{})
		for p := range proposed {
			answer := w.Find(goal.RaceOf(int32(p[0]), int32(p[1]))).Verdict
			switch {
			case can.Races[p]:
				races++
				if answer == witness.Feasible {
					found++
				}
				require.NotEqual(t, witness.Infeasible, answer, "seed %d: %v", seed, p)
			case without.Races[p]:
				apart++
				require.NotEqual(t, witness.Feasible, answer, "seed %d: %v", seed, p)
			}
		}
	}
	t.Logf("%d pairs that are proposed are apart only because of opaque tokens; of %d races that are proposed %d have a schedule", apart, races, found)
	require.Greater(t, apart, 10)
	require.Greater(t, races, 100)
	require.Equal(t, races, found)
}
