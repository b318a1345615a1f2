package plan

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/instrument/internal/edit"
)

// TestRecordedOnce checks which functions the compiler is not to record.
func TestRecordedOnce(t *testing.T) {
	const src = `package p
// first has a comment.
func first[T any](x []T) T { return x[0] }
type box[T any] struct { v T }
func (b *box[T]) get() T { return b.v }
func (b box[T]) own() T { return b.v }
func plain(x []int) int { return x[0] }
func none[T any](x T) T { return x }
`
	text := edit.Apply([]byte(src), 0, decide(t, src, nil).Edits)
	require.Contains(t, text, "// first has a comment.\n\n//go:norace\n/*line :3:1*/func first[T any](x []T) T {")
	require.Contains(t, text, "\n//go:norace\n/*line :5:1*/func (b *box[T]) get() T {")
	require.Equal(t, 2, strings.Count(text, "go:norace"), text)

	const elsewhere = "package p\n\n//line other.go:7\nfunc first[T any](x []T) T { return x[0] }\n"
	text = edit.Apply([]byte(elsewhere), 0, decide(t, elsewhere, nil).Edits)
	require.Contains(t, text, "RacepredR")
	require.NotContains(t, text, "go:norace")
}
