package oracle_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/engine"
	"github.com/racepred/racepred/internal/goal"
	"github.com/racepred/racepred/internal/oracle"
	"github.com/racepred/racepred/internal/oracle/oracletest"
	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/trace"
)

// show lists pairs of events, numbered from 1, as case files have them.
func show(pairs map[oracle.Pair]bool) []string {
	var list []string
	for p := range pairs {
		list = append(list, fmt.Sprintf("%d-%d", p[0]+1, p[1]+1))
	}
	slices.Sort(list)
	return list
}

// TestFigures runs the case files: the figure, what is expected, and after a line of dashes the
// events.
//
//	hb, wcp    what the predictor reports
//	races      what the oracle finds
//	predicted  what the engine predicts, witness and all
//	possible   what the engine neither has a witness for nor proves to have none
func TestFigures(t *testing.T) {
	files, err := filepath.Glob("testdata/figures/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			head, body, ok := strings.Cut(string(text), "\n---\n")
			require.True(t, ok)
			evs, err := trace.Parse(body)
			require.NoError(t, err)
			truth := oracle.Explore(evs, 1_000_000)
			require.True(t, truth.Complete)
			got := map[string][]string{
				"hb":        show(oracletest.Run(evs, newHB)),
				"wcp":       show(oracletest.Run(evs, newWCP)),
				"races":     show(truth.Races),
				"predicted": show(findings(evs)[report.Predicted]),
				"possible":  show(findings(evs)[report.Possible]),
				"deadlock":  {map[bool]string{true: "yes", false: "no"}[truth.Deadlock()]},
			}
			require.Equal(t, truth.Deadlock(), deadlocks(evs) > 0, "deadlocks are predicted")
			expected := 0
			for line := range strings.Lines(head) {
				key, value, _ := strings.Cut(strings.TrimSpace(line), ":")
				have, ok := got[key]
				if !ok {
					continue
				}
				expected++
				want := strings.Fields(strings.ReplaceAll(value, "none", ""))
				slices.Sort(want)
				require.Equal(t, strings.Join(want, " "), strings.Join(have, " "), key)
			}
			require.Equal(t, len(got), expected, "expectations are missing")
		})
	}
}

// findings are the engine's findings, by verdict.
func findings(evs []trace.Event) map[report.Verdict]map[oracle.Pair]bool {
	found := map[report.Verdict]map[oracle.Pair]bool{}
	e := engine.New(engine.Config{}, func(f engine.Finding) {
		if f.Goal != goal.Race {
			return
		}
		if found[f.Verdict] == nil {
			found[f.Verdict] = map[oracle.Pair]bool{}
		}
		found[f.Verdict][oracle.Pair{int(f.First().Seq), int(f.Last().Seq)}] = true
	})
	for _, ev := range evs {
		e.Event(ev)
	}
	e.Flush()
	return found
}

// deadlocks is how many the engine predicts.
func deadlocks(evs []trace.Event) (n int) {
	e := engine.New(engine.Config{}, func(f engine.Finding) {
		if f.Goal == goal.Deadlock && f.Verdict == report.Predicted {
			n++
		}
	})
	for _, ev := range evs {
		e.Event(ev)
	}
	e.Flush()
	return n
}
