package records

import "github.com/racepred/racepred/internal/trace"

// unlooked makes events of a record that was made between race.Unseen(true) and race.Unseen(false):
// library code that tells other goroutines something, but does not look at what others told it.
// Happens-before has all of its edges. For predictions,
//
//	(U1) what it acquires is unseen, of atomic operations, too;
//	(U2) its sections of a lock are unseen: they commute with each other, and keep their place among
//	     the sections of other code, which are hard;
//	(U3) its changes commute with each other, and what it observes is left out;
//	(U4) its atomic operations are no accesses.
//
// It returns whether it has made events. Other records are converted as elsewhere.
func (c *Converter) unlooked(kind uint64, ev *trace.Event) bool {
	unseen := func(k trace.Kind) { // (U1)
		ev.Flags, ev.Size = trace.FlagUnseen, 0
		c.emit(k, ev)
	}
	seen := func(k trace.Kind) {
		ev.Flags, ev.Size = 0, 0
		c.emit(k, ev)
	}
	switch kind {
	case rpAcquire, rpAtomicLoad:
		unseen(trace.HardAcquire)
	case rpReleaseAcquire:
		c.tells(ev.G, ev.Addr)
		unseen(trace.HardSwap)
	case rpRelease, rpAtomicStore:
		c.tells(ev.G, ev.Addr)
		seen(trace.HardRelease)
	case rpReleaseMerge:
		c.tells(ev.G, ev.Addr)
		seen(trace.HardMerge)
	case rpAtomicRMW, rpAtomicAdd, rpAtomicAnd, rpAtomicOr:
		c.tells(ev.G, ev.Addr)
		unseen(trace.HardAcquire)
		seen(trace.HardMerge)
	case rpLock: // (U2)
		unseen(trace.Acquire)
		c.enter(ev)
	case rpRLock:
		unseen(trace.RAcquire)
		c.enter(ev)
	case rpUnlock:
		ev.Flags, ev.Size = trace.FlagUnseen, 0
		c.ends(trace.Release, ev)
	case rpRUnlock:
		ev.Flags, ev.Size = trace.FlagUnseen, 0
		c.ends(trace.RRelease, ev)
	case rpChange: // (U3)
		ev.Flags = trace.FlagUnseen
		c.emit(trace.Change, ev)
	case rpObserve:
	default:
		return false
	}
	return true
}
