package trace

import "github.com/racepred/racepred/internal/goal"

// Deferred is what a search for schedules has to know of a part of a run, besides its events: places are counted in these, from 0.
type Deferred struct {
	Complete bool    // no accesses are missing that repeat one of their span
	Midway   bool    // it begins in the middle of the run, where goroutines may have been doing what is missing in it
	Before   bool    // the run has, or may have, events before it
	After    bool    // and after it
	Racy     []int32 // the Reads whose value is uncertain, since it was written at the same time, say; in order
	Still    []int32 // the first events of goroutines of which it is uncertain what they did before, and the Joins of these; in order
	Goals    []DeferredGoal
}

// DeferredGoal is a goal that a predictor proposed and whose search for a schedule was given up.
type DeferredGoal struct {
	goal.Goal
	Alone bool     // there is no other goal of this kind at these positions
	By    []string // names of predictors
}
