// Package syncrev turns a trace into candidates for races that may need sections turned round: the
// sync-reversal extension of SyncP (Shi, Mathur, Pavlogiannis, ICSE 2024, is the first of these;
// theirs is another algorithm).
//
// Two accesses are a candidate when neither what every schedule keeps (package mustorder) nor a
// common lock keeps them apart. That is as weak as an order can be that a vector time expresses:
// all predictable races are candidates, up to the bounds of package mustorder's records and, of
// locks that are handed over, those whose release may come before the access. In which order
// sections have to go is left to package witness, which turns round only those that have to be (its
// saturation.go), and searches where that fails.
package syncrev

import (
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/mustorder"
)

// Name is what Candidate.By says.
const Name = "syncrev"

// Predictor is the predictor of races in any order of sections.
type Predictor = mustorder.Apart

// New returns a predictor that gives pairs to sink: each pair of positions as
// often as predict.Instance says.
func New(cfg predict.Config, sink func(predict.Candidate)) *Predictor {
	return mustorder.NewApart(Name, mustorder.Config{Config: cfg}, sink)
}
