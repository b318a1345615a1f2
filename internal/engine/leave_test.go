package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/engine"
	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/trace"
)

// locking makes goroutines do sections that are unrelated to what they did before.
func locking(e *engine.Engine, n int, gs ...trace.G) {
	for i := range n {
		g := gs[i%len(gs)]
		e.Event(trace.Event{Kind: trace.Acquire, G: g, Addr: 0x5000, Site: 1001})
		e.Event(trace.Event{Kind: trace.Write, G: g, Addr: 0x5008, Size: 8, Site: 1002})
		e.Event(trace.Event{Kind: trace.Release, G: g, Addr: 0x5000, Site: 1003})
	}
}

// TestDecidedBeforeTheWindowMovesOn: by the time of Flush the pair's events are long gone.
func TestDecidedBeforeTheWindowMovesOn(t *testing.T) {
	for _, n := range []int{100, 100_000} {
		var found []engine.Finding
		e := engine.New(engine.Config{Window: 1 << 17}, func(f engine.Finding) { found = append(found, f) })
		locking(e, 10_000, 1, 2)
		for _, ev := range parse(t, fig1b) {
			e.Event(ev)
		}
		locking(e, n, 1, 2)
		e.Flush()
		require.Equal(t, []report.Verdict{report.Predicted}, verdicts(found), n)
	}
}

// TestWhatIsTooDearGoesOn: a pair that is as far apart as the window is long costs too much while
// the run goes on. It is deferred, at the end.
func TestWhatIsTooDearGoesOn(t *testing.T) {
	var open []*engine.DeferredSearch
	flushing := false
	e := engine.New(engine.Config{Window: 1 << 17, SearchStates: 100, Deferred: func(u *engine.DeferredSearch) {
		require.True(t, flushing)
		open = append(open, u)
	}}, func(f engine.Finding) { require.NotEqual(t, report.Predicted, f.Verdict) })
	evs := parse(t, fig1b)
	for _, ev := range evs[:len(evs)/2] {
		e.Event(ev)
	}
	locking(e, 20_000, 3)
	for _, ev := range evs[len(evs)/2:] {
		e.Event(ev)
	}
	locking(e, 100_000, 1, 2)
	flushing = true
	e.Flush()
	require.Len(t, open, 1)
	require.Len(t, open[0].Goals, 1)
	predicted := false
	open[0].Search(engine.Effort{States: 1 << 14, Box: 1 << 20}, func(_ int, f *engine.Finding) { predicted = f != nil && f.Verdict == report.Predicted })
	require.True(t, predicted)
}
