package lockset_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/oracle"
	"github.com/racepred/racepred/internal/oracle/oracletest"
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/lockset"
	"github.com/racepred/racepred/internal/trace"
)

func run(evs []trace.Event) map[oracle.Pair]bool {
	return oracletest.Run(evs, func(sink func(predict.Candidate)) predict.Predictor { return lockset.New(predict.Config{}, sink) })
}

// TestNoRaceIsLost: every later access of a predictable race is one of a candidate's.
func TestNoRaceIsLost(t *testing.T) {
	for name, f := range map[string]oracle.Features{
		"paper":         {},
		"fork and join": {Fork: true},
		"read mode":     {RW: true, Fork: true, NonLIFO: true},
		"everything":    oracle.All,
	} {
		t.Run(name, func(t *testing.T) {
			races, candidates := 0, 0
			for seed := range uint64(400) {
				evs := oracle.Random(rand.New(rand.NewPCG(seed, 44)), 10+int(seed%20), f)
				truth := oracle.Explore(evs, 200_000)
				got := map[int]bool{}
				for p := range run(evs) {
					got[p[1]] = true
				}
				candidates += len(got)
				seen := map[int]bool{}
				for p := range truth.Races {
					if !seen[p[1]] {
						seen[p[1]] = true
						races++
					}
					var b strings.Builder
					trace.Print(&b, evs)
					require.True(t, got[p[1]], "seed %d: %v is lost\n%s", seed, p, b.String())
				}
			}
			t.Logf("%d accesses race, %d are candidates", races, candidates)
			require.NotZero(t, races)
		})
	}
}

// TestRules has a pair that is left out for each rule, and its twin.
func TestRules(t *testing.T) {
	for name, c := range map[string]struct{ not, candidate string }{
		"L1":            {"g1 acquire l\n g1 write x\n g1 release l\n g2 acquire l\n g2 write x\n g2 release l", "g1 acquire l\n g1 write x\n g1 release l\n g2 acquire m\n g2 write x\n g2 release m"},
		"L1 read mode":  {"g1 racquire l\n g1 write x\n g1 rrelease l\n g2 acquire l\n g2 write x", "g1 racquire l\n g1 write x\n g1 rrelease l\n g2 racquire l\n g2 write x"},
		"L2 fork":       {"g1 write x\n g1 fork g2\n g2 write x", "g1 fork g2\n g1 write x\n g2 write x"},
		"L2 join":       {"g1 write x\n g2 join g1\n g2 write x", "g1 write x\n g2 write x\n g2 join g1"},
		"L2 hard edge":  {"g1 write x\n g1 hardmerge o\n g2 hardacquire o\n g2 write x", "g1 write x\n g1 hardmerge o\n g2 hardacquire p\n g2 write x"},
		"no lock order": {"g1 read x\n g2 read x", "g1 write x\n g1 acquire l\n g1 release l\n g2 acquire l\n g2 release l\n g2 write x"},
		"no reads-from": {"g1 write x\n g1 write y\n g1 alloc x\n g2 write x", "g1 write x\n g1 write y\n g2 read y atomic\n g2 write x"},
		"a new life":    {"g1 write x\n g3 alloc x\n g2 write x", "g1 write x\n g3 alloc y\n g2 write x"},
	} {
		t.Run(name, func(t *testing.T) {
			for text, want := range map[string]bool{c.not: false, c.candidate: true} {
				evs, err := trace.Parse(text)
				require.NoError(t, err)
				found := false
				for p := range run(evs) {
					found = found || evs[p[0]].Addr == 0x1000
				}
				require.Equal(t, want, found, text)
			}
		})
	}
}
