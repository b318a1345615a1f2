package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestStress runs a program of bench/stress for a moment. CI runs more of them, by the command.
func TestStress(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a toolchain")
	}
	var out, errs bytes.Buffer
	require.Equal(t, 0, Run(t.Context(), []string{"-stress", "-short", "-run", "^soak-flip$"}, &out, &errs), "%s", &errs)
	require.Regexp(t, `(?m)^\| soak-flip \| .* \| 0, 0, 0 \| [1-9]`, out.String())
}
