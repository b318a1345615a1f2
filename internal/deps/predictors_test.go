package deps

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTheTableNamesPredictors: a predictor's package is reached through the table alone, so that a
// new one touches the table and docs/predictors.md, and nothing else. The engine asks
// happens-before about the run itself, whatever else runs.
func TestTheTableNamesPredictors(t *testing.T) {
	const beneath = "internal/predict/"
	shared := map[string]bool{beneath + "shadow": true, beneath + "threads": true, beneath + "mustorder": true} // that predictors are built of
	named := 0
	for _, p := range goList(t, "-tags=racepred_seam", "./...") {
		name := strings.TrimPrefix(p.ImportPath, module)
		for _, imp := range p.Imports {
			ours := strings.TrimPrefix(imp, module)
			switch {
			case !strings.HasPrefix(ours, beneath) || shared[ours]:
			case name == "internal/predictors":
				named++
			case name == beneath+"hbwcp" && (ours == beneath+"hb" || ours == beneath+"wcp" || ours == beneath+"ipa"):
			case name == "internal/engine" && ours == beneath+"hb":
			default:
				t.Errorf("%s names the predictor %s; internal/predictors is for that", name, ours)
			}
		}
	}
	require.GreaterOrEqual(t, named, 7)
}
