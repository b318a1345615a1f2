package records

// The kinds and flags of raw records. This file is laid into package runtime, too, which writes the
// records; hence the names.

// rpChunkLen is the number of records of a chunk: 62 records of 24 bytes and a
// header of 16 make 1504 bytes, so that a goroutine that did little stays cheap.
const rpChunkLen = 62

// The kinds of raw records. rpTicketed and above take a ticket.
const (
	rpRead = iota + 1
	rpWrite
	rpOpaque
	rpModify // x op= y: see below
	rpAppend // list = append(list, ...): the access of the list, see append.go
	rpPart   // the accesses of its elements: the flags are rpRead or rpWrite
	rpReload // an atomic load by a goroutine that has acquired all that the variable holds
	rpMissed // the access before it conflicts with one that was left out
	rpUnit   // the begin, end or a turn of a function that is meant to be atomic, or whose sections are, by the size

	rpTicketed
	rpAcquire
	rpRelease
	rpReleaseMerge
	rpReleaseAcquire
	rpLock
	rpUnlock
	rpRLock
	rpRUnlock
	rpTryFail
	rpAtomicLoad
	rpAtomicStore
	rpAtomicRMW
	rpAtomicAdd // read-modify-writes whose result is not used
	rpAtomicAnd
	rpAtomicOr
	rpChange
	rpObserve
	rpCommute // a Change that commutes with its like
	rpToken   // a send or a receive on a channel with room for one element without pointers
	rpFork
	rpEnd
	rpAlloc
	rpAcquireAll
	rpToldOfAll // it sees what all goroutines did, see told.go
	rpTestBegin
)

// Objects that have no memory (internal/records/told.go).
const (
	rpGoroutines  = 2 + iota // the number of goroutines
	rpEverything             // what all goroutines did
	rpSettings               // the settings of the runtime
	rpCollections            // the garbage collections that the program asked for
)

// The size of an rpTryFail is 0 or rpTryRead: the attempt was one in read mode.
const rpTryRead = 1

// The size of an rpLock or rpRLock is made of these.
const (
	rpLockRead        = 1 << iota // the lock's first byte was read, which races with code that overwrites the lock
	rpLockLeavesReads             // the section leaves out reads (busy.go)
	rpLockTried                   // it was a TryLock
)

// The flags of an rpRead or rpWrite are 0 or rpOfLock.
const rpOfLock = 1 // package sync looks at a lock or a WaitGroup, or adds to one from zero: those writes do not race with each other

// The flags of an rpOpaque are 0 or rpOpaqueReads.
const rpOpaqueReads = 1 // only reads are left out

// The size of an rpToken is where the buffer begins in the channel, in bytes, and rpTokenBits bits
// below that.
const (
	rpTokenSent  = 1 << iota // it is a send
	rpTokenWaits             // which waits until there is room
	rpTokenEmpty             // the elements have no size

	rpTokenBits = iota
)

// An rpMissed has the goroutine of the access that was left out as its address, rpRead or rpWrite
// as its flags, and as its size how many tickets were handed out since. If that access was atomic,
// so say the flags.
const rpMissedAtomic = 1 << 7

// The size of an rpUnit.
const (
	rpUnitMarked   = iota + 1 // it begins, and is meant to be atomic
	rpUnitSections            // it begins, and each two successive sections of it are meant to be atomic together
	rpUnitEnd
	rpUnitTurn // of a loop in it
)

// The flags of an rpModify are the operation. Two operations of one kind commute. modify.go says
// which may repeat one of their span.
const (
	rpModifyAdd = iota + 1 // x += y, x -= y, x++, x--
	rpModifyAnd            // x &= y, x &^= y
	rpModifyOr
	rpModifyXor
	rpModifyMul
	rpModifyMap // m[k] = v, delete(m, k), clear(m): their order matters to a read of the map
)

const (
	rpUnseen    = 1 << 48 // on records with a ticket, see rpG.unseen
	rpAddrMask  = 1<<48 - 1
	rpStampMask = 1<<48 - 1
)
