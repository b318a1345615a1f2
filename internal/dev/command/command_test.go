package command

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMadeLeavesOutTheBinary: a page names the command that everybody can run.
func TestMadeLeavesOutTheBinary(t *testing.T) {
	for _, args := range [][]string{
		{"-racepred", "x/racepred", "-n", "3", "racepred"},
		{"-n", "3", "--racepred=x/racepred", "racepred"},
	} {
		line := made("go run ./tool", args...)
		require.True(t, strings.HasPrefix(line, "Made by `go run ./tool -n 3 racepred`, "), line)
	}
}

// TestMadeHasNoDirectory: nor does it name a directory of the machine.
func TestMadeHasNoDirectory(t *testing.T) {
	for _, args := range [][]string{{"-rapid", "x/rapid", "-n", "1"}, {"--rapid=x/rapid", "-n", "1"}} {
		line := made("go run ./tool", args...)
		require.True(t, strings.HasPrefix(line, "Made by `go run ./tool -rapid DIR -n 1`, "), line)
	}
}
