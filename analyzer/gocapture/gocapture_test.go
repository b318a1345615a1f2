package gocapture_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/racepred/racepred/analyzer/gocapture"
)

func TestAnalyzer(t *testing.T) {
	for _, pkg := range []string{"reference", "loopvar", "elements", "mixed", "locking", "group", "parallel"} {
		t.Run(pkg, func(t *testing.T) { analysistest.Run(t, analysistest.TestData(), gocapture.Analyzer, pkg) })
	}
}
