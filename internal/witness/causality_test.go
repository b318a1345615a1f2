package witness_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/goal"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/witness"
)

// cav10 is Figure 1 of Kahlon and Wang, CAV 2010, as a run of it: the race is that of a9 and b9.
const cav10 = `
	g1 acquire l3        // a0
	g1 acquire l1        // a1
	g1 hardmerge waits   // a2
	g1 release l1        // a3
	g2 acquire l1        // b0
	g2 hardacquire waits
	g2 hardmerge signal  // b1
	g2 release l1        // b2
	g1 acquire l1        // a4
	g1 hardacquire signal // a5
	g1 acquire l2        // a6
	g1 release l3        // a7
	g1 release l1        // a8
	g1 write sh          // a9
	g1 release l2        // a10
	g2 acquire l1        // b3
	g2 acquire l3        // b4
	g2 release l1        // b5
	g2 acquire l2        // b6
	g2 release l2        // b7
	g2 release l3        // b8
	g2 write sh          // b9`

// TestUniversalCausality: the orders that every schedule keeps are closed for the figure, and are a
// contradiction without any search: b8 before a9 makes b7 come before a6 (l2 is held at a9), that
// makes b8 come before a0 (l3), and a0 comes before a2, b1 and b8. Locks alone do not forbid the
// race, nor does waiting alone.
func TestUniversalCausality(t *testing.T) {
	for name, c := range map[string]struct {
		without []string
		want    witness.Verdict
	}{
		"both":    {nil, witness.Infeasible},
		"locks":   {[]string{"waits", "signal"}, witness.Feasible},
		"waiting": {[]string{" l1", " l2", " l3"}, witness.Feasible},
	} {
		t.Run(name, func(t *testing.T) {
			var text []string
			for _, line := range strings.Split(cav10, "\n") {
				drop := false
				for _, w := range c.without {
					drop = drop || strings.Contains(line, w)
				}
				if !drop {
					text = append(text, line)
				}
			}
			evs, err := trace.Parse(strings.Join(text, "\n"))
			require.NoError(t, err)
			var at []int32
			for i := range evs {
				if evs[i].Kind == trace.Write {
					at = append(at, int32(i))
				}
			}
			f := witness.New(evs, witness.Options{})
			a := f.Find(goal.RaceOf(at[0], at[1]))
			require.Equal(t, c.want, a.Verdict, a.Reason)
			if c.want == witness.Infeasible {
				require.Zero(t, a.States, "no search")
			}
		})
	}
}
