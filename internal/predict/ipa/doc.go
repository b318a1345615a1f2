// Package ipa turns a trace into candidates by pairwise reachability of time-stamped lock histories
// (Ganai, ASE 2013: incremental predictive analysis): can two goroutines be at two places of their
// histories at once, however critical sections are reordered?
//
// It ignores what reads see (data abstraction). So it proposes pairs that orders built on
// conflicting accesses, such as WCP's rule (a), do not propose, and its proposals need a schedule.
//
// A history has the acquires and releases of one goroutine, each with a time stamp: a vector time
// of the order that every schedule keeps (package mustorder: fork, join, hard edges, hard
// sections). A place is a number of events that the goroutine has executed. A pair of places is
// searched for in the grid of all pairs, from a pair that the run went through (start.go) and by
// the rules of search.go, which are the paper's Table III.
//
// Two strategies differ in what they assume of the other goroutines:
//
//	strategy I   ignores them. What it finds unreachable no schedule reaches.
//	strategy II  assumes that they stay where they are when the search starts, with the locks that they hold. What it finds reachable
//	             some order of synchronization reaches.
//
// With two goroutines both are exact. The grid of two goroutines, with what was found in it, is
// kept for the next question about them (space.go).
package ipa
