package wcp_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestExclusive is (W13): which of several nested locks protects a variable shows in its later
// updates only.
func TestExclusive(t *testing.T) {
	const (
		from1 = "g1 acquire lo\n g1 acquire hi\n g1 write x unseen\n g1 release hi\n g1 release lo\n"
		from2 = "g2 acquire lo\n g2 acquire l2\n g2 write x unseen\n g2 release l2\n g2 release lo\n"
		inner = "g2 acquire l2\n g2 acquire hi\n g2 write x unseen\n g2 release hi\n g2 release l2\n"
		other = "g2 acquire l2\n g2 write x unseen\n g2 release l2\n"
	)
	require.Empty(t, pairs(t, from1+from2), "the outer lock protects it")
	require.Empty(t, pairs(t, from1+inner), "the inner lock does")
	require.NotEmpty(t, pairs(t, from1+other), "none does")
	require.NotEmpty(t, pairs(t, from1+from2+"g3 acquire hi\n g3 write x unseen\n g3 release hi\n"), "not one for all")
	require.NotEmpty(t, pairs(t, "g1 acquire lo\n g1 write x:8 unseen\n g1 release lo\n g2 acquire lo\n g2 write x:4 unseen\n g2 release lo\n"), "other bytes")
}
