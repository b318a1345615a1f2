// Package syncmisuse finds synchronization that does not do what it is there for. Each rule has a
// file of its own:
//
//   - wgadd: WaitGroup.Add in the goroutine that it counts. Wait may be over before.
//   - doublelock: Lock of a mutex that the function holds, by itself or by a call: a deadlock.
//     RLock twice is one as soon as a writer waits in between.
//   - rlockupgrade: Lock of a mutex that the function holds for reading: a deadlock.
//   - unlocktwice: Unlock of a mutex that the function has given back on a way to it: the program
//     ends.
//   - returnlocked: a return with a mutex held that other returns give back.
//   - lockcopy: a copy of a lock that go vet's copylocks does not see: by a send, by copy, append
//     of a slice, and functions of slices and maps.
//   - atomicplain: a variable that is accessed by sync/atomic here, and plainly there. The
//     suggested fix makes it one of an atomic type if that is safe (T1 to T4).
//   - atomiccopy: a function of sync/atomic on a local copy of what was meant.
//   - doublechecked: a plain look at a variable before the lock is taken under which it is set.
//   - condwait: Cond.Wait outside of a loop.
//   - closedbyreceiver: a channel closed by a function that receives from it, while others send. It
//     runs with -syncmisuse.also=closedbyreceiver only: often the senders are done by then, which
//     the check does not know.
//   - spinplain: a loop that waits for a plain variable to change.
//
// A lock is a sync.Mutex, a sync.RWMutex or a sync.Locker whose path can be written down: c.mu, not
// f().mu. What functions do to the locks that their receiver and their parameters lead to is known
// by facts, across packages.
//
// WRONG:
//
//	go func() {
//		wg.Add(1) // Wait may have returned
//		defer wg.Done()
//		work()
//	}()
//	wg.Wait()
//
// RIGHT:
//
//	wg.Add(1)
//	go func() {
//		defer wg.Done()
//		work()
//	}()
//	wg.Wait()
package syncmisuse
