// Package engine turns one stream of events into findings: the predictors run on the stream, what
// they propose is looked into on the recorded window.
//
//	(E1) What the run itself shows is observed, and given out at once: a pair that happens-before leaves unordered. A predictor that knows it to be
//	     schedulable adds its name.
//	(E2) Other candidates wait for Flush, or until their events are about to leave the window, since what is uncertain about them shows
//	     later: with a checked witness they are predicted, proven infeasible they are dropped, else they are possible. Those whose events the run has in the goal's
//	     order, one happening before the next, are observed.
//	(E3) A goal is given out once for its positions; one that was given out as possible or predicted may
//	     come once more when it is observed, or has found its witness, later.
//	(E4) Memory is bounded: what is forgotten for want of room is counted in Stats.Evicted.
//	(E5) Nothing is dropped as infeasible but what is proven to be. A pair that the run leaves unordered, and that happens-before has forgotten, is
//	     possible.
//
// An engine is not safe for concurrent use, has no goroutine, no clock and does no I/O. It knows no predictor but happens-before (package
// predictors has the others) and no kind of goal (packages goal, witness and check have them).
package engine
