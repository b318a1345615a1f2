package syncmisuse_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/racepred/racepred/analyzer/syncmisuse"
)

func TestAnalyzer(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), syncmisuse.Analyzer,
		"doublelock", "unlocktwice", "returnlocked", "lockcopy", "atomicplain", "atomiccopy", "doublechecked", "condwait", "spinplain")
}

func TestSuggestedFixes(t *testing.T) {
	analysistest.RunWithSuggestedFixes(t, analysistest.TestData(), syncmisuse.Analyzer, "wgadd", "atomicfix", "atomictype", "atomictypeno")
}

func TestOptIn(t *testing.T) {
	require.NoError(t, syncmisuse.Analyzer.Flags.Set("also", "closedbyreceiver"))
	defer syncmisuse.Analyzer.Flags.Set("also", "")
	analysistest.Run(t, analysistest.TestData(), syncmisuse.Analyzer, "closedbyreceiver")
}
