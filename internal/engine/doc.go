// Package engine turns one stream of events into findings: the predictors run on the stream, what
// they propose is looked into on the recorded window.
//
//	(E1) A pair that happens-before leaves unordered is observed, and given out at once. SHB, if it runs, adds its name
//	     to those it finds schedulable, too.
//	(E2) Other pairs wait for Flush, or until their events are about to leave the window, since what is uncertain about them shows
//	     later: with a checked witness they are predicted, proven infeasible they are dropped, else they are possible.
//	(E3) A pair of positions is given out once; a pair that was given out as possible or predicted may
//	     come once more when it is observed, or has found its witness, later.
//	(E4) Memory is bounded: what is forgotten for want of room is counted in Stats.Evicted.
//
// An engine is not safe for concurrent use, has no goroutine, no clock and does no I/O.
package engine
