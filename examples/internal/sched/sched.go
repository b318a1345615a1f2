// Package sched puts the goroutines of an example into one usual order without
// ordering them: it only sleeps, and sleeping creates no happens-before edge.
// Another schedule is always possible; on any machine that is not overloaded
// the usual one is what every run shows.
package sched

import (
	"sync"
	"time"
)

// Turn is how long one goroutine has to itself. The examples do a few
// microseconds of work in it.
const Turn = 20 * time.Millisecond

// InTurn runs each function on a goroutine of its own and waits for all of
// them. All goroutines start at once; the i-th sleeps i turns before it calls
// its function. The functions are ordered after the call's beginning and
// before its return, and not among each other.
func InTurn(functions ...func()) {
	var all sync.WaitGroup
	for i, function := range functions {
		all.Add(1)
		go func() {
			defer all.Done()
			time.Sleep(time.Duration(i) * Turn)
			function()
		}()
	}
	all.Wait()
}

// Rest sleeps n turns in the middle of a function, so that others go on.
func Rest(n int) { time.Sleep(time.Duration(n) * Turn) }
