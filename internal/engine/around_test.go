package engine_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/engine"
	"github.com/racepred/racepred/internal/goal"
	"github.com/racepred/racepred/internal/oracle"
	"github.com/racepred/racepred/internal/predict/hb"
	"github.com/racepred/racepred/internal/trace"
)

// TestAround: (A1) to (A3) on examples. What is kept is written as pairs of events, "3-5".
func TestAround(t *testing.T) {
	for name, c := range map[string]struct{ text, kept, events string }{
		"a lock":                       {fig1b, "3-4", "0 1 2 3 4 5 6 7"},
		"others between":               {"g1 fork g3\ng1 fork g2\ng1 write y\ng1 acquire l\ng1 release l\ng3 acquire l\ng3 release l\ng3 acquire m\ng3 release m\ng2 acquire m\ng2 release m\ng2 write y", "4-5 8-9", "0 1 2 3 4 5 8 9 10 11"},
		"readers do not order readers": {"g1 fork g2\ng1 write y\ng1 racquire l\ng1 rrelease l\ng2 racquire l\ng2 rrelease l\ng2 write y", "", "0 1 2 3 4 5 6"},
		"a reader orders a writer":     {"g1 fork g2\ng1 write y\ng1 racquire l\ng1 rrelease l\ng2 acquire l\ng2 release l\ng2 write y", "3-4", "0 1 2 3 4 5 6"},
	} {
		t.Run(name, func(t *testing.T) {
			found, _ := feed(engine.Config{Complete: true}, parse(t, c.text))
			require.Len(t, found, 1)
			var kept, events []string
			for _, e := range found[0].Around.Kept {
				kept = append(kept, fmt.Sprintf("%d-%d", e.From, e.To))
			}
			for _, p := range found[0].Around.Events {
				events = append(events, fmt.Sprint(p.Seq))
			}
			require.Equal(t, c.kept, strings.Join(kept, " "))
			require.Equal(t, c.events, strings.Join(events, " "))
		})
	}
}

// TestKeptIsHappensBefore: in random traces, there are edges that kept two events apart if and only
// if happens-before orders them, each ends in another goroutine's event than it begins in, and they
// lead from one to the other.
func TestKeptIsHappensBefore(t *testing.T) {
	ordered, races := 0, 0
	for seed := range uint64(400) {
		evs := oracle.Random(rand.New(rand.NewPCG(seed, 5)), 40, oracle.Features{Locks: true, Fork: true, RW: seed%2 == 0, Hard: seed%3 == 0})
		found, _ := feed(engine.Config{Complete: true}, evs)
		for _, f := range found {
			if f.Goal != goal.Race || len(f.Around.Events) == 0 {
				continue
			}
			races++
			a, b := f.First(), f.Last()
			before := hb.Before(int(b.Seq-a.Seq)+1, func(i int) *trace.Event { return &evs[int(a.Seq)+i] })
			require.Equal(t, before, len(f.Around.Kept) > 0, "seed %d, events %d and %d", seed, a.Seq, b.Seq)
			g, at := a.Ev.G, a.Seq
			for _, e := range f.Around.Kept {
				ordered++
				require.Equal(t, g, evs[e.From].G)
				require.GreaterOrEqual(t, e.From, at)
				require.Less(t, e.From, e.To)
				g, at = evs[e.To].G, e.To
			}
			require.True(t, !before || g == b.Ev.G && at <= b.Seq)
		}
	}
	require.Greater(t, ordered, 50)
	require.Greater(t, races, 100)
}
