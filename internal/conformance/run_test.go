package main

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestUsage(t *testing.T) {
	for name, args := range map[string][]string{
		`unexpected argument "x"`:       {"x"},
		"-tool tsan: want racepred or":  {"-tool", "tsan"},
		"-write needs all tests":        {"-run", "X", "-write", "y"},
		"flag provided but not defined": {"-nothing"},
	} {
		var stdout, stderr bytes.Buffer
		require.Equal(t, 2, Run(context.Background(), args, &stdout, &stderr))
		require.Contains(t, stderr.String(), name)
		require.Empty(t, stdout.String())
	}
}
