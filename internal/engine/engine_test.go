package engine_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/engine"
	"github.com/racepred/racepred/internal/oracle"
	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/trace"
)

func parse(t *testing.T, text string) []trace.Event {
	evs, err := trace.Parse(text)
	require.NoError(t, err)
	return evs
}

func feed(cfg engine.Config, evs []trace.Event) (found []engine.Finding, stats engine.Stats) {
	e := engine.New(cfg, func(f engine.Finding) { found = append(found, f) })
	for _, ev := range evs {
		e.Event(ev)
	}
	e.Flush()
	return found, e.Stats()
}

const fig1b = `
	g1 write y
	g1 acquire l
	g1 read x
	g1 release l
	g2 acquire l
	g2 read x
	g2 release l
	g2 read y`

func TestPredictedHasAWitness(t *testing.T) {
	found, stats := feed(engine.Config{}, parse(t, fig1b))
	require.Len(t, found, 1)
	f := found[0]
	require.Equal(t, report.Predicted, f.Verdict)
	require.Equal(t, []string{"wcp"}, f.By)
	require.Equal(t, trace.Seq(0), f.First().Seq)
	require.Equal(t, trace.Seq(7), f.Last().Seq)
	require.Len(t, f.Witness, 3, "g2's section, and nothing of g1")
	require.Equal(t, uint64(1), stats.Predicted)
	require.Equal(t, uint64(8), stats.Events)
}

// A section that is open at the second access has to end before the first one's begins.
const endsAfter = `
	g1 acquire l
	g1 write x
	g1 write y
	g1 release l
	g2 acquire l
	g2 acquire m
	g2 write z
	g2 release m
	g3 acquire m
	g3 read z
	g3 write z
	g3 release m
	g3 write x
	g2 write y
	g2 release l`

func TestSchedulesGoBeyondTheSecondAccess(t *testing.T) {
	found, stats := feed(engine.Config{Predictors: []string{"lockset"}}, parse(t, endsAfter))
	require.Zero(t, stats.Infeasible)
	require.Len(t, found, 1)
	require.Equal(t, report.Predicted, found[0].Verdict)
	require.Equal(t, []trace.Seq{1, 12}, []trace.Seq{found[0].First().Seq, found[0].Last().Seq})
}

// TestWhatIsInfeasibleForNow: a run that goes on may still end a section. Only at the end of the
// run is it certain that it does not.
func TestWhatIsInfeasibleForNow(t *testing.T) {
	evs := parse(t, endsAfter)
	evs = evs[:len(evs)-1]
	for _, ended := range []bool{false, true} {
		var found []engine.Finding
		e := engine.New(engine.Config{Predictors: []string{"lockset"}}, func(f engine.Finding) { found = append(found, f) })
		for _, ev := range evs {
			e.Event(ev)
		}
		if ended {
			e.Ended()
		}
		e.Flush()
		if stats := e.Stats(); ended {
			require.Equal(t, []uint64{1, 0}, []uint64{stats.Infeasible, stats.Unknown})
			continue
		}
		require.Len(t, found, 1)
		require.Equal(t, report.Possible, found[0].Verdict)
		require.Contains(t, found[0].Note, "did after it")
	}
}

// TestLockThatAnotherGoroutineEnded: a finding does not list a lock that another goroutine gave
// back before the access, and lists one that it gave back later.
func TestLockThatAnotherGoroutineEnded(t *testing.T) {
	for name, c := range map[string]struct {
		before, after string
		want          []trace.Site // of the acquires
	}{
		"never":                {"", "", []trace.Site{2, 3}},
		"before":               {"g2 release a", "", []trace.Site{3}},
		"after":                {"", "g2 release a", []trace.Site{2, 3}},
		"again":                {"g2 release a\ng1 acquire a\ng2 release a", "", []trace.Site{3}},
		"again, and held":      {"g2 release a\ng1 acquire a", "", []trace.Site{3, 5}},
		"again, once after":    {"g2 release a\ng1 acquire a", "g2 release a", []trace.Site{3, 5}},
		"a read within a read": {"g1 racquire c\ng1 racquire c\ng2 rrelease c\ng1 rrelease c", "", []trace.Site{2, 3}},
		"after more sections":  {"g2 release a\ng1 acquire c\ng1 release c", "", []trace.Site{3}},
	} {
		found, _ := feed(engine.Config{}, parse(t, "g1 fork g2\ng1 acquire a\ng1 acquire b\n"+c.before+"\ng1 write x\ng1 release b\n"+c.after+"\ng2 write x"))
		require.Len(t, found, 1, name)
		var sites []trace.Site
		for _, acquire := range found[0].First().Locks {
			sites = append(sites, acquire.Site)
		}
		require.Equal(t, c.want, sites, name)
	}
}

// TestHandOversAgainAndAgain: to look for the sections of a goroutine whose locks others have given
// back takes no longer after many of them.
func TestHandOversAgainAndAgain(t *testing.T) {
	const n = 300_000
	e := engine.New(engine.Config{}, func(engine.Finding) {})
	e.Event(trace.Event{Kind: trace.Fork, G: 1, Other: 2})
	for i := range n {
		e.Event(trace.Event{Kind: trace.Acquire, G: 1, Addr: trace.Addr(0x1000 + i%16*8)})
		e.Event(trace.Event{Kind: trace.Release, G: 2, Addr: trace.Addr(0x1000 + i%16*8)})
	}
	e.Event(trace.Event{Kind: trace.Acquire, G: 1, Addr: 0x2000})
	held := 0
	e.Holding(func(trace.G, trace.Addr, bool, trace.Seq) { held++ })
	require.Equal(t, 1, held)
	require.Len(t, e.Present(trace.Event{Kind: trace.Write, G: 1}).Locks, 1)
}

func TestAccessesSayLocksForksAndTests(t *testing.T) {
	found, _ := feed(engine.Config{}, parse(t, `
		g1 testbegin 1
		g1 fork g2
		g1 testbegin 2
		g1 acquire a
		g1 racquire b
		g1 acquire c
		g1 release c
		g1 write x
		g1 rrelease b
		g1 release a
		g2 acquire c
		g2 write x`))
	require.Len(t, found, 1)
	f := found[0]
	require.Equal(t, report.Observed, f.Verdict)
	require.Equal(t, uint32(2), f.First().Test)
	require.Equal(t, uint32(1), f.Last().Test, "the test that ran when the goroutine was created")
	require.Equal(t, trace.Event{}, f.First().Fork)
	require.Equal(t, trace.Site(2), f.Last().Fork.Site)
	sites := func(evs []trace.Event) (s []trace.Site) {
		for _, ev := range evs {
			s = append(s, ev.Site)
		}
		return s
	}
	require.Equal(t, []trace.Site{4, 5}, sites(f.First().Locks))
	require.Equal(t, []trace.Site{11}, sites(f.Last().Locks))
}

// TestOncePerRun: the same two positions race a thousand times.
func TestOncePerRun(t *testing.T) {
	var evs []trace.Event
	for range 1000 {
		evs = append(evs, parse(t, `
			g1 write y site=1
			g1 acquire l
			g1 release l
			g2 acquire l
			g2 release l
			g2 read y site=2
			g3 write z site=3
			g4 write z site=4`)...)
	}
	found, _ := feed(engine.Config{}, evs)
	require.Len(t, found, 2)
	for _, f := range found { // 1 and 2 are observed as well, the second time round
		require.Equal(t, report.Observed, f.Verdict)
	}
}

// TestUncertainReads: a witness that needs a read of racing bytes is not claimed.
func TestUncertainReads(t *testing.T) {
	text := `
		g1 write f
		g2 read f
		g2 write y
		g2 acquire l
		g2 release l
		g3 acquire l
		g3 release l
		g3 read y`
	found, _ := feed(engine.Config{}, parse(t, text))
	require.Len(t, found, 2)
	require.Equal(t, report.Observed, found[0].Verdict)
	require.Equal(t, report.Possible, found[1].Verdict)
	require.Contains(t, found[1].Note, "uncertain")

	found, _ = feed(engine.Config{}, parse(t, strings.ReplaceAll(text, "g1 write f\n", "")))
	require.Len(t, found, 1)
	require.Equal(t, report.Predicted, found[0].Verdict)
}

// TestWindow: an access that has left the window is still observed, but no longer predicted.
func TestWindow(t *testing.T) {
	evs := parse(t, "g1 write y\ng1 acquire l\ng1 release l\ng3 write z")
	filler := trace.Event{Kind: trace.Write, G: 4, Addr: 0x9000, Size: 8, Site: 99}
	for range 100_000 {
		evs = append(evs, filler)
	}
	evs = append(evs, parse(t, "g2 acquire l site=7\ng2 release l site=8\ng2 read y site=9\ng2 read z site=10")...)
	for i := range evs[len(evs)-4:] {
		evs[len(evs)-4+i].Addr = []trace.Addr{0x1000, 0x1000, 0x1000, 0x1040}[i]
	}
	found, stats := feed(engine.Config{Window: 40_000}, evs)
	require.Len(t, found, 2)
	require.Equal(t, report.Observed, found[0].Verdict)
	require.Equal(t, report.Possible, found[1].Verdict)
	require.Contains(t, found[1].Note, "too long ago")
	require.Equal(t, []uint64{1, 1}, []uint64{stats.Unknown, stats.TooFar})

	found, _ = feed(engine.Config{}, evs)
	require.Equal(t, report.Predicted, found[1].Verdict)
}

// TestSoundness: what is observed is so by definition, what is predicted is a race of the oracle's.
func TestSoundness(t *testing.T) {
	var observed, predicted, possible int
	for seed := range uint64(1000) {
		f := oracle.All
		f.Lists = seed%2 == 0
		evs := oracle.Random(rand.New(rand.NewPCG(seed, 5)), 10+int(seed%18), f)
		truth := oracle.Explore(evs, 200_000)
		if !truth.Complete {
			continue
		}
		hb := oracle.HB(evs).Races(evs)
		found, _ := feed(engine.Config{}, evs)
		for _, f := range found {
			p := oracle.Pair{int(f.First().Seq), int(f.Last().Seq)}
			switch f.Verdict {
			case report.Observed:
				require.True(t, hb[p], "seed %d: %v", seed, p)
				observed++
			case report.Predicted:
				require.True(t, truth.Races[p], "seed %d: %v", seed, p)
				require.False(t, hb[p], "seed %d: %v was observed", seed, p)
				predicted++
			case report.Possible:
				possible++
			}
		}
	}
	t.Logf("%d observed, %d predicted, %d possible", observed, predicted, possible)
	require.NotZero(t, predicted)
}

// million is a run of n events: workers take turns in sections of a few locks, over variables of
// their own and shared ones.
func million(n int) []trace.Event {
	rng := rand.New(rand.NewPCG(1, 1))
	const workers = 8
	evs := make([]trace.Event, 0, n+workers)
	for g := range trace.G(workers) {
		evs = append(evs, trace.Event{Kind: trace.Fork, G: 1, Other: uint32(g + 2)})
	}
	for len(evs) < n {
		g := trace.G(2 + rng.IntN(workers))
		l := trace.Addr(rng.IntN(50))
		evs = append(evs, trace.Event{Kind: trace.Acquire, G: g, Addr: 0x10_0000 + 8*l, Site: 1})
		for range 6 {
			e := trace.Event{Kind: trace.Read, G: g, Size: 8, Site: 2, Addr: 0x20_0000 + l<<12 + 8*trace.Addr(rng.IntN(400))}
			if rng.IntN(3) == 0 {
				e.Kind, e.Site = trace.Write, 3
			}
			evs = append(evs, e)
		}
		evs = append(evs, trace.Event{Kind: trace.Release, G: g, Addr: 0x10_0000 + 8*l, Site: 4})
		for range 6 {
			evs = append(evs, trace.Event{Kind: trace.Write, G: g, Size: 8, Site: 5, Addr: 0x40_0000 + trace.Addr(g)<<16 + 8*trace.Addr(rng.IntN(2000))})
		}
	}
	return evs
}

func BenchmarkEngine(b *testing.B) {
	evs := million(1 << 20)
	for _, names := range [][]string{{}, {"shb"}, {"lockset"}, {"wcp"}, {"syncp"}, {"syncrev"}, {"wcp", "syncp"}} {
		b.Run("predictors="+strings.Join(append([]string{"hb"}, names...), "+"), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				e := engine.New(engine.Config{Predictors: names}, func(engine.Finding) {})
				for i := range evs {
					e.Event(evs[i])
				}
				e.Flush()
			}
			b.ReportMetric(float64(len(evs))*float64(b.N)/b.Elapsed().Seconds(), "events/s")
		})
	}
}

// syncPreserving is a race that WCP orders by rule (a); the writes of b need not both happen.
const syncPreserving = `
	g1 write a
	g1 acquire l
	g1 write b
	g1 release l
	g2 acquire l
	g2 write b
	g2 release l
	g2 write a`

// TestPredictors: a predictor that is not asked for finds nothing, one that is says so.
func TestPredictors(t *testing.T) {
	evs := parse(t, syncPreserving)
	found, _ := feed(engine.Config{Predictors: []string{"wcp"}}, evs)
	require.Empty(t, found)
	found, _ = feed(engine.Config{}, evs)
	require.Len(t, found, 1)
	require.Equal(t, []string{"ipa"}, found[0].By)
	found, _ = feed(engine.Config{Predictors: []string{"syncp"}}, evs)
	require.Len(t, found, 1)
	require.Equal(t, report.Predicted, found[0].Verdict)
	require.Equal(t, []string{"syncp"}, found[0].By)

	found, stats := feed(engine.Config{Predictors: []string{"shb", "syncrev", "syncp", "lockset", "wcp"}}, parse(t, fig1b))
	require.Len(t, found, 1)
	require.Equal(t, []string{"wcp", "lockset", "syncp", "syncrev"}, found[0].By, "all propose it, and it is looked into once")
	require.Equal(t, uint64(1), stats.Candidates)
	require.Panics(t, func() { feed(engine.Config{Predictors: []string{"eraser"}}, nil) })
}
