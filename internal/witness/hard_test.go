package witness_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/goal"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/witness"
)

// TestManyHardSections: two goroutines take turns in very many sections of a lock, hard ones and then soft ones, before they race. If each acquire looked at all
// releases before it, this would take minutes.
func TestManyHardSections(t *testing.T) {
	const turns = 200_000
	for name, last := range map[string]trace.Flags{"the last one is hard": trace.FlagHard, "the last one is soft": 0} {
		t.Run(name, func(t *testing.T) {
			evs := []trace.Event{{Kind: trace.Fork, G: 1, Other: 2}}
			section := func(g trace.G, flags trace.Flags) {
				evs = append(evs, trace.Event{Kind: trace.Acquire, G: g, Addr: 1, Flags: flags}, trace.Event{Kind: trace.Release, G: g, Addr: 1})
			}
			access := func(g trace.G) int32 {
				evs = append(evs, trace.Event{Kind: trace.Write, G: g, Addr: 8, Size: 8})
				return int32(len(evs) - 1)
			}
			for n := range turns {
				section(trace.G(1+n%2), trace.FlagHard)
			}
			for n := range turns {
				section(trace.G(1+n%2), 0)
			}
			first := access(1)
			section(1, last)
			section(2, 0)
			second := access(2)
			want := witness.Infeasible
			if last == 0 {
				want = witness.Feasible
			}
			require.Equal(t, want, witness.New(evs, witness.Options{}).Find(goal.RaceOf(first, second)).Verdict)
		})
	}
}
