// Package ipa turns a trace into candidates by pairwise reachability of time-stamped lock histories (Ganai, ASE 2013: incremental predictive
// analysis): can two goroutines be at two places of their histories at once, however critical sections are reordered?
//
// What reads see is left out of the question (data abstraction), so it proposes what orders built on conflicting accesses, as WCP's rule (a), do not,
// and what it proposes needs a schedule.
//
// A history has the acquires and releases of one goroutine, each with a time stamp: a vector time of the order that every schedule keeps (package mustorder: fork,
// join, hard edges, hard sections). A place is a number of events that the goroutine has executed. A pair of places is searched for in the grid of all pairs, from a
// pair that the run went through (start.go) and by the rules of search.go, which are the paper's Table III.
//
// Two strategies differ in what they take the other goroutines for:
//
//	strategy I   ignores them. What it finds unreachable no schedule reaches.
//	strategy II  has them stay where they were when the search starts, with the locks that they held. What it finds reachable
//	             some order of synchronization reaches.
//
// With two goroutines both are exact. The grid of a pair, with what was found in it, is kept for the next question about the same two (space.go).
package ipa
