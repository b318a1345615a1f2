package engine_test

import (
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/engine"
	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/trace"
)

// TestMemoryIsBounded: accesses all over 4 GB, half of them in sections of many locks, in no more
// than the engine may have; what it forgot is counted, and no race is made up.
func TestMemoryIsBounded(t *testing.T) {
	const limit = 32 << 20
	races := 0
	e := engine.New(engine.Config{Memory: limit}, func(engine.Finding) { races++ })
	before := heap()
	e.Event(trace.Event{Kind: trace.Fork, G: 1, Other: 2})
	e.Event(trace.Event{Kind: trace.Fork, G: 1, Other: 3})
	most := uint64(0)
	x := uint64(1)
	for i := range 200_000 {
		g := trace.G(1 + i%3)
		x = x*6364136223846793005 + 1442695040888963407
		own := trace.Addr(g)<<33 + trace.Addr(x>>32)&^7
		shared := 0x10_0000 + 8*trace.Addr(x>>40%1000)
		lock := 0x8_0000 + 8*(shared>>3%100)
		e.Event(trace.Event{Kind: trace.Write, G: g, Addr: own, Size: 8, Site: 1})
		e.Event(trace.Event{Kind: trace.Acquire, G: g, Addr: lock, Site: 2})
		e.Event(trace.Event{Kind: trace.Write, G: g, Addr: shared, Size: 8, Site: 3})
		e.Event(trace.Event{Kind: trace.Write, G: g, Addr: own + 8, Size: 8, Site: 4})
		e.Event(trace.Event{Kind: trace.Release, G: g, Addr: lock, Site: 5})
		if i%50_000 == 49_999 {
			most = max(most, heap()-before)
			require.LessOrEqual(t, e.Stats().Memory, limit)
		}
	}
	t.Logf("%d MB in use, %d MB by the engine's own count, %d evictions", most>>20, e.Stats().Memory>>20, e.Stats().Evicted)
	require.Less(t, most, uint64(limit+limit/4))
	require.NotZero(t, e.Stats().Evicted)
	require.Zero(t, races)
	runtime.KeepAlive(e)
}

// TestObjectsAreBounded: a million objects of four kinds and a hundred thousand goroutines in no
// more memory than the engine may have. Races of goroutines that use objects of their own are still
// found, observed and predicted, and none is made up.
func TestObjectsAreBounded(t *testing.T) {
	const (
		limit      = 64 << 20
		objects    = 1_000_000
		goroutines = 100_000
	)
	pairs := [...]struct {
		verdict report.Verdict
		text    string
	}{
		{report.Observed, "g1 write x site=SITE\n g2 read x site=SITE"},
		{report.Predicted, "g1 write x site=SITE\n g1 acquire l\n g1 release l\n g2 acquire l\n g2 release l\n g2 read x site=SITE"},
	}
	found := map[report.Verdict]map[trace.Site]bool{report.Observed: {}, report.Predicted: {}}
	e := engine.New(engine.Config{Memory: limit}, func(f engine.Finding) {
		require.Greater(t, f.First().Ev.Site, trace.Site(1000), "a race that there is not")
		found[f.Verdict][f.First().Ev.Site] = true
	})
	before, most := heap(), uint64(0)
	next, site := trace.G(10), trace.Site(1000)
	const used = 8 // goroutines at work, each with a lock that all of them have
	for i := range objects {
		g := trace.G(2 + i%used)
		if i < used {
			e.Event(trace.Event{Kind: trace.Fork, G: 1, Other: uint32(g), Site: 1})
		}
		at := 0xc000_0000_0000 + trace.Addr(i)*96
		switch i % 4 {
		case 0:
			e.Event(trace.Event{Kind: trace.Acquire, G: g, Addr: at, Site: 2})
			e.Event(trace.Event{Kind: trace.Write, G: g, Addr: at + 16, Size: 8, Site: 3})
			e.Event(trace.Event{Kind: trace.Release, G: g, Addr: at, Site: 4})
		case 1:
			e.Event(trace.Event{Kind: trace.HardMerge, G: g, Addr: at, Site: 5})
		case 2:
			e.Event(trace.Event{Kind: trace.Change, G: g, Addr: at, Site: 6})
		case 3:
			e.Event(trace.Event{Kind: trace.HardSwap, G: g, Addr: at, Site: 7})
		}
		if i%(objects/goroutines) == 0 { // one that waits for good
			e.Event(trace.Event{Kind: trace.Fork, G: g, Other: uint32(next), Site: 8})
			e.Event(trace.Event{Kind: trace.HardAcquire, G: next, Addr: at + 96*4, Site: 9})
			next++
		}
		if i%10_000 == 9999 { // what the others did long ago is used again, and two goroutines race
			e.Event(trace.Event{Kind: trace.HardAcquire, G: g, Addr: at - 96*9000&^3, Site: 10})
			pair := pairs[i/10_000%2]
			evs, err := trace.Parse(strings.ReplaceAll(pair.text, "SITE", strconv.Itoa(int(site+1))))
			require.NoError(t, err)
			for _, ev := range evs {
				ev.G += trace.G(2 + i/10_000%(used-1) - 1)
				ev.Addr += trace.Addr(site) << 20
				e.Event(ev)
			}
			site++
		}
		if i%100_000 == 99_999 {
			most = max(most, heap()-before)
			require.LessOrEqual(t, e.Stats().Memory, limit)
		}
	}
	e.Flush()
	s := e.Stats()
	t.Logf("%d MB in use, %d MB by the engine's own count, %d merged, %d forgotten; observed %d, predicted %d of %d",
		most>>20, s.Memory>>20, s.Merged, s.Evicted, len(found[report.Observed]), len(found[report.Predicted]), site-1000)
	require.Less(t, most, uint64(limit+limit/4))
	require.NotZero(t, s.Merged)
	require.Len(t, found[report.Observed], int(site-1000)/2)
	require.Len(t, found[report.Predicted], int(site-1000)/2)
	runtime.KeepAlive(e)
}
