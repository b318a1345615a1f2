package wcp

import "github.com/racepred/racepred/internal/predict"

// fired counts how often rules ordered what was not ordered.
type fired struct {
	learned uint64 // by rules (a) and (b)
	byB     uint64 // of these by rule (b)
	edges   uint64 // single events by (W4), (W6), (W7)
}

// Rules implements predict.Predictor.
func (p *Predictor) Rules() []predict.Rule {
	return []predict.Rule{
		{By: Name, Name: "rule a", Fired: p.learned - p.byB}, {By: Name, Name: "rule b", Fired: p.byB}, {By: Name, Name: "hard edge", Fired: p.edges},
	}
}
