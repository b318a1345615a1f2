package hb

import "github.com/racepred/racepred/internal/predict"

// fired counts how often edges ordered what was not ordered.
type fired struct {
	learned uint64 // single releases, of locks and of objects
	byLock  uint64 // of these by (H2)
}

// Rules implements predict.Predictor. It does not count releases in read mode, nor those of objects
// that hold several.
func (p *Predictor) Rules() []predict.Rule {
	return []predict.Rule{{By: Name, Name: "lock", Fired: p.byLock}, {By: Name, Name: "hard edge", Fired: p.learned - p.byLock}}
}
