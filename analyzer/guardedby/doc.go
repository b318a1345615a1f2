// Package guardedby finds accesses of fields and package variables without the mutex that guards
// them.
//
// WRONG:
//
//	func (c *Counter) Add() { c.mu.Lock(); c.n++; c.mu.Unlock() }
//	func (c *Counter) Set(n int) { c.mu.Lock(); c.n = n; c.mu.Unlock() }
//	func (c *Counter) Get() int { return c.n } // read of Counter.n without Counter.mu, which 2 of 3 accesses hold
//
// RIGHT:
//
//	func (c *Counter) Get() int { c.mu.Lock(); defer c.mu.Unlock(); return c.n }
//
// Which mutex guards what is read in comments, or inferred from the accesses:
//
//   - (G1) A comment of the field or variable says "guarded by mu" or "protected by mu" in a clause
//     of its own, without "not", "unless" and the like beside it, or is //racepred:guardedby mu.
//     The name is a mutex of the same struct, a package variable, or Type.field.
//   - (G2) Lines in at least two functions access it with the mutex, one of them writes, and at
//     most one line does so without it; or four do with it for each that does not; or more than
//     half, and the functions with some that hold it are four to one. Where more than three
//     functions do not hold it, that is meant.
//   - (G3) The mutex is a field of the same struct, or for a package variable one of the same
//     package.
//
// An access without it is reported if it may come at the same time as another one that holds it:
//
//   - (G4) One of the two writes, both are about the variable itself or both about what its map or
//     slice holds, no other lock is held at both, and they run in different goroutines: callers
//     from elsewhere are as many as they like, a go statement starts one.
//   - (G5) The other one is no write of a variable that was found to be zero: such a default is set
//     before goroutines start.
//   - (G7) A method whose name (pushLocked) or comment ("callers must hold mu") says that its
//     caller has the lock, and that accesses what it guards, is not to be called without it, if
//     most calls hold it.
//   - (G8) What G2 and G7 find of exported fields, variables and methods holds in other packages,
//     too: they know it by facts.
//   - (G9) No comment behind it or right above says that it needs no lock ("safe to read without
//     the lock").
//   - (G6) It does not come behind a wait for a channel of struct{} or for a WaitGroup, in the same
//     function.
//
// Package lockset says which locks are held (C1 to C7 there), and which objects belong to one
// goroutine (O1 and O2): what a function has made and not given away needs no lock. Tests are not
// looked at. Variables that package sync/atomic gets the address of are left out.
package guardedby
