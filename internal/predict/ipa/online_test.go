package ipa_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/oracle"
	"github.com/racepred/racepred/internal/oracle/oracletest"
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/ipa"
	"github.com/racepred/racepred/internal/trace"
)

// TestOnlineIsTheGraph: of histories that are made of parts of a log, nothing that breadth-first
// search of the lockset graph reaches is refused, and of two goroutines nothing else is proposed.
// What is certain is in the graph.
func TestOnlineIsTheGraph(t *testing.T) {
	var n struct{ questions, reachable, proposed, certain, without int }
	for seed := range uint64(500 * *rounds) {
		rng := rand.New(rand.NewPCG(seed, 21))
		f := oracle.Features{RW: seed%2 == 0, NonLIFO: seed%3 > 0, Hard: seed%4 > 1, Fork: seed%5 > 2, Locks: seed%7 > 0}
		evs := oracle.Random(rng, 12+int(seed%24), f)
		g := newGraph(evs)
		g.explore()
		var got *predict.Candidate
		p := ipa.NewOnline(predict.Config{}, func(c predict.Candidate) { got = &c })
		p.Unbounded(seed % 6)
		depth := map[trace.G]int{}
		var accesses []int
		for i := range evs {
			ev := &evs[i]
			if !ev.Kind.Spec().Access {
				p.Event(trace.Seq(i), ev, depth[ev.G])
				switch spec := ev.Kind.Spec(); {
				case spec.Opens:
					depth[ev.G]++
				case spec.Closes:
					depth[ev.G]--
				}
				continue
			}
			for _, j := range accesses {
				if evs[j].G == ev.G || rng.IntN(3) > 0 {
					continue
				}
				got = nil
				without := p.Without()
				p.Pair(predict.Event{Seq: trace.Seq(j), Ev: evs[j]}, predict.Event{Seq: trace.Seq(i), Ev: *ev}, func(g trace.G) int { return depth[g] })
				n.questions++
				want := g.meet[[2]int{j, i}] && !g.ordered(j, i)
				if want {
					n.reachable++
				}
				if p.Without() > without {
					n.without++
					continue
				}
				if want {
					require.NotNil(t, got, "seed %d: %d and %d%s", seed, j+1, i+1, oracletest.Text(evs))
				}
				if got != nil {
					n.proposed++
					if got.Certain {
						n.certain++
					}
					if got.Certain || len(g.gs) == 2 {
						require.True(t, want, "seed %d: %d and %d%s", seed, j+1, i+1, oracletest.Text(evs))
					}
				}
			}
			accesses = append(accesses, i)
		}
	}
	t.Logf("%+v", n)
	require.NotZero(t, n.certain)
	require.Less(t, n.without*10, n.questions)
}
