package engine_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/engine"
	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/trace"
)

// heap is what is in use after a collection, in bytes.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestManyGoroutines: thirty thousand short goroutines, a thousand at a time behind a WaitGroup,
// need no more memory than a few thousand do.
func TestManyGoroutines(t *testing.T) {
	const batches, batch = 30, 1000
	races := 0
	e := engine.New(engine.Config{Window: 1 << 16}, func(engine.Finding) { races++ })
	before := heap()
	next := trace.G(2)
	for range batches {
		first := next
		for ; next < first+batch; next++ {
			e.Event(trace.Event{Kind: trace.Fork, G: 1, Other: uint32(next), Site: 1})
		}
		for g := first; g < next; g++ {
			mine := 0x1_0000 + 8*trace.Addr(g-first)
			e.Event(trace.Event{Kind: trace.Begin, G: g})
			e.Event(trace.Event{Kind: trace.Acquire, G: g, Addr: 0x10, Site: 2})
			e.Event(trace.Event{Kind: trace.Write, G: g, Addr: 0x8000, Size: 8, Site: 3})
			e.Event(trace.Event{Kind: trace.Release, G: g, Addr: 0x10, Site: 4})
			e.Event(trace.Event{Kind: trace.Write, G: g, Addr: mine, Size: 8, Site: 5})
			e.Event(trace.Event{Kind: trace.HardMerge, G: g, Addr: 0x20, Site: 6})
			e.Event(trace.Event{Kind: trace.End, G: g})
		}
		e.Event(trace.Event{Kind: trace.HardAcquire, G: 1, Addr: 0x20, Site: 7})
		e.Event(trace.Event{Kind: trace.Read, G: 1, Addr: 0x8000, Size: 8, Site: 8})
	}
	e.Flush()
	require.Zero(t, races)
	require.Zero(t, e.Stats().Forgot())
	grown := heap() - before
	t.Logf("%d goroutines, %d events, %d MB", next, e.Stats().Events, grown>>20)
	require.Less(t, grown, uint64(200<<20))
	runtime.KeepAlive(e)
}

// TestManyAlive: goroutines are alive at the same time, all take one lock, and race afterwards. Up
// to the limit of slots, each has a slot of its own.
func TestManyAlive(t *testing.T) {
	for name, c := range map[string]struct {
		n     trace.G
		exact bool
	}{"n=5000": {5_000, true}, "n=20000": {20_000, false}, "n=70000": {70_000, false}} {
		t.Run(name, func(t *testing.T) {
			var found []engine.Finding
			e := engine.New(engine.Config{Window: 1 << 16}, func(f engine.Finding) { found = append(found, f) })
			before := heap()
			for g := trace.G(2); g < c.n; g++ {
				e.Event(trace.Event{Kind: trace.Fork, G: 1, Other: uint32(g), Site: 1})
			}
			for g := trace.G(2); g < c.n; g++ {
				e.Event(trace.Event{Kind: trace.Acquire, G: g, Addr: 0x10, Site: 2})
				e.Event(trace.Event{Kind: trace.Write, G: g, Addr: 0x8000, Size: 8, Site: 3})
				e.Event(trace.Event{Kind: trace.Release, G: g, Addr: 0x10, Site: 4})
			}
			require.Empty(t, found)
			require.Equal(t, c.exact, e.Stats().Forgot() == 0, "what is less exact is said")
			for g := c.n - 100; g < c.n; g++ {
				e.Event(trace.Event{Kind: trace.Write, G: g, Addr: 0x9000, Size: 8, Site: 5})
			}
			e.Flush()
			require.Len(t, found, 1)
			grown := heap() - before
			t.Logf("%d events, %d MB, %d bytes a goroutine", e.Stats().Events, grown>>20, grown/uint64(c.n))
			require.Less(t, grown/uint64(c.n), uint64(8<<10))
			runtime.KeepAlive(e)
		})
	}
}

// TestFarApart: the two accesses of a race are a million events apart.
func TestFarApart(t *testing.T) {
	filler := million(1 << 20)
	pair := parse(t, fig1b)
	var found []engine.Finding
	e := engine.New(engine.Config{}, func(f engine.Finding) { found = append(found, f) })
	send := func(evs []trace.Event) {
		for _, ev := range evs {
			e.Event(ev)
		}
	}
	send(filler[:8])
	for i := range pair { // goroutines, addresses and sites of their own
		pair[i].G += 100
		pair[i].Addr += 0x9000_0000
		pair[i].Site += 100
	}
	send(pair[:4])
	send(filler[8:])
	send(pair[4:])
	before := len(found)
	start := time.Now()
	e.Flush()
	t.Logf("%d findings before Flush; Flush took %v; %+v", before, time.Since(start), e.Stats())
	predicted := 0
	for _, f := range found {
		if f.Verdict == report.Predicted {
			predicted++
			require.Equal(t, trace.Site(101), f.First().Ev.Site)
		}
	}
	require.Equal(t, 1, predicted)
}

// BenchmarkFlush has a hundred pairs spread over a million events. Apart, each pair is in
// goroutines of its own; among workers, it is in goroutines that did many sections before.
func BenchmarkFlush(b *testing.B) {
	for name, of := range map[string]func(n int) trace.G{
		"pairs=apart":   func(n int) trace.G { return trace.G(100 + 2*n) },
		"pairs=workers": func(n int) trace.G { return trace.G(1 + n%4) },
	} {
		b.Run(name, func(b *testing.B) { benchmarkFlush(b, of) })
	}
}

func benchmarkFlush(b *testing.B, of func(n int) trace.G) {
	filler := million(1 << 20)
	for i := range filler { // what is accessed in sections is each worker's own
		if ev := &filler[i]; ev.Kind.Spec().Access {
			ev.Addr += trace.Addr(ev.G) << 32
		}
	}
	pair, err := trace.Parse(fig1b)
	if err != nil {
		b.Fatal(err)
	}
	const pairs = 90
	for b.Loop() {
		b.StopTimer()
		verdicts := map[report.Verdict]int{}
		e := engine.New(engine.Config{}, func(f engine.Finding) { verdicts[f.Verdict]++ })
		for i, ev := range filler {
			e.Event(ev)
			for half, at := range []int{1 << 10, 1 << 19} {
				if n := i - at; n >= 0 && n < 14*400*pairs && n%(14*400) == 0 {
					n /= 14 * 400
					for _, ev := range pair[4*half : 4*half+4] {
						ev.G += of(n)
						ev.Addr += 0x9000_0000 + trace.Addr(n)<<12
						ev.Site += trace.Site(100 + 10*n)
						e.Event(ev)
					}
				}
			}
		}
		b.StartTimer()
		e.Flush()
		if verdicts[report.Predicted] != pairs {
			b.Log(verdicts, e.Stats())
		}
	}
}
