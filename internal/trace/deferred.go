package trace

import "github.com/racepred/racepred/internal/goal"

// Deferred is a deferred search: goals, and facts about a part of a run that a search for schedules
// needs besides its events. Places count these events, from 0.
type Deferred struct {
	Complete bool    // it has also the accesses that repeat one of their span
	Midway   bool    // it begins in the middle of the run, so accesses of goroutines that were running may be missing
	Before   bool    // the run has, or may have, events before it
	After    bool    // the run has, or may have, events after it
	Racy     []int32 // the Reads whose value is uncertain, for instance since it was written at the same time; in order
	Still    []int32 // the first events, and the Joins, of goroutines whose accesses before it are uncertain; in order
	Goals    []DeferredGoal
}

// DeferredGoal is a goal that a predictor proposed and whose search for a schedule was given up.
type DeferredGoal struct {
	goal.Goal
	Alone bool     // there is no other goal of this kind at these positions
	By    []string // names of predictors
}
