package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestStress runs the programs of bench/stress for a moment each.
func TestStress(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a toolchain")
	}
	var out, errs bytes.Buffer
	require.Equal(t, 0, Run(t.Context(), []string{"-stress", "-short", "-run", "^(lives-(checked|flip)|soak-(1|8|flip)|published(-checked)?|blocked)$"}, &out, &errs), "%s", &errs)
	for _, name := range []string{"lives-checked", "lives-flip", "soak-1", "soak-8", "soak-flip", "published", "published-checked", "blocked"} {
		require.Regexp(t, `(?m)^\| `+name+` \| .* \| 0, 0, 0 \| [1-9]`, out.String())
	}
}
