//go:build racepred_seam

package runtime

import "internal/runtime/sys"

// The memory layout that package runtime (which writes) and the drain (which
// reads) share. This file is laid into both packages; only the package clause
// differs. Everything here lives outside of the Go heap.

// rpWideUnit is how many bytes of an access cost the engine as much as an event: eight words.
const rpWideUnit = 64

// rpIgnoreAll is more than the engine ever adds to a goroutine's ignore, or takes off it. A
// goroutine that has it is not recorded any more.
const rpIgnoreAll = 1 << 30

// rpHeldLen is how many locks are kept of those that a goroutine holds. With more, it counts as
// holding some for good.
const rpHeldLen = 4

// rpLastStacks is how many stacks a goroutine with a table remembers.
const rpLastStacks = 256

// rpFastLen is how many repeats of each kind it knows.
const rpFastLen = 1024

// rpKnownAtomics is how many atomic variables it remembers.
const rpKnownAtomics = 256

// rpKnownAtomic is an atomic variable, and the epoch in which a goroutine knew all that it held.
type rpKnownAtomic struct {
	addr uintptr
	at   uint64
}

// rpRec is one recorded event.
//
//	what: kind in bits 56-63, rpUnseen in bit 48, address in 0-47 (of a fork: the new goroutine)
//	when: size in bytes in bits 48-63 (of an rpLock and an rpToken: see internal/records/kinds.go), stamp in 0-47
//
// The stamp of a synchronization event is its ticket: unique, and in the order
// of the run. The stamp of any other event is the number of tickets handed out
// when it was recorded, so it belongs after all tickets below its stamp.
type rpRec struct {
	_     sys.NotInHeap
	what  uint64
	site  uint32 // address of the site byte less the start of the data segment, plus 1; 0 none
	stack uint32 // index into the stack table, 0 none
	when  uint64
}

// rpChunk is a piece of a goroutine's record. n is published with release
// semantics after the record it counts; next after the chunk is full.
type rpChunk struct {
	_    sys.NotInHeap
	next *rpChunk
	n    uint32
	_    uint32
	recs [rpChunkLen]rpRec
}

// rpStackEntry is an interned stack: its return addresses follow, in four bytes each, and a zero,
// which is none.
type rpStackEntry struct {
	_  sys.NotInHeap
	id uint32
}

// rpFreshCount is what is cleared of rpFresh when a span ends.
type rpFreshCount struct {
	_       sys.NotInHeap
	n, seen uint32
	size    uintptr
}

// rpFreshLen is how many of its newest objects a goroutine remembers.
const rpFreshLen = 8

// rpKeeps is how many allocations a goroutine notes after the beginning of a span, and after each
// access that is looked for among its objects. There are so many that the accesses that the
// rewriter leaves out make no difference to which objects are remembered.
const rpKeeps = 1 << 10

// rpFresh are the newest of the n objects that the goroutine allocated in its current span. [lo,
// hi) encloses the first seen of the n. [p, p+size) is the newest of them, or the one that was
// found last.
type rpFresh struct {
	_ sys.NotInHeap
	rpFreshCount
	p      uintptr
	lo, hi uintptr
	at     [rpFreshLen]struct{ p, size uintptr }
}

// rpCallback is the callback of a lock that a goroutine holds. The zero rpCallback is none.
type rpCallback struct {
	depth  uintptr // of its frame, from the end of the stack, since stacks move; or rpAtOnce
	back   uintptr // where that returns to
	entry  uintptr // its function
	in     uintptr // an address in that function, the one that was looked at last
	inline uintptr // which function that is inlined there is the callback, plus 1; 0 for none (J8)
}

// rpLeft is a lock that a goroutine holds and whose acquire was left out. The zero rpLeft is of one
// that was recorded.
type rpLeft struct {
	_     sys.NotInHeap
	kind  uint8 // of its record
	size  uint16
	stack uint32
	order uint32
}

// rpG is the state of a goroutine; g.racectx points to it.
type rpG struct {
	_      sys.NotInHeap
	id     uint32  // from 1, never reused; see rpNewG
	nheld  int32   // how many of held; more than there is room for: not known any more
	epoch  uint64  // one more than the ticket of the last synchronization: names the current span
	span   uint64  // the same, as notes of accesses name it (filter.go)
	ignore int32   // > 0 while the engine itself runs on this goroutine; aligned as eight bytes together with
	keeps  int32   // how many more of its objects it remembers until it accesses something (fresh.go)
	racing int32   // > 0 while testing fails the test because of a race
	unseen int32   // 1 while its synchronization is unobserved (race.Unseen)
	op     uint32  // stack of the channel operation that it is in, 0 if that is not known
	alone  uint32  // 1 while all other goroutines wait for it (alone.go); others set it to 0
	quiet  uint32  // accesses that it may leave out without a record: rpQuietReads, rpQuiet, or 0 if that is not known (busy.go)
	place  uintptr // of the access without a site, or the synchronization, that it is about to record

	// What the drain looks at, of all goroutines each time, lies in one line of the processor's
	// cache.
	w    *rpChunk
	r    *rpChunk // the drain's: from where on it has to read,
	ri   uint32   // and the record there
	dead uint32   // 1 once the last record was published
	next *rpG     // a free one
	no   uint32   // where rpGs has it

	held       [rpHeldLen]uintptr        // locks taken and not given back by this goroutine
	heldAt     [rpHeldLen]uint16         // the busy places where, as in rpBusyPlaces plus 1; 0 for any other place
	left       [rpHeldLen]rpLeft         // of which the acquire was left out (L5),
	nleft      int32                     // how many these are,
	lefts      uint32                    // and ever were
	leftOpaque uint8                     // what their sections left out: rpLeavesReads, rpLeavesWrites
	leftFresh  bool                      // all of them are of fresh objects (fresh.go)
	shown      bool                      // others may have got to know objects of this span, though no record takes a ticket (V3)
	born       uint64                    // its first span
	creator    uint32                    // the number of the goroutine that started it, 0 if nothing that is recorded did
	aloneAt    uint64                    // rpAloneTimes when it began to wait, or C called
	late       uint32                    // 1 in the context of a timer that fires: a goroutine was alone since it was set
	units      int32                     // calls that it is in that are meant to be atomic
	watched    int32                     // how many of heldBy there are (callback.go)
	heldBy     [rpHeldLen + 1]rpCallback // the last one is of any lock beyond those
	fresh      rpFresh
	pushing    uintptr  // the array to which it is appending, see append.go,
	pushed     uintptr  // and where the next element goes
	key        uintptr  // see fastpath.go
	cache      *rpCache // never nil

	outside      *rpOutside // its system calls; nil before the first
	foreignSpan  uint64     // of its last access of memory that is not Go's (outside_foreign.go): its span,
	foreignCount uint64     // how many were recorded then,
	foreignHow   uintptr    // what it did,
	foreignAt    uintptr    // and where

	goesOn bool  // see rpFindOfOthers
	waited uint8 // what it waits in, while rpFindOfOthers has changed that

	early      [2]uint8 // how many accesses at busy positions it records by (Q7), see early.go,
	earlyAt    uint64   // a bit for each position where it has,
	earlySince uint32   // and passed when that began

	passed       uint32 // accesses at busy positions, see passes
	passedAtomic uint32 // atomic ones, see keepAtomicMiss

	filtered uint64 // accesses that were not recorded: repeats, and those of objects that no other goroutine knows yet
	lookups  uint64 // of repeats in the shadow, see rpCacheAt
}

// rpActsLen is how many objects a system call can act on.
const rpActsLen = 8

// rpActs are the objects that a system call acts on, and what it does to each.
type rpActs struct {
	n  int
	at [rpActsLen]struct {
		object uintptr
		how    uintptr
	}
}

// rpOutside is a system call under way. A goroutine has one, from its first call on.
type rpOutside struct {
	_    sys.NotInHeap
	op   uint8 // rpCallNone: no call is under way
	args [6]uintptr
	rpActs
}

// rpCache is what a goroutine that records much remembers: accesses of its current span
// (fastpath.go), its stacks recorded last, by their sites, and atomic variables of which it has
// acquired all that they held (atomics.go).
type rpCache struct {
	_      sys.NotInHeap
	reads  [rpFastLen]uintptr
	writes [rpFastLen]uintptr
	last   [rpLastStacks]*rpStackEntry
	known  [rpKnownAtomics]rpKnownAtomic
	owner  *rpG
	next   *rpCache
	free   *rpCache
}

// rpBlocked is a goroutine that waits for others (blocked.go).
type rpBlocked struct {
	id    uint32
	stack uint32
	on    uintptr // the semaphore of a lock that it waits for, within the lock
	why   uint8
	stuck bool // no goroutine can wake it
}

// Whether rp_blocked looks for goroutines that no other can wake.
const (
	rpFind         = iota + 1 // while the program runs
	rpFindAtEnd               // of the process
	rpFindOfOthers            // of the process, which a panic ends: those of goesOn are not found, nor what they reach
)

// What it waits in. From rpBlockedInLock on these are locks; the numbers are those of blocked.Wait.
const (
	rpBlockedForEver = iota + 1
	rpBlockedInNilReceive
	rpBlockedInNilSend
	rpBlockedInReceive
	rpBlockedInSend
	rpBlockedInSelect
	rpBlockedInCond
	rpBlockedInWaitGroup
	rpBlockedInLock  // of a Mutex, or before other writers of an RWMutex
	rpBlockedInRLock // of an RWMutex, for its writer
	rpBlockedInWLock // of an RWMutex, for its readers
)

// How a process ends (ends.go).
const (
	rpEndsInOrder  = iota // after its exit hooks
	rpEndsByCall          // without them
	rpEndsByPanic         // that is not recovered
	rpEndsByFatal         // error, of a goroutine's own
	rpEndsBySignal        // whose number is the status
	rpEndsExec            // as it becomes another program, if all goes well
)
