// Package flow turns the body of a function into the events that matter for synchronization: typed
// syntax -> blocks of events, in the order in which they run. An event accesses a location, takes
// or gives back a lock, may come after another goroutine's events (Acquire), may come before them
// (Release), starts a goroutine, or calls.
//
// These MUST hold; otherwise checks report correct code:
//
//   - (F1) Code that may synchronize counts as an Acquire and a Release. So does a call, unless its
//     name says that it does neither, or the bodies of its function and of the functions that it is
//     given are known, here or by facts, to do neither.
//   - (F2) A location whose path cannot be written down (an element by a variable index, what a
//     call returned) conflicts with nothing.
//   - (F3) A literal that is called where it stands, deferred, or given to Once.Do runs in place,
//     under its own locks. So does a local variable that only ever holds one literal. When any
//     other literal runs is not known: its accesses are no events.
//   - (F4) What is deferred runs in the exit block, last deferred first, deferred on this path or
//     not.
//   - (F6) A loop that waits for other goroutines runs once at least, as in for range n { <-done },
//     or in one that sleeps: if it runs no time, there was no goroutine to wait for.
//   - (F5) A variable is a new one each time its declaration is passed; that of a loop is new in
//     each iteration if the file's language is Go 1.22 or later.
package flow
