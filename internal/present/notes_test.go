package present

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/engine"
)

// TestForgotten: each loss has a line of its own, and one that did not happen has none.
func TestForgotten(t *testing.T) {
	require.Empty(t, Forgotten(engine.Stats{Unknown: 3}))
	require.Len(t, Forgotten(engine.Stats{Evicted: 1, Merged: 2, TooFar: 3}), 3)
	require.Equal(t, []string{
		"1 finding is only possible, since its first access was too long ago to look for a schedule (-possible shows what is possible, -memory keeps more of the run)",
	}, Forgotten(engine.Stats{TooFar: 1}))
	require.Contains(t, Forgotten(engine.Stats{TooFar: 2})[0], "2 findings are only possible, since their first accesses were")
}
