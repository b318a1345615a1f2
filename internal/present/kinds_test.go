package present

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/goal"
	"github.com/racepred/racepred/internal/report"
)

// TestReportsKnowAllGoals compares the rows of goals with those of findings.
func TestReportsKnowAllGoals(t *testing.T) {
	for _, k := range goal.Kinds() {
		kind := report.Kind(k.String())
		require.Contains(t, report.Kinds, kind)
		require.Greater(t, len(kind.Count(1)), len("1 "), "%v has no noun", k)
		require.Equal(t, k.Spec().Executed > 0, kind.Ordered(), "%v", k)
	}
}
