package engine_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/engine"
	"github.com/racepred/racepred/internal/oracle"
	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/trace"
)

// TestMissedIsObserved replaces one access of a random trace by a MissedRead or MissedWrite after a
// conflicting access. That is an observed race if and only if the whole trace does not order the
// two. If the event says that the access may have come earlier than it did, the engine may lose the
// race, but invents none.
func TestMissedIsObserved(t *testing.T) {
	var races, ordered, found, early int
	for seed := range uint64(600) {
		rng := rand.New(rand.NewPCG(seed, 77))
		evs := oracle.Random(rng, 10+int(seed%40), oracle.All)
		for i := range evs {
			evs[i].Site, evs[i].Stack = trace.Site(i+1), trace.Stack(i+1)
		}
		order := oracle.HB(evs)
		for q := range evs {
			p := conflictBefore(rng, evs, q)
			if p < 0 {
				continue
			}
			exact := missedFound(evs, p, q, 0)
			require.Equal(t, !order.Before(p, q), exact, "seed %d: %d and %d of\n%v", seed, p, q, evs)
			if q == p+1 { // nothing at all came since
				require.Equal(t, exact, missedFound(evs, p, q, -1), "seed %d: %d and %d of\n%v", seed, p, q, evs)
			}
			if exact {
				races++
			} else {
				ordered++
			}
			if missedFound(evs, p, q, rng.IntN(p+1)) {
				require.False(t, order.Before(p, q), "seed %d: %d and %d of\n%v", seed, p, q, evs)
				found++
			} else if exact {
				early++
			}
		}
	}
	t.Logf("%d races and %d ordered pairs; with an earlier place: %d found, %d lost", races, ordered, found, early)
	require.Greater(t, min(races, ordered, found), 100)
}

// conflictBefore is an access before q that conflicts with it, in the same life of the bytes; -1
// for none.
func conflictBefore(rng *rand.Rand, evs []trace.Event, q int) int {
	b := &evs[q]
	var all []int
	for p := q - 1; p >= 0; p-- {
		a := &evs[p]
		if a.Kind == trace.Alloc && trace.Overlap(a, b) {
			break
		}
		if trace.Conflict(a, b) {
			all = append(all, p)
		}
	}
	if len(all) == 0 {
		return -1
	}
	return all[rng.IntN(len(all))]
}

// missedFound reports whether an engine observes the race of p and q if p is missed, and is said to
// have happened up to that many events earlier.
func missedFound(evs []trace.Event, p, q, earlier int) (found bool) {
	kind := trace.MissedRead
	if evs[p].Kind == trace.Write {
		kind = trace.MissedWrite
	}
	missed := trace.Event{Kind: kind, Flags: evs[p].Flags & trace.FlagAtomic, G: evs[q].G, Other: uint32(evs[p].G), Size: uint32(q - p + earlier), Site: evs[p].Site, Stack: evs[p].Stack}
	all := slices.Insert(slices.Clone(evs), q+1, missed)
	all = slices.Delete(all, p, p+1)
	e := engine.New(engine.Config{}, func(f engine.Finding) {
		if f.Verdict == report.Observed && f.First().Ev.Site == evs[p].Site && f.First().Ev.Flags == evs[p].Flags&trace.FlagAtomic && f.Last().Ev.Site == evs[q].Site {
			found = true
		}
	})
	for _, ev := range all {
		e.Event(ev)
	}
	return found
}
