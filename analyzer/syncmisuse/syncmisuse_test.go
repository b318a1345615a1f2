package syncmisuse_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/racepred/racepred/analyzer/syncmisuse"
)

func TestAnalyzer(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), syncmisuse.Analyzer,
		"doublelock", "unlocktwice", "returnlocked", "lockcopy", "atomicplain", "doublechecked", "condwait", "closedbyreceiver", "spinplain")
}

func TestSuggestedFixes(t *testing.T) {
	analysistest.RunWithSuggestedFixes(t, analysistest.TestData(), syncmisuse.Analyzer, "wgadd")
}
