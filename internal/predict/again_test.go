package predict

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/trace"
)

// TestAgain: a pair of positions is due four times and then ever more seldom, but it never stops
// being due; the order of the two does not matter, and another pair has counts of its own.
func TestAgain(t *testing.T) {
	var x Again
	var due []int
	for i := range 200 {
		a, b := trace.Site(1), trace.Site(2)
		if i%2 == 1 {
			a, b = b, a
		}
		if x.Due(a, 0, &trace.Event{Site: b}) {
			due = append(due, i)
		}
	}
	require.Equal(t, []int{0, 1, 2, 3, 19, 51, 115}, due)
	require.True(t, x.Due(1, 0, &trace.Event{Site: 3}))
	require.True(t, x.Due(0, 7, &trace.Event{Stack: 8}))
	n := 0
	for range 1 << 20 {
		if x.Due(0, 7, &trace.Event{Stack: 8}) {
			n++
		}
	}
	require.Greater(t, n, 16)
	require.Less(t, n, 64)
}
