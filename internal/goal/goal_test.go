package goal

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEveryKindHasARow: a name of its own, and a number of events that can be reached.
func TestEveryKindHasARow(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range Kinds() {
		s := k.Spec()
		require.Regexp(t, `^[a-z]+$`, s.Name)
		require.False(t, seen[s.Name], s.Name)
		seen[s.Name] = true
		require.GreaterOrEqual(t, s.Min, 2, s.Name)
		require.True(t, s.Max == 0 || s.Max >= s.Min, s.Name)
		require.Less(t, s.Executed, s.Min, s.Name)
		require.Equal(t, s.Name, k.String())
		require.True(t, k.Takes(s.Min) && !k.Takes(s.Min-1), s.Name)
		require.Equal(t, s.Max == 0, k.Takes(s.Max+100), s.Name)
	}
	require.Equal(t, "kind 200", Kind(200).String())
	require.False(t, Kind(200).Takes(2))
}
