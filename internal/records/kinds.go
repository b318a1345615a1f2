package records

// What a raw record says. This file is laid into package runtime, too, which writes the records, hence the names.

// rpChunkLen is the number of records of a chunk: 62 records of 24 bytes and a
// header of 16 make 1504 bytes, so that a goroutine that did little stays cheap.
const rpChunkLen = 62

// The kinds of raw records. rpTicketed and above take a ticket.
const (
	rpRead = iota + 1
	rpWrite
	rpOpaque
	rpModify // x op= y: see below
	rpAppend // list = append(list, ...): of the list, see append.go
	rpPart   // and of elements: the flags are rpRead or rpWrite
	rpUnit   // a call of a function that is meant to be atomic, or whose sections are: the size says what of it

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
	rpAtomicAdd // read-modify-writes whose result nobody looks at
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
	rpToldOfAll // it sees what everybody did, see told.go
	rpTestBegin
)

// Objects that are nowhere in memory (internal/records/told.go).
const (
	rpGoroutines  = 2 + iota // how many there are
	rpEverything             // that anybody did
	rpSettings               // of the runtime
	rpCollections            // of garbage, that the program asked for
)

// The size of an rpTryFail is 0 or rpTryRead: the attempt was one in read mode.
const rpTryRead = 1

// The size of an rpLock or rpRLock is made of these.
const (
	rpLockRead        = 1 << iota // the lock's first byte was read, which races with whoever overwrites the lock
	rpLockLeavesReads             // what the section leaves out are reads (busy.go)
	rpLockTried                   // its goroutine would have gone on without the lock
)

// The flags of an rpOpaque are 0 or rpOpaqueReads.
const rpOpaqueReads = 1 // what is left out are reads

// The size of an rpToken is where the buffer begins in the channel, in bytes, and rpTokenBits bits below that.
const (
	rpTokenSent  = 1 << iota // it is a send
	rpTokenEmpty             // the elements have no size

	rpTokenBits = iota
)

// The size of an rpUnit.
const (
	rpUnitMarked   = iota + 1 // it begins, and is meant to be atomic
	rpUnitSections            // it begins, and what is done in a section and in the next one is meant to be
	rpUnitEnd
	rpUnitTurn // of a loop in it
)

// The flags of an rpModify are the operation, one of those whose order does not matter among its like. Of one that may repeat one of its span see modify.go.
const (
	rpModifyAdd = iota + 1 // x += y, x -= y, x++, x--
	rpModifyAnd            // x &= y, x &^= y
	rpModifyOr
	rpModifyXor
	rpModifyMul
	rpModifyMap // m[k] = v, delete(m, k), clear(m): their order matters to those who read the map
)

const (
	rpUnseen    = 1 << 48 // on records with a ticket, see rpG.unseen
	rpAddrMask  = 1<<48 - 1
	rpStampMask = 1<<48 - 1
)
