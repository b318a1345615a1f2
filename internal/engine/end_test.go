package engine_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/engine"
	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/trace"
)

// TestALockIsHeldForLong: the second goroutine of a deadlock does not let go of its first lock
// before others have made very many events. If it never does, or another goroutine gives the lock
// back, then the first one may not wait for ever.
func TestALockIsHeldForLong(t *testing.T) {
	const l, m = 0x1000, 0x2000
	for name, c := range map[string]struct {
		by   trace.G // who gives it back; 0 nobody
		want report.Verdict
	}{
		"its holder": {2, report.Predicted}, "nobody": {0, report.Possible}, "another": {4, report.Possible},
	} {
		var found []engine.Finding
		e := engine.New(engine.Config{Predictors: []string{"hb", "wcp", "deadlock"}}, func(f engine.Finding) { found = append(found, f) })
		site := trace.Site(1)
		lock := func(g trace.G, k trace.Kind, a trace.Addr) {
			site++
			e.Event(trace.Event{Kind: k, G: g, Addr: a, Site: site})
		}
		for _, g := range []trace.G{2, 3, 4} {
			e.Event(trace.Event{Kind: trace.Fork, G: 1, Other: uint32(g)})
		}
		lock(3, trace.Acquire, l)
		lock(3, trace.Acquire, m)
		lock(3, trace.Release, m)
		lock(3, trace.Release, l)
		lock(2, trace.Acquire, m)
		lock(2, trace.Acquire, l)
		lock(2, trace.Release, l)
		locking(e, 10_000, 4)
		if c.by != 0 {
			lock(c.by, trace.Release, m)
		}
		locking(e, 1000, 4)
		e.Flush()
		require.Equal(t, []report.Verdict{c.want}, verdicts(found), name)
		require.Equal(t, name == "another", strings.Contains(found[0].Note, "given back by another goroutine"), name)
	}
}
