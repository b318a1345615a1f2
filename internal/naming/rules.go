package naming

import (
	"github.com/racepred/racepred/internal/engine"
	"github.com/racepred/racepred/internal/report"
)

// Rules are the counts of the predictors' rules, for a report.
func Rules(s *engine.Stats) (list []report.Rule) {
	for _, by := range s.Rules {
		for _, r := range by.Rules {
			list = append(list, report.Rule{Predictor: by.Predictor, Rule: r.Name, Fired: r.Fired})
		}
	}
	return list
}
