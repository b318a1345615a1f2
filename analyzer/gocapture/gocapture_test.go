package gocapture_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/racepred/racepred/analyzer/gocapture"
)

func TestAnalyzer(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), gocapture.Analyzer, "reference", "loopvar", "elements", "mixed", "locking", "group", "parallel")
}
