package opaqueunderlock_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/racepred/racepred/analyzer/opaqueunderlock"
)

func TestAnalyzer(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), opaqueunderlock.Analyzer, "a")
}
