// Package engine turns one stream of events into findings: the predictors run on the stream, and
// the engine looks for schedules of what they propose, among the last events (the window).
//
//	(E1) What the run itself shows is observed, and given out at once: a pair that happens-before
//	     leaves unordered. A predictor that knows it to be schedulable adds its name.
//	(E2) Other candidates wait for Flush, or until their events are about to leave the window, since
//	     later events show which reads are uncertain. A candidate with a checked witness is then
//	     predicted, one that is proven infeasible is dropped, and any other one is possible. If the
//	     run has a candidate's events in the goal's order, one happening before the next, it is
//	     observed.
//	(E3) A goal is given out once for its positions. One that was given out as possible may come
//	     once more as predicted, and one that was given out as possible or predicted once more as
//	     observed.
//	(E4) Memory is bounded. What is forgotten for want of room is counted (Stats.Forgot).
//	(E5) A candidate is dropped as infeasible only if that is proven. A pair that the run leaves
//	     unordered, and that happens-before has forgotten, is possible.
//
// An engine is not safe for concurrent use, has no goroutine, no clock and does no I/O. It knows no
// predictor but happens-before (package predictors has the others) and no kind of goal (packages
// goal, witness and check have them).
package engine
