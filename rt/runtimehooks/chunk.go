//go:build racepred_seam

package runtime

import (
	"internal/goarch"
	"internal/runtime/atomic"
	"unsafe"
)

// Chunks of records: a goroutine that writes has one of its own, and the one that drains gives them
// back.

// room makes sure that the current chunk takes one more record (R2). All records but those of
// roomFor come by here.
func (s *rpG) room() {
	if s.leftFresh { // (V4)
		s.recordLeft()
	}
	s.roomInSpan()
}

// roomInSpan is room for a record that takes no ticket. One of a write comes after shows.
func (s *rpG) roomInSpan() {
	if s.watched != 0 {
		s.outlived()
	}
	if c := s.w; c == nil || c.n == rpChunkLen {
		s.grow()
	}
}

func (s *rpG) grow() {
	if rpOutstanding-int64(rpGs.n) > rpGiveUpAt { // each goroutine has one that it needs for its end
		rpGiveUp()
	}
	if s.w != nil && s.cache == &rpNoCache {
		s.takeCache()
	}
	if rpLostAt != 0 {
		s.ignore = rpIgnoreAll // what is about to be recorded still needs its room
	}
	c := rpNewChunk()
	if s.w == nil {
		s.w = c
		atomic.StorepNoWB(unsafe.Pointer(&s.r), unsafe.Pointer(c))
		return
	}
	old := s.w
	s.w = c
	atomic.StorepNoWB(unsafe.Pointer(&old.next), unsafe.Pointer(c))
}

// rpGiveUp ends the recording for good, if no goroutine has drained for too long.
// Every goroutine stops when its chunk is full; all events with a
// ticket below rpLostAt were recorded.
func rpGiveUp() {
	atomic.Cas64(&rpLostAt, 0, atomic.Load64(&rpTickets.n)+1)
}

func rpNewChunk() *rpChunk {
	lock(&rpGLock)
	c := rpTakeChunk()
	unlock(&rpGLock)
	if c == nil {
		c = rpMakeChunk()
	}
	return c
}

// rpTakeChunk counts a chunk that is going to be used, and returns one if there is a free one.
// rpGLock is held.
func rpTakeChunk() *rpChunk {
	rpOutstanding++
	rpTaken++
	rpLookSoon()
	c := rpChunks
	if c != nil {
		rpChunks = c.next
		c.next, c.n = nil, 0
	}
	return c
}

func rpMakeChunk() *rpChunk {
	c := (*rpChunk)(persistentalloc(unsafe.Sizeof(rpChunk{}), 8, &memstats.other_sys))
	c.n = 0 // written before it is read: see rpMark
	return c
}

// publish lets the drain see the first n records.
//
//go:nosplit
func (c *rpChunk) publish(n uint32) {
	if goarch.IsAmd64 == 0 {
		publicationBarrier() // amd64 keeps stores in order, and so does the compiler
	}
	c.n = n
}
