//go:build racepred_seam

package runtime

import "unsafe"

// A goroutine may learn of others from the runtime, without synchronizing with them. That is no
// edge of the Go memory model, but schedules must keep it (docs/soundness.md). So a goroutine that
// looks observes an object that is no address of the program's: rpGoroutines and those after it.
//
// A look that no lock encloses is recorded twice, before and after: it can have seen what others
// did before the second record, and need not have seen what they did after the first.

// rpLooks records that the running goroutine learns of the object, or of all goroutines
// (rpToldOfAll). It takes no locks, and may be called with the world stopped.
func rpLooks(kind uint64, object uintptr) {
	gp := getg()
	s := (*rpG)(unsafe.Pointer(gp.racectx))
	if s == nil || s.ignore != 0 || gp != gp.m.curg {
		return
	}
	s.sync(kind, object, rpStackHere(gp, 1))
}

// rpSeesAll is for stacks, profiles and statistics: they may show what any goroutine did.
func rpSeesAll() { rpLooks(rpToldOfAll, 0) }

// rpCounts is for calls that return the number of goroutines.
func rpCounts() {
	rpPoll()
	rpLooks(rpObserve, rpGoroutines)
}

// rpSetting is for settings of the runtime that one goroutine sets and another one reads.
//
//go:linkname rpSetting internal/race.Setting
func rpSetting(sets bool) {
	kind := uint64(rpObserve)
	if sets {
		kind = rpChange
	}
	rpLooks(kind, rpSettings)
}

// rpCollects is for the end of runtime.GC: goroutines that found an object through a weak pointer
// come before it.
func rpCollects() { rpLooks(rpCommute, rpCollections) }

//go:linkname race_Weak internal/race.Weak
func race_Weak() { rpLooks(rpObserve, rpCollections) }

// race_Told is for operations that fail because of what other goroutines did without a record.
//
//go:linkname race_Told internal/race.Told
func race_Told() { rpSeesAll() }

// The clock of a bubble goes on when all of its goroutines wait. So the events of each before it
// waits come before all events at the new time, even if the goroutines do not synchronize
// otherwise:
//
//   - a goroutine that begins to wait changes the bubble, unobserved by others that do so;
//   - the bubble's root, which sets the clock, observes the bubble and changes the clock;
//   - a goroutine that the clock wakes, or that reads it, observes the clock. Timers' functions,
//     and goroutines that they wake, come after their timers' goroutine anyway.

// rpWaits is called where gp begins to wait in a bubble, or leaves it.
func rpWaits(gp *g, bubble *synctestBubble) {
	if s := rpSyncOf(gp); s != nil {
		rpMarkSync(uintptr(unsafe.Pointer(bubble)))
		s.sync(rpCommute, uintptr(unsafe.Pointer(bubble)), 0)
	}
}

// rpTimeGoesOn is called by the bubble's root.
func rpTimeGoesOn(bubble *synctestBubble) {
	if s := rpSyncSelf(); s != nil {
		s.sync(rpObserve, uintptr(unsafe.Pointer(bubble)), 0)
		rpMarkSync(uintptr(unsafe.Pointer(&bubble.now)))
		s.sync(rpChange, uintptr(unsafe.Pointer(&bubble.now)), 0)
	}
}

// rpSeesTime is called by a goroutine that reads the clock, or that the clock woke.
func rpSeesTime(bubble *synctestBubble) { rpTimeSeenBy(getg().racectx, bubble) }

// rpTimeSeenBy is rpSeesTime for the goroutine of the bubble's timers, too.
func rpTimeSeenBy(racectx uintptr, bubble *synctestBubble) {
	if s := (*rpG)(unsafe.Pointer(racectx)); s != nil && s.ignore == 0 && bubble != nil {
		rpMarkSync(uintptr(unsafe.Pointer(&bubble.now)))
		s.sync(rpObserve, uintptr(unsafe.Pointer(&bubble.now)), 0)
	}
}
