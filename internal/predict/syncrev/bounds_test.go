package syncrev_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/oracle"
	"github.com/racepred/racepred/internal/oracle/oracletest"
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/mustorder"
	"github.com/racepred/racepred/internal/predict/syncrev"
	"github.com/racepred/racepred/internal/trace"
)

// TestPerClass counts what it costs to keep few accesses of a class, mustorder/R1: pairs of source
// positions that race without turning sections round and of which no instance is a candidate with a
// witness. Every access of a kind, variable and goroutine is at one position.
func TestPerClass(t *testing.T) {
	type positions [2]trace.Site
	lost := map[int]int{1: 0, 2: 0, 8: 0}
	races := 0
	for seed := range uint64(300) {
		evs := oracle.Random(rand.New(rand.NewPCG(seed, 23)), 20+int(seed%14), oracle.Features{})
		for i := range evs {
			evs[i].Site = trace.Site(evs[i].G)<<16 | trace.Site(evs[i].Addr)<<1 | trace.Site(evs[i].Kind)&1
		}
		truth := oracle.ExploreInOrder(evs, 200_000)
		if !truth.Complete {
			continue
		}
		at := func(pairs map[oracle.Pair]bool) map[positions]bool {
			all := map[positions]bool{}
			for p := range pairs {
				a, b := evs[p[0]].Site, evs[p[1]].Site
				all[positions{min(a, b), max(a, b)}] = true
			}
			return all
		}
		want := at(truth.Races)
		races += len(want)
		for n := range lost {
			got := at(proven(evs, oracletest.Run(evs, func(f func(predict.Candidate)) predict.Predictor {
				return syncrev.New(predict.Config{Complete: true, PerClass: n}, f)
			})))
			for p := range want {
				if !got[p] {
					lost[n]++
				}
			}
		}
	}
	t.Logf("%d pairs of positions race; lost by accesses per class: %v", races, lost)
	require.LessOrEqual(t, lost[mustorder.DefaultPerClass]*100, races)
	require.Less(t, lost[8]*1000, races)
}
