package syncp_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/oracle"
	"github.com/racepred/racepred/internal/oracle/oracletest"
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/syncp"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/trace/gen"
)

func run(evs []trace.Event, cfg predict.Config) (pairs map[oracle.Pair]bool, p *syncp.Predictor) {
	pairs = oracletest.Run(evs, func(sink func(predict.Candidate)) predict.Predictor {
		p = syncp.New(cfg, sink)
		return p
	})
	return pairs, p
}

// TestIsTheDefinition: in traces that have every access, candidates are the sync-preserving races,
// pair by pair; with everything Go has in them, too.
func TestIsTheDefinition(t *testing.T) {
	refused := uint64(0)
	for name, f := range map[string]oracle.Features{
		"paper":                  {},
		"fork and join":          {Fork: true},
		"locks that do not nest": {NonLIFO: true},
		"read mode":              {RW: true, Fork: true},
		"everything":             oracle.All,
	} {
		t.Run(name, func(t *testing.T) {
			races := 0
			for seed := range uint64(400) {
				evs := oracle.Random(rand.New(rand.NewPCG(seed, 41)), 10+int(seed%24), f)
				truth := oracle.ExploreInOrder(evs, 200_000)
				if !truth.Complete {
					continue
				}
				got, p := run(evs, predict.Config{Complete: true})
				for pair := range got {
					require.True(t, truth.Races[pair], "seed %d: %v is not sync-preserving%s", seed, pair, oracletest.Text(evs))
				}
				for pair := range truth.Races {
					require.True(t, got[pair], "seed %d: %v is missed%s", seed, pair, oracletest.Text(evs))
				}
				races += len(got)
				for _, r := range p.Rules() {
					if r.Name == "closures that reach an access" {
						refused += r.Fired
					}
				}
			}
			t.Logf("%d races; %d closures reached an access so far", races, refused)
			require.NotZero(t, races)
		})
	}
	require.NotZero(t, refused)
}

// TestLockOrder is (S2): a section that would have to end with an access in it, and twins.
func TestLockOrder(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want bool
	}{
		"the section of the access would have to end":      {"g1 acquire l\n g1 write x\n g1 release l\n g2 acquire l\n g2 release l\n g2 write x", false},
		"it is another lock's":                             {"g1 acquire l\n g1 write x\n g1 release l\n g2 acquire m\n g2 release m\n g2 write x", true},
		"read mode":                                        {"g1 racquire l\n g1 write x\n g1 rrelease l\n g2 racquire l\n g2 rrelease l\n g2 write x", true},
		"read before write mode":                           {"g1 racquire l\n g1 write x\n g1 rrelease l\n g2 acquire l\n g2 release l\n g2 write x", false},
		"through a third":                                  {"g1 acquire m\n g1 acquire l\n g1 release l\n g1 write x\n g1 release m\n g2 acquire l\n g2 acquire m\n g2 release m\n g2 release l\n g2 write x", false},
		"ends before the access anyway":                    {"g1 acquire l\n g1 release l\n g1 write x\n g2 acquire l\n g2 release l\n g2 write x", true},
		"the earlier section comes in last":                {"g1 acquire l\n g1 write y\n g1 write x\n g1 release l\n g2 acquire l\n g2 release l\n g3 read y\n g2 write x", false},
		"never released":                                   {"g1 racquire l\n g1 write x\n g2 acquire m\n g2 release m\n g2 write x", true},
		"an inner read section ends, the outer stays open": {"g1 racquire l\n g1 racquire l\n g1 rrelease l\n g1 write x\n g1 rrelease l\n g2 acquire l\n g2 release l\n g2 write x", false},
	} {
		t.Run(name, func(t *testing.T) {
			evs, err := trace.Parse(c.text)
			require.NoError(t, err)
			for _, complete := range []bool{false, true} {
				got, _ := run(evs, predict.Config{Complete: complete})
				found := false
				for p := range got {
					found = found || p[1] == len(evs)-1
				}
				require.Equal(t, c.want, found, "complete %v", complete)
			}
		})
	}
}

// TestBounds: sections that are forgotten make candidates, which is counted; the rest is still
// looked at.
func TestBounds(t *testing.T) {
	defer syncp.SetMaxSections(8)()
	var b strings.Builder
	b.WriteString("g1 acquire l\n g1 write x\n g1 release l\n g2 acquire l\n g2 release l\n")
	many := strings.Repeat("g1 acquire m\n g1 release m\n g2 acquire m\n g2 release m\n", 40)
	evs, err := trace.Parse(b.String() + "g2 write x\n" + many)
	require.NoError(t, err)
	got, p := run(evs, predict.Config{})
	require.Empty(t, got)
	require.NotZero(t, p.Stats().Evicted)
	evs, err = trace.Parse(b.String() + many + "g2 write x\n")
	require.NoError(t, err)
	got, _ = run(evs, predict.Config{})
	require.Len(t, got, 1)
}

// TestMemoryIsBounded: with everything it keeps at its bound, the predictor allocates next to
// nothing.
func TestMemoryIsBounded(t *testing.T) {
	defer syncp.SetMaxSections(1 << 10)()
	p, evs := syncp.New(predict.Config{}, func(predict.Candidate) {}), gen.Round()
	run := func() {
		for i := range evs {
			p.Event(0, &evs[i])
		}
	}
	for range 200 {
		run()
	}
	require.LessOrEqual(t, testing.AllocsPerRun(100, run), 8.0)
}

func BenchmarkEvents(b *testing.B) {
	p, evs := syncp.New(predict.Config{}, func(predict.Candidate) {}), gen.Round()
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		for i := range evs {
			p.Event(0, &evs[i])
		}
		n += len(evs)
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "events/s")
}
