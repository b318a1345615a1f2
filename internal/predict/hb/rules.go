package hb

import "github.com/racepred/racepred/internal/predict"

// fired counts what edges made known that was not known.
type fired struct {
	learned uint64 // single releases, of locks and of objects
	byLock  uint64 // of these by (H2)
}

// Rules implements predict.Predictor. Releases in read mode, and those that objects hold in number, are not among them.
func (p *Predictor) Rules() []predict.Rule {
	return []predict.Rule{{By: Name, Name: "lock", Fired: p.byLock}, {By: Name, Name: "hard edge", Fired: p.learned - p.byLock}}
}
