package lockorder_test

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/racepred/racepred/analyzer/lockorder"
)

func TestAnalyzer(t *testing.T) {
	analysistest.Run(diagnosticsOnly{t}, analysistest.TestData(), lockorder.Analyzer, "a", "clean", "b")
}

// diagnosticsOnly leaves out that nobody expects the facts, which are many.
type diagnosticsOnly struct{ *testing.T }

func (t diagnosticsOnly) Errorf(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !strings.Contains(text, ": unexpected fact: ") {
		t.T.Error(text)
	}
}
