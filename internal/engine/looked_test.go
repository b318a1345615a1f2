package engine_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/engine"
	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/trace"
)

// TestLooked: an observed race says so if somebody may have waited, without synchronizing, until
// its first access was over, or saw that it was.
func TestLooked(t *testing.T) {
	const x, y, z = 0x1000, 0x2000, 0x3000
	write := func(g trace.G, a trace.Addr) trace.Event {
		return trace.Event{Kind: trace.Write, G: g, Addr: a, Size: 8}
	}
	look := func(g trace.G) trace.Event { return trace.Event{Kind: trace.Observe, G: g, Addr: trace.Goroutines} }
	fork := func(g, child trace.G) trace.Event { return trace.Event{Kind: trace.Fork, G: g, Other: uint32(child)} }
	see := func(g trace.G, a trace.Addr) trace.Event { return trace.Event{Kind: trace.Observe, G: g, Addr: a} }
	change := func(g trace.G, a trace.Addr) trace.Event { return trace.Event{Kind: trace.Change, G: g, Addr: a} }
	unseen := func(g trace.G, a trace.Addr) trace.Event {
		return trace.Event{Kind: trace.Change, Flags: trace.FlagUnseen, G: g, Addr: a}
	}
	busy := func(n int) (evs []trace.Event) {
		for i := range n {
			evs = append(evs, write(1, y+8*trace.Addr(i)))
		}
		return evs
	}
	for name, c := range map[string]struct {
		evs  []trace.Event
		note bool
	}{
		"looked":            {[]trace.Event{fork(1, 2), write(2, x), look(1), write(1, x)}, true},
		"not":               {[]trace.Event{fork(1, 2), write(2, x), write(1, x)}, false},
		"looked before":     {[]trace.Event{fork(1, 2), look(1), write(2, x), write(1, x)}, false},
		"looked itself":     {[]trace.Event{fork(1, 2), write(2, x), look(2), write(1, x)}, false},
		"looked elsewhere":  {[]trace.Event{fork(1, 2), fork(1, 3), write(2, x), look(3), write(1, x)}, false},
		"started the other": {[]trace.Event{fork(1, 2), write(2, x), look(1), fork(1, 3), write(3, x)}, true},
		"started it before": {[]trace.Event{fork(1, 2), write(2, x), fork(1, 3), look(1), write(3, x)}, false},
		"looked lately":     {slices.Concat([]trace.Event{fork(1, 2), write(2, x)}, busy(20_000), []trace.Event{look(1), write(1, x)}), true},
		"looked long ago":   {slices.Concat([]trace.Event{fork(1, 2), write(2, x), look(1)}, busy(20_000), []trace.Event{write(1, x)}), false},
		"of another object": {[]trace.Event{fork(1, 2), write(2, x), {Kind: trace.Observe, G: 1, Addr: y}, write(1, x)}, false},

		"saw":               {[]trace.Event{fork(1, 2), write(2, x), change(2, y), see(1, y), write(1, x)}, true},
		"saw by another":    {[]trace.Event{fork(1, 2), fork(1, 3), write(2, x), change(2, y), see(3, y), change(3, z), see(1, z), write(1, x)}, true},
		"saw what changed":  {[]trace.Event{fork(1, 2), write(2, x), change(2, y), change(1, y), write(1, x)}, true},
		"changed unseen":    {[]trace.Event{fork(1, 2), write(2, x), change(2, y), unseen(1, y), write(1, x)}, false},
		"saw before":        {[]trace.Event{fork(1, 2), see(1, y), write(2, x), change(2, y), write(1, x)}, false},
		"saw no change":     {[]trace.Event{fork(1, 2), change(2, y), write(2, x), see(1, y), write(1, x)}, false},
		"saw of other life": {[]trace.Event{fork(1, 2), write(2, x), change(2, y), {Kind: trace.Alloc, G: 1, Addr: y, Size: 8}, see(1, y), write(1, x)}, false},
	} {
		t.Run(name, func(t *testing.T) {
			var found []engine.Finding
			e := engine.New(engine.Config{Window: 4096}, func(f engine.Finding) { found = append(found, f) })
			for i := range c.evs {
				c.evs[i].Site = trace.Site(i + 1)
				e.Take(&c.evs[i])
			}
			e.Flush()
			require.Len(t, found, 1)
			require.Equal(t, report.Observed, found[0].Verdict)
			require.Equal(t, c.note, found[0].Note != "")
		})
	}
}
