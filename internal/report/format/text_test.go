package format

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/report"
)

// TestTextOfMany: 500 findings about 7 variables are 7 in full, the surest of each first, and lines
// that say where the others are.
func TestTextOfMany(t *testing.T) {
	r := many(500)
	for i := range r.Findings {
		r.Findings[i].Also = nil
		r.Findings[i].Package, r.Findings[i].Variable = "ex.com/m", []string{"a", "b", "c", "d", "e", "f", "g"}[i%7]
	}
	r.Findings[2].Verdict, r.Findings[2].Waived = report.Observed, "-fail-on none"
	text, err := encodeText(r)
	require.NoError(t, err)
	s := string(text)
	require.Equal(t, 7, strings.Count(s, "WARNING: DATA RACE"))
	require.Equal(t, 7, strings.Count(s, "\nObserved (wcp)"))
	require.Equal(t, 7*(groupLines-1), strings.Count(s, "\nR")-strings.Count(s, "\nRead"))
	require.Contains(t, s, "\nR22 observed data race on a: write cache.go:7, read cache.go:9, in TestPut\n")
	require.Contains(t, s, "\nand 62 more about it\n")
	require.Contains(t, s, "\n500 races: 168 observed, 332 predicted\n")
	require.Less(t, strings.Count(s, "\n"), 300)
}

// TestTextOfFew: all are in full, those about one variable together, and what fails nothing last.
func TestTextOfFew(t *testing.T) {
	r := many(6)
	for i, v := range []string{"a", "b", "a", "", "", "b"} {
		r.Findings[i].Variable, r.Findings[i].Package, r.Findings[i].Test = v, "ex.com/m", r.Findings[i].ID
		r.Findings[i].Verdict = report.Predicted
	}
	r.Findings[0].Verdict, r.Findings[0].Waived = report.Observed, "-fail-on none"
	r.Findings[5].Verdict = report.Observed
	text, err := encodeText(r)
	require.NoError(t, err)
	var order []string
	for _, line := range strings.Split(string(text), "\n") {
		if _, id, ok := strings.Cut(strings.TrimSuffix(line, "."), "n R"); ok {
			order = append(order, "R"+id)
		}
	}
	require.Equal(t, []string{"R6", "R2", "R3", "R1", "R4", "R5"}, order)
}
