// Package lockset turns a trace into candidates by the locks held at the accesses (Eraser: Savage,
// Burrows, Nelson, Sobalvarro, Anderson, TOCS 1997), with threads' starts, joins and messages as
// happens-before (the hybrid of O'Callahan and Choi, PPoPP 2003).
//
// Two conflicting accesses are a candidate when
//
//	(L1) no common lock is held around both, at least once in write mode (mustorder/M8);
//	(L2) no fork, join, hard edge, hard section, hand-over or failed attempt orders them
//	     (mustorder/M1, mustorder/M2, mustorder/M4, mustorder/M5).
//
// Eraser keeps one set of locks for a variable; here each pair is judged by its own two, so a
// variable may move from one lock to another. Every predictable race is a candidate, and many
// candidates are none, since what a read saw is not looked at: it is a filter, and needs a witness
// for each.
package lockset

import (
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/mustorder"
)

// Name is what Candidate.By says.
const Name = "lockset"

// Predictor is the lockset predictor.
type Predictor = mustorder.Apart

// New returns a predictor that gives pairs to sink: each pair of positions as
// often as predict.Instance says.
func New(cfg predict.Config, sink func(predict.Candidate)) *Predictor {
	return mustorder.NewApart(Name, mustorder.Config{Config: cfg, Loose: true}, sink)
}
