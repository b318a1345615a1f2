package syncrev_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/syncrev"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/trace/gen"
)

func candidates(t *testing.T, cfg predict.Config, text string) (list []predict.Candidate) {
	evs, err := trace.Parse(text)
	require.NoError(t, err)
	p := syncrev.New(cfg, func(c predict.Candidate) {
		require.Equal(t, syncrev.Name, c.By)
		list = append(list, c)
	})
	for i := range evs {
		p.Event(trace.Seq(i), &evs[i])
	}
	return list
}

// between puts text between a write of y on g1 and one on g2, and says whether they are a
// candidate.
func between(t *testing.T, cfg predict.Config, text string) bool {
	for _, c := range candidates(t, cfg, "g1 write y site=1000\n"+text+"\ng2 write y site=1001") {
		if c.First().Ev.Site == 1000 && c.Last().Ev.Site == 1001 {
			return true
		}
	}
	return false
}

// TestRules has one case for each rule that leaves a pair out, and its twin that does not.
func TestRules(t *testing.T) {
	for name, c := range map[string]struct{ ordered, not string }{
		"M1 fork":               {"g1 fork g2", "g1 fork g3"},
		"M1 join":               {"g2 join g1", "g2 join g3"},
		"M1 join after the end": {"g1 end\n g2 join g1", "g1 end\n g2 join g3"},
		"M2":                    {"g1 hardmerge o\n g2 hardacquire o", "g1 hardmerge o\n g2 hardacquire p"},
		"M2 merged":             {"g1 hardmerge o\n g3 hardmerge o\n g2 hardacquire o", "g1 hardmerge o\n g3 hardrelease o\n g2 hardacquire o"},
		"M2 through a swap":     {"g1 hardrelease o\n g3 hardswap o\n g2 hardacquire o", "g1 hardrelease o\n g3 hardswap p\n g2 hardacquire p"},
		"M2 not with the lock before it": {
			"g1 acquire l\n g1 release l hard\n g1 hardrelease o\n g3 hardacquire o\n g3 hardrelease p\n g2 hardacquire p",
			"g1 acquire l\n g1 release l\n g3 acquire l\n g3 release l\n g3 hardrelease p\n g2 hardacquire p",
		},
		"M3":                         {"g1 write x\n g2 read x", "g1 write x\n g3 write x\n g2 read x"},
		"M3 by bytes":                {"g1 write x\n g3 write x:4\n g2 read x+3:2", "g1 write x\n g3 write x:4\n g2 read x:4"},
		"M3 a whole page":            {"g1 write 0x10000:8192\n g2 read 0x10ff8:16", "g1 write 0x10000:8192\n g3 write 0x10000:8192\n g2 read 0x10ff8:16"},
		"M3 from a page":             {"g1 write 0x10000:8192\n g3 write 0x10ff8:8\n g2 read 0x10ff0:16", "g1 write 0x10000:8192\n g3 write 0x10ff8:8\n g2 read 0x10ff8:8"},
		"M3 a page":                  {"g1 write 0x10008:8\n g2 read 0x10000:8192", "g1 write 0x10008:8\n g3 write 0x10000:8192\n g2 read 0x10000:8192"},
		"M3 allocated":               {"g1 alloc x\n g2 read x", "g1 alloc x\n g2 write x"},
		"M4 the later is hard":       {"g1 acquire l\n g1 release l\n g2 acquire l hard", "g1 acquire l\n g1 release l\n g2 acquire l"},
		"M4 the earlier is hard":     {"g1 acquire l hard\n g1 release l\n g2 acquire l", "g1 acquire l hard\n g1 release l\n g2 acquire m"},
		"M5 a hand-over":             {"g1 acquire l\n g2 release l", "g3 acquire l\n g2 release l"},
		"M5 tryfail":                 {"g1 acquire l\n g2 tryfail l", "g1 acquire l\n g2 tryfail m"},
		"M5 tryfail without holders": {"g1 acquire l\n g1 release l\n g2 tryfail l", "g1 acquire l\n g1 release l\n g3 acquire l\n g2 tryfail l"},
		"M6 change":                  {"g1 change o\n g2 observe o", "g1 observe o\n g2 change o"},
		"M6 changes":                 {"g1 change o\n g2 change o", "g1 change o\n g2 change p"},
		"M6 opaque": {
			"g1 acquire l\n g1 opaque\n g1 release l\n g2 acquire l\n g2 opaque\n g2 release l",
			"g1 racquire l\n g1 opaque\n g1 rrelease l\n g2 racquire l\n g2 opaque\n g2 rrelease l",
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, complete := range []bool{false, true} {
				require.False(t, between(t, predict.Config{Complete: complete}, c.ordered), "ordered; complete %v", complete)
				require.True(t, between(t, predict.Config{Complete: complete}, c.not), "not ordered; complete %v", complete)
			}
		})
	}
}

// TestLocks is mustorder/M8: two writes, each in a section.
func TestLocks(t *testing.T) {
	pair := func(first, second string) bool {
		return len(candidates(t, predict.Config{}, first+"\n"+second)) > 0
	}
	in := func(g, lock, mode string) string {
		return strings.NewReplacer("G", g, "L", lock, "MODE", mode).Replace("G MODEacquire L\n G write x\n G MODErelease L")
	}
	require.False(t, pair(in("g1", "l", ""), in("g2", "l", "")))
	require.True(t, pair(in("g1", "l", ""), in("g2", "m", "")))
	require.False(t, pair(in("g1", "l", "r"), in("g2", "l", "")))
	require.False(t, pair(in("g1", "l", ""), in("g2", "l", "r")))
	require.True(t, pair(in("g1", "l", "r"), in("g2", "l", "r")))

	handed := "g1 acquire l\n g1 write x\n g3 release l"
	require.True(t, pair(handed, in("g2", "l", "")), "g3 may release before g1 writes")
	require.False(t, pair(handed+"\n g3 acquire l\n g3 write y\n g3 release l", strings.ReplaceAll(in("g4", "l", ""), "x", "y")))

	notNested := "g1 acquire l\n g1 acquire m\n g1 release l\n g1 write x\n g1 release m"
	require.True(t, pair(notNested, in("g2", "l", "")))
	require.False(t, pair(notNested, in("g2", "m", "")))
}

// TestSpans: in a recording, a read of what a span wrote comes after the span's end. In a complete
// trace it may come at once.
func TestSpans(t *testing.T) {
	pair := func(cfg predict.Config, text string) bool {
		got := candidates(t, cfg, text)
		return slices.ContainsFunc(got, func(c predict.Candidate) bool { return c.First().Ev.Addr == 0x1040 })
	}
	text := "g1 write x\n g1 write y\n g2 read x\n g2 write y"
	require.False(t, pair(predict.Config{}, text))
	require.True(t, pair(predict.Config{Complete: true}, text))
	require.True(t, pair(predict.Config{}, strings.Replace(text, "g1 write y", "g1 acquire l\n g1 write y", 1)))
}

// TestOrdered: what happens-before leaves unordered is no prediction.
func TestOrdered(t *testing.T) {
	for text, want := range map[string]bool{
		"g1 write x\n g2 write x": false,
		"g1 write x\n g1 acquire l\n g1 release l\n g2 acquire l\n g2 write x":    true,
		"g1 write x\n g1 racquire l\n g1 rrelease l\n g2 racquire l\n g2 write x": false,
		"g1 write x\n g1 racquire l\n g1 rrelease l\n g2 acquire l\n g2 write x":  true,
	} {
		got := candidates(t, predict.Config{}, text)
		require.Len(t, got, 1)
		require.Equal(t, want, got[0].Standing == predict.Hidden, text)
	}
}

func TestAllocStartsANewLife(t *testing.T) {
	require.Empty(t, candidates(t, predict.Config{}, "g1 write x\n g3 alloc x\n g2 write x"))
	require.Len(t, candidates(t, predict.Config{}, "g1 write x:4\n g3 alloc x+4:4\n g2 write x:8"), 1)
	require.Len(t, candidates(t, predict.Config{}, "g1 write 0x10000:4096\n g3 alloc 0x10008:8\n g2 write 0x10010:8"), 1)
	require.Empty(t, candidates(t, predict.Config{}, "g1 write 0x10000:4096\n g3 alloc 0x10008:8\n g2 write 0x10008:8"))
}

// TestSomeOfManyInstances: a pair comes up a thousand times, a few are given out.
func TestSomeOfManyInstances(t *testing.T) {
	text := ""
	for range 1000 {
		text += "g1 write x site=1\n g1 acquire l\n g1 release l\n g2 acquire l\n g2 release l\n g2 read x site=2\n"
	}
	n := len(candidates(t, predict.Config{}, text))
	require.Greater(t, n, 4)
	require.LessOrEqual(t, n, 32)
}

// TestBounds: a word that is accessed at very many places loses some, and says so; a class keeps
// its newest.
func TestBounds(t *testing.T) {
	p := syncrev.New(predict.Config{}, func(predict.Candidate) {})
	for i := range 200 {
		p.Event(trace.Seq(i), &trace.Event{Kind: trace.Write, G: 1, Addr: 64, Size: 8, Site: trace.Site(i + 1)})
	}
	require.Equal(t, uint64(200-64), p.Stats().Evicted)

	text := ""
	for i := range 10 {
		text += fmt.Sprintf("g1 write x site=1\n g1 acquire l site=%d\n g1 release l site=2\n", 100+i)
	}
	got := candidates(t, predict.Config{PerClass: 3}, text+"g2 write x site=3")
	require.Len(t, got, 3)
	for _, c := range got {
		require.GreaterOrEqual(t, c.First().Seq, trace.Seq(21))
	}
}

func TestNoAllocationsInSteadyState(t *testing.T) {
	p, evs := syncrev.New(predict.Config{}, func(predict.Candidate) {}), gen.Round()
	run := func() {
		for i := range evs {
			p.Event(0, &evs[i])
		}
	}
	for range 200 {
		run()
	}
	require.LessOrEqual(t, testing.AllocsPerRun(100, run), 1.0)
}

// TestWideAccessesAreCheap: ten thousand copies of a megabyte keep a few records a page.
func TestWideAccessesAreCheap(t *testing.T) {
	p := syncrev.New(predict.Config{}, func(predict.Candidate) {})
	for i := range 10_000 {
		p.Event(trace.Seq(2*i), &trace.Event{Kind: trace.Write, G: 1, Addr: 0x100000, Size: 1 << 20})
		p.Event(trace.Seq(2*i+1), &trace.Event{Kind: trace.Begin, G: 1})
	}
	require.Zero(t, p.Stats().Evicted)
}

func BenchmarkEvents(b *testing.B) {
	p, evs := syncrev.New(predict.Config{}, func(predict.Candidate) {}), gen.Round()
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
