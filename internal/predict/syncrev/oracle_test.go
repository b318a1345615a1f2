package syncrev_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/goal"
	"github.com/racepred/racepred/internal/oracle"
	"github.com/racepred/racepred/internal/oracle/oracletest"
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/hb"
	"github.com/racepred/racepred/internal/predict/ipa"
	"github.com/racepred/racepred/internal/predict/lockset"
	"github.com/racepred/racepred/internal/predict/shb"
	"github.com/racepred/racepred/internal/predict/syncp"
	"github.com/racepred/racepred/internal/predict/syncrev"
	"github.com/racepred/racepred/internal/predict/wcp"
	"github.com/racepred/racepred/internal/predictors"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/witness"
)

func newSHB(sink func(predict.Candidate)) predict.Predictor {
	return shb.New(predict.Config{Complete: true}, sink)
}
func newSyncP(sink func(predict.Candidate)) predict.Predictor {
	return syncp.New(predict.Config{Complete: true, PerClass: 8}, sink)
}
func newLockset(sink func(predict.Candidate)) predict.Predictor {
	return lockset.New(predict.Config{}, sink)
}
func newIPA(sink func(predict.Candidate)) predict.Predictor { return ipa.New(predict.Config{}, sink) }

// newDefault is those that run when nothing is said, on one memory of accesses.
func newDefault(sink func(predict.Candidate)) predict.Predictor {
	s, err := predictors.New([]string{"hb", "wcp", "ipa"}, predict.Config{}, sink)
	if err != nil {
		panic(err)
	}
	return set{s}
}

// set is a predictors.Set as a predictor.
type set struct{ *predictors.Set }

func (s set) Event(seq trace.Seq, ev *trace.Event) { s.Set.Event(seq, ev) }

func newHB(sink func(predict.Candidate)) predict.Predictor  { return hb.New(predict.Config{}, sink) }
func newWCP(sink func(predict.Candidate)) predict.Predictor { return wcp.New(predict.Config{}, sink) }

// newAll is a predictor for traces that have every access.
func newAll(sink func(predict.Candidate)) predict.Predictor {
	return syncrev.New(predict.Config{Complete: true}, sink)
}

// kinds of random traces.
var kinds = []struct {
	name string
	f    oracle.Features
}{
	{"paper", oracle.Features{}},
	{"fork and join", oracle.Features{Fork: true}},
	{"locks that do not nest", oracle.Features{NonLIFO: true}},
	{"read mode", oracle.Features{RW: true, Fork: true}},
	{"everything", oracle.All},
}

// TestComplete: what is sync-preserving by definition is a candidate and has a witness, in traces
// that have every access.
func TestComplete(t *testing.T) {
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			var races, searched, candidates, found int
			for seed := range uint64(200) {
				evs := oracle.Random(rand.New(rand.NewPCG(seed, 21)), 10+int(seed%24), kind.f)
				truth := oracle.ExploreInOrder(evs, 200_000)
				if !truth.Complete {
					continue
				}
				got := oracletest.Run(evs, newAll)
				f := witness.New(evs, witness.Options{})
				for p := range truth.Races {
					require.True(t, got[p], "seed %d: %v is no candidate%s", seed, p, oracletest.Text(evs))
					a := f.Find(goal.RaceOf(int32(p[0]), int32(p[1])))
					require.Equal(t, witness.Feasible, a.Verdict, "seed %d: %v: %s%s", seed, p, a.Reason, oracletest.Text(evs))
					if a.States > 0 {
						searched++
					}
				}
				for p := range got {
					if f.Find(goal.RaceOf(int32(p[0]), int32(p[1]))).Verdict == witness.Feasible {
						found++
					}
				}
				races += len(truth.Races)
				candidates += len(got)
			}
			t.Logf("%d sync-preserving races, %d of them took a search; %d candidates, %d with a witness", races, searched, candidates, found)
			require.NotZero(t, races)
			require.Zero(t, searched, "the closure loses some")
			require.Greater(t, found*100, candidates*60, "too many candidates for nothing")
		})
	}
}
