package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/trace"
)

// envTraces names the directory with the published traces, which are not ours to keep.
const envTraces = "RACEPRED_STD_TRACES"

// TestPublishedTraces has, for each trace by its content, the counts of docs/predictors.md.
func TestPublishedTraces(t *testing.T) {
	dir := os.Getenv(envTraces)
	if dir == "" {
		t.Skipf("%s does not name the directory of account.std, bubblesort.std, ...: nothing is compared", envTraces)
	}
	text, err := os.ReadFile("testdata/published.txt")
	require.NoError(t, err)
	n := 0
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		var name, hash string
		var want counts
		_, err := fmt.Sscan(line, &name, &hash, &want.hb, &want.shb, &want.wcp, &want.syncp, &want.proven, &want.candidates, &want.infeasible)
		require.NoError(t, err)
		content, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		sum := sha256.Sum256(content)
		require.Equal(t, hash, hex.EncodeToString(sum[:8]), "%s is another trace", name)
		evs, err := trace.ParseSTD(bytes.NewReader(content))
		require.NoError(t, err)
		got := count(evs, 200)
		got.took = 0
		require.Equal(t, want, got, name)
		n++
	}
	require.Equal(t, 10, n)
}
