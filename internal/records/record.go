package records

import (
	"sync/atomic"
	"unsafe"
)

// Record is one raw record, rpRec of rt/runtimehooks/layout.go.
//
//	What: kind in bits 56-63, rpUnseen in bit 48, address in 0-47 (of a fork: the new goroutine)
//	When: size in bytes in bits 48-63 (of an rpLock and an rpToken: see kinds.go), stamp in 0-47
//
// The stamp of a synchronization event is its ticket: unique, and in the order
// of the run. The stamp of any other event is the number of tickets handed out
// when it was recorded, so it belongs after all tickets below its stamp.
type Record struct {
	What  uint64
	Site  uint32 // 0: none
	Stack uint32 // 0: none
	When  uint64
}

func (r *Record) kind() uint64 { return r.What >> 56 }

func (r *Record) stamp() uint64 { return r.When & rpStampMask }

// Chunk is a piece of a goroutine's records, rpChunk of rt/runtimehooks/layout.go. The goroutine
// publishes n with release semantics after the record that it counts, and next after the chunk is
// full.
type Chunk struct {
	next unsafe.Pointer // *Chunk
	n    uint32
	_    uint32
	recs [rpChunkLen]Record
}

// after is the next chunk, nil if it is not published yet.
func (k *Chunk) after() *Chunk { return (*Chunk)(atomic.LoadPointer(&k.next)) }

// Published is how many records of the chunk may be read.
func (k *Chunk) Published() uint32 { return atomic.LoadUint32(&k.n) }

// Position is a place in the records of a goroutine: of record At of a chunk, or behind its last
// record.
type Position struct {
	Chunk *Chunk
	At    uint32
}
