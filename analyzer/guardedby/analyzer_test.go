package guardedby_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/racepred/racepred/analyzer/guardedby"
)

func TestAnalyzer(t *testing.T) {
	analysistest.RunWithSuggestedFixes(t, analysistest.TestData(), guardedby.Analyzer, "fixed")
	analysistest.Run(t, analysistest.TestData(), guardedby.Analyzer, "a", "clean", "study", "lib", "user")
}
