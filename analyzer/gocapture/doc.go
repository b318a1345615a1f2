// Package gocapture finds variables, maps and slices that a goroutine shares with the function that
// starts it, and that the two, or two such goroutines, access without synchronization in between;
// one of them writes.
//
// WRONG:
//
//	data, err := load()
//	go func() {
//		err = store(data) // err is the one of the function
//	}()
//	err = report() // runs beside the goroutine
//
// RIGHT:
//
//	go func() {
//		if err := store(data); err != nil { ... }
//	}()
//
// What starts a goroutine: go, the method Go of a sync.WaitGroup or an errgroup.Group,
// time.AfterFunc, and Run of a test whose function calls Parallel. Its code is a function literal
// or a function of the package; what its parameters and its receiver refer to is followed.
//
//   - (G1) An access of the function conflicts if it may come after the start of the goroutine,
//     without an acquire on the way that matches a release which the goroutine does after its own
//     access: WaitGroup.Wait after Done, a receive after a send or close, Lock after Unlock, any
//     call that may synchronize, unless all the goroutine does is about a group or channel of the
//     function that no call leads to.
//   - (G2) It does not if the goroutine only gets to its access by an acquire that matches a
//     release which the function does after its access: the other way around.
//   - (G3) Two accesses under one lock, one of them exclusively, do not conflict.
//   - (G4) What another goroutine does that the function starts later conflicts in the same way,
//     and so does what the next one of a loop does.
//   - (G5) A variable declared in the loop is another one in the next iteration; so is a loop
//     variable, as of Go 1.22.
//   - (G6) Parallel subtests run after the function that starts them, so they conflict among each
//     other only; a call of which it is not known whether it synchronizes orders none of them.
//   - (G7) A return statement with values writes the named results; the end of the function reads
//     them.
//   - (G8) All elements of a map are one location. Elements of a slice are one if the index is the
//     same constant, or if all are accessed.
//   - (G10) What is behind a pointer, and the goroutine accesses under a lock from there, does not
//     conflict if the function takes that lock nowhere: its caller may hold it. Check guardedby
//     looks at callers.
//   - (G9) Goroutines that use one atomic variable may take turns by it, and are not reported
//     against each other.
package gocapture
