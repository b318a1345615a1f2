// Package predictors is the table of all predictors: names -> predictors that take in one run
// together.
//
// It is the only package that imports those of predictors; the engine imports happens-before
// besides, since it asks it about the run. A new predictor is a package beneath internal/predict, a
// row here and one in docs/predictors.md.
package predictors

import (
	"github.com/racepred/racepred/internal/goal"
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/atomicity"
	"github.com/racepred/racepred/internal/predict/deadlock"
	"github.com/racepred/racepred/internal/predict/hb"
	"github.com/racepred/racepred/internal/predict/ipa"
	"github.com/racepred/racepred/internal/predict/lockset"
	"github.com/racepred/racepred/internal/predict/shb"
	"github.com/racepred/racepred/internal/predict/syncp"
	"github.com/racepred/racepred/internal/predict/syncrev"
	"github.com/racepred/racepred/internal/predict/wcp"
)

// Row is a predictor.
type Row struct {
	Name  string
	Paper string // where it is from
	// Online predictors run, in the tested process and in racepred analyze, when nothing else is said. The others cost more than these together, or
	// find nothing of their own.
	Online bool
	// Abstract predictors leave out what reads see. What they alone propose, and has no schedule, is worth a directed run, but not possible.
	Abstract bool
	// Goal is the kind of its candidates.
	Goal goal.Kind
	// Share is its part of the memory, relative to the parts of the others that run.
	Share int
	// New makes one that runs by itself.
	New func(cfg predict.Config, sink func(predict.Candidate)) predict.Predictor
}

// Table has all predictors. Happens-before, the first, always runs: what it finds is what the run
// itself shows.
var Table = []Row{
	{hb.Name, "Flanagan, Freund, PLDI 2009 (FastTrack)", true, false, goal.Race, 20,
		func(c predict.Config, f func(predict.Candidate)) predict.Predictor { return hb.New(c, f) }},
	{shb.Name, "Mathur, Kini, Viswanathan, OOPSLA 2018", false, false, goal.Race, 30,
		func(c predict.Config, f func(predict.Candidate)) predict.Predictor { return shb.New(c, f) }},
	{wcp.Name, "Kini, Mathur, Viswanathan, PLDI 2017", true, false, goal.Race, 30,
		func(c predict.Config, f func(predict.Candidate)) predict.Predictor { return wcp.New(c, f) }},
	{lockset.Name, "Savage et al., TOCS 1997 (Eraser); O'Callahan, Choi, PPoPP 2003", false, false, goal.Race, 30,
		func(c predict.Config, f func(predict.Candidate)) predict.Predictor { return lockset.New(c, f) }},
	{ipa.Name, "Ganai, ASE 2013", true, true, goal.Race, 2,
		func(c predict.Config, f func(predict.Candidate)) predict.Predictor { return ipa.New(c, f) }},
	{deadlock.Name, "Tunc, Mathur, Pavlogiannis, Viswanathan, PLDI 2023", true, false, goal.Deadlock, 1,
		func(c predict.Config, f func(predict.Candidate)) predict.Predictor { return deadlock.New(c, f) }},
	{atomicity.Name, "after Wang, Limaye, Ganai, Gupta, TACAS 2010; Kahlon, Wang, CAV 2010", true, false, goal.Atomicity, 2,
		func(c predict.Config, f func(predict.Candidate)) predict.Predictor { return atomicity.New(c, f) }},
	{syncp.Name, "Mathur, Pavlogiannis, Viswanathan, POPL 2021", false, false, goal.Race, 40,
		func(c predict.Config, f func(predict.Candidate)) predict.Predictor { return syncp.New(c, f) }},
	{syncrev.Name, "after Shi, Mathur, Pavlogiannis, ICSE 2024", false, false, goal.Race, 30,
		func(c predict.Config, f func(predict.Candidate)) predict.Predictor { return syncrev.New(c, f) }},
}
