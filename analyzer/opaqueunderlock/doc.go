// Package opaqueunderlock finds calls that keep racepred from predicting: calls of
// unrecorded code while a mutex is held.
//
// Two critical sections of one lock that both run such code may depend on each
// other in a way racepred cannot see, so it never reorders them, and races that
// only another order of the sections shows stay hidden. Besides, slow calls under a lock
// are worth a look anyway.
//
// WRONG:
//
//	c.mu.Lock()
//	c.n++
//	os.WriteFile(c.name, c.data, 0o666) // call of os.WriteFile while c.mu is held
//	c.mu.Unlock()
//
// RIGHT:
//
//	c.mu.Lock()
//	c.n++
//	data := c.data
//	c.mu.Unlock()
//	os.WriteFile(c.name, data, 0o666)
//
// What counts as unrecorded is decided by package instrument (rules O of its
// documentation); the packages of the module at hand count as recorded.
//
// The lock must be a sync.Mutex or sync.RWMutex that is locked and unlocked in the
// function at hand:
//
//   - (U1) It is held from x.Lock() or x.RLock() on, x the same text, to x.Unlock() or
//     x.RUnlock() in the same statement list or one further out, or to the end with a deferred one.
//   - (U2) A branch or a loop that unlocks it makes it unknown after the statement, unless it
//     leaves the function, the loop or the switch.
//   - (U3) A function literal is a function of its own.
//   - (U4) A deferred call runs with the locks held whose deferred unlocking came before it.
package opaqueunderlock
