package hb_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/hb"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/trace/gen"
)

func observe(t *testing.T, text string) (pairs [][2]int) {
	evs, err := trace.Parse(text)
	require.NoError(t, err)
	p := hb.New(predict.Config{}, func(c predict.Candidate) {
		require.Equal(t, predict.Shown, c.Standing)
		require.Equal(t, hb.Name, c.By)
		pairs = append(pairs, [2]int{int(c.First().Ev.Site), int(c.Last().Ev.Site)})
	})
	for i := range evs {
		p.Event(trace.Seq(i), &evs[i])
	}
	return pairs
}

// TestEdges has one case for each way two accesses can be ordered, and its twin without.
func TestEdges(t *testing.T) {
	for name, c := range map[string]struct{ ordered, racing string }{
		"fork": {"g1 write x\n g1 fork g2\n g2 read x", "g1 fork g2\n g1 write x\n g2 read x"},
		"join": {"g2 write x\n g1 join g2\n g1 read x", "g2 write x\n g1 read x\n g1 join g2"},
		"lock": {
			"g1 acquire l\n g1 write x\n g1 release l\n g2 acquire l\n g2 read x",
			"g1 acquire l\n g1 write x\n g1 release l\n g2 acquire m\n g2 read x",
		},
		"a reader before a writer": {
			"g1 racquire l\n g1 read x\n g1 rrelease l\n g2 acquire l\n g2 write x",
			"g1 racquire l\n g1 read x\n g1 rrelease l\n g2 racquire l\n g2 write x",
		},
		"all earlier releases of a lock that is handed over": {
			"g1 acquire l\n g1 write x\n g1 release l\n g2 acquire l\n g3 release l\n g4 acquire l\n g4 read x",
			"g1 acquire l\n g1 write x\n g2 release l\n g3 acquire l\n g3 read x",
		},
		"release and acquire":         {"g1 write x\n g1 hardrelease o\n g2 hardacquire o\n g2 read x", "g1 hardrelease o\n g1 write x\n g2 hardacquire o\n g2 read x"},
		"two releases merged":         {"g1 write x\n g1 hardmerge o\n g2 hardmerge o\n g3 hardacquire o\n g3 read x", "g1 write x\n g1 hardmerge o\n g2 hardrelease o\n g3 hardacquire o\n g3 read x"},
		"a swap acquires":             {"g1 write x\n g1 hardrelease o\n g2 hardswap o\n g2 read x", "g1 write x\n g1 hardrelease p\n g2 hardswap o\n g2 read x"},
		"a swap releases its own":     {"g2 write x\n g2 hardswap o\n g3 hardacquire o\n g3 read x", "g1 write x\n g1 hardrelease o\n g2 hardswap o\n g3 hardacquire o\n g3 read x"},
		"atomics":                     {"g1 write x atomic\n g2 write x atomic", "g1 write x atomic\n g2 read x"},
		"neighbours":                  {"g1 write x:4\n g2 write x+4:4", "g1 write x:4\n g2 write x+3:4"},
		"memory that is used anew":    {"g1 write x\n g2 alloc x\n g2 write x", "g1 write x:16\n g2 alloc x\n g2 write x:16"},
		"an object in reused memory":  {"g1 write x\n g1 hardrelease 9\n g2 hardacquire 9\n g2 read x", "g1 write x\n g1 hardrelease 9\n g3 alloc 8\n g2 hardacquire 9\n g2 read x"},
		"hard sections are just that": {"g1 read x", "g1 racquire l hard\n g1 write x\n g1 rrelease l\n g2 racquire l hard\n g2 write x"},
		"pins order nothing":          {"g1 read x", "g1 write x\n g1 change o\n g2 observe o\n g2 read x"},
	} {
		t.Run(name, func(t *testing.T) {
			require.Empty(t, observe(t, c.ordered))
			require.Len(t, observe(t, c.racing), 1)
		})
	}
}

// TestEveryReaderIsRemembered: a write is reported with each of the reads it races with.
func TestEveryReaderIsRemembered(t *testing.T) {
	require.Equal(t, [][2]int{{2, 4}, {1, 4}}, observe(t, "g1 read x\n g2 read x\n g3 read y\n g4 write x"))
}

func TestEachPairOnce(t *testing.T) {
	text := ""
	for range 100 {
		text += "g1 write x site=1\n g2 read x site=2\n g2 write x site=2\n"
	}
	require.Equal(t, [][2]int{{1, 2}, {1, 2}}, observe(t, text), "write with read, and write with write, which then stands for the read")
}

// TestJoinOfOneLongGone: a goroutine is joined when many others have ended since.
func TestJoinOfOneLongGone(t *testing.T) {
	var races int
	p := hb.New(predict.Config{}, func(predict.Candidate) { races++ })
	seq := trace.Seq(0)
	put := func(ev trace.Event) { p.Event(seq, &ev); seq++ }
	put(trace.Event{Kind: trace.Write, G: 2, Addr: 8, Size: 8})
	put(trace.Event{Kind: trace.End, G: 2})
	for g := trace.G(3); g < 20_000; g++ {
		put(trace.Event{Kind: trace.Fork, G: 1, Other: uint32(g)})
		put(trace.Event{Kind: trace.End, G: g})
	}
	put(trace.Event{Kind: trace.Join, G: 1, Other: 2})
	put(trace.Event{Kind: trace.Read, G: 1, Addr: 8, Size: 8})
	require.Zero(t, races)
}

func TestNoAllocationsInSteadyState(t *testing.T) {
	p, evs := hb.New(predict.Config{}, func(predict.Candidate) {}), gen.Round()
	run := func() {
		for i := range evs {
			p.Event(0, &evs[i])
		}
	}
	for range 100 {
		run()
	}
	require.LessOrEqual(t, testing.AllocsPerRun(100, run), 1.0)
}

func BenchmarkEvents(b *testing.B) {
	p, evs := hb.New(predict.Config{}, func(predict.Candidate) {}), gen.Round()
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

// TestRegressed: clocks that only grow do not fall; one that is made to know less does.
func TestRegressed(t *testing.T) {
	p := hb.New(predict.Config{}, func(predict.Candidate) {})
	var c hb.Clocks
	for i, ev := range gen.Round() {
		p.Event(trace.Seq(i), &ev)
		_, regressed := p.Regressed(&c)
		require.False(t, regressed)
	}
	require.Greater(t, c.Count, uint64(100))
	fresh := hb.New(predict.Config{}, func(predict.Candidate) {})
	for i, ev := range gen.Round()[:8] {
		fresh.Event(trace.Seq(i), &ev)
	}
	_, regressed := fresh.Regressed(&c)
	require.True(t, regressed)
}
