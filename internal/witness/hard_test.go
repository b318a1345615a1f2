package witness_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/goal"
	"github.com/racepred/racepred/internal/oracle"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/witness"
)

// TestManyHardSections: two goroutines take turns in very many sections of a lock, hard ones and
// then soft ones, before they race. If each acquire looked at all releases before it, this would
// take minutes.
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

// TestDeadlockBesideHardSections: a goroutine that took a lock after a hard section, and then does
// nothing but wait for another lock, has seen nothing of that section. So the goroutines may wait
// for each other before it.
func TestDeadlockBesideHardSections(t *testing.T) {
	const busy = "g1 acquire 0x10\n g1 acquire 0x20\n g1 release 0x20\n g1 release 0x10\n g1 acquire 0x10 hard\n g1 acquire 0x20 hard\n g1 release 0x20\n g1 release 0x10\n"
	for name, c := range map[string]struct {
		text string
		want witness.Verdict
	}{
		"it takes locks":              {"g2 acquire 0x20\n g2 acquire 0x10", witness.Feasible},
		"it takes one more":           {"g2 acquire 0x20\n g2 acquire 0x30\n g2 acquire 0x10", witness.Feasible},
		"package sync reads the lock": {"g2 read 0x20:1 site=0\n g2 acquire 0x20\n g2 read 0x10:1 site=0\n g2 read 0x10:1 site=0\n g2 acquire 0x10", witness.Feasible},
		"it reads something":          {"g2 acquire 0x20\n g2 read x\n g2 acquire 0x10", witness.Infeasible},
		"it reads another lock":       {"g2 acquire 0x20\n g2 read 0x30:1 site=0\n g2 acquire 0x10", witness.Infeasible},
		"its section is hard":         {"g2 acquire 0x20 hard\n g2 acquire 0x10", witness.Infeasible},
		"its section is unseen":       {"g2 acquire 0x20 unseen\n g2 acquire 0x10", witness.Infeasible},
		"the wanted one is hard":      {"g2 acquire 0x20\n g2 acquire 0x10 hard", witness.Infeasible},
		"one between is unseen":       {"g2 acquire 0x20\n g2 acquire 0x30 unseen\n g2 acquire 0x10", witness.Infeasible},
		"it took a lock and left":     {"g2 acquire 0x20\n g2 release 0x20\n g2 acquire 0x20\n g2 acquire 0x10", witness.Infeasible},
	} {
		t.Run(name, func(t *testing.T) {
			evs, err := trace.Parse(busy + c.text + "\n g2 release 0x10\n g2 release 0x20")
			require.NoError(t, err)
			g := goal.Goal{Kind: goal.Deadlock, Events: []int32{1, int32(len(evs) - 3)}}
			a := witness.New(evs, witness.Options{Dropped: true}).Find(g)
			require.Equal(t, c.want, a.Verdict, "%+v", a)
			truth := oracle.Explore(evs, 100_000)
			require.Equal(t, c.want == witness.Feasible, truth.Shows(g.Kind, []int{1, len(evs) - 3}))
		})
	}
}
