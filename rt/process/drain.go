//go:build racepred_seam

package process

import (
	"sync/atomic"
	"unsafe"
)

// gapPatience bounds the wait for a record whose ticket was taken but which was not published
// yet. Its goroutine cannot be preempted in between, so it is only waiting for its thread to be scheduled.
const gapPatience = 2e9 // nanoseconds

// cursor is one goroutine in the merge: its next record and where to stop.
type cursor struct {
	g     *rpG
	key   uint64 // 2*stamp for plain records, 2*stamp+1 for tickets: plain ones come first
	end   *rpChunk
	endAt uint32
}

// drain feeds the engine everything that was published, in the order of the run:
//
//	(D1) the record with ticket t comes after all tickets below t;
//	(D2) a plain record with stamp s comes after all tickets below s and before ticket s
//	     or any later one of its goroutine;
//	(D3) a goroutine's records keep their order.
//
// A missing ticket ends the drain; if all is set, drain waits for it.
func (a *analysis) drain(all bool) {
	since := int64(0)
	for {
		if a.discard {
			discard()
			break
		}
		if a.merge() {
			break
		}
		if !all {
			break
		}
		if since == 0 {
			since = runtime_now()
		} else if runtime_now()-since > gapPatience {
			a.gaps++
			break
		}
		runtime_yield()
	}
	a.reap()
	if a.check != nil {
		a.check.drained(a)
	}
	a.recorded(false)
	runtime_drained(a.drainAt(), giveUpAt+int64(a.live))
}

// discard consumes what is published now and makes nothing of it.
func discard() {
	for s := (*rpG)(runtime_all()); s != nil; s = s.next {
		c, ok := open(s)
		for ok {
			s.ri = rpChunkLen
			if s.r == c.end {
				s.ri = c.endAt
			}
			ok = c.load()
		}
	}
}

// merge consumes what is published now and reports whether no ticket was missing.
func (a *analysis) merge() bool {
	h := a.heap[:0]
	for s := (*rpG)(runtime_all()); s != nil; s = s.next {
		if c, ok := open(s); ok {
			h = append(h, c)
		}
	}
	for i := len(h)/2 - 1; i >= 0; i-- {
		down(h, i)
	}
	complete := true
	lost := runtime_lostAt() // if it is set from now on, all that was opened came before
	for len(h) > 0 {
		c := &h[0]
		stamp := c.key >> 1
		if lost != 0 && stamp+1 >= lost {
			a.lost = true
			break
		}
		if stamp > a.next || c.key&1 == 1 && stamp != a.next {
			complete = false
			break
		}
		r := &c.g.r.recs[c.g.ri]
		a.convert(c.g, r)
		c.g.ri++
		if c.load() {
			down(h, 0)
			continue
		}
		h[0] = h[len(h)-1]
		h = h[:len(h)-1]
		if len(h) > 0 {
			down(h, 0)
		}
	}
	a.heap = h[:0]
	return complete
}

// open starts reading s up to what it has published by now.
func open(s *rpG) (cursor, bool) {
	c := cursor{g: s}
	c.end = (*rpChunk)(atomic.LoadPointer((*unsafe.Pointer)(unsafe.Pointer(&s.w))))
	if c.end == nil || s.r == nil {
		return c, false
	}
	c.endAt = atomic.LoadUint32(&c.end.n)
	return c, c.load()
}

// load moves to the next record, freeing chunks that are done with, and sets the key.
func (c *cursor) load() bool {
	s := c.g
	if s.r == c.end {
		if s.ri >= c.endAt {
			return false
		}
	} else if s.ri == rpChunkLen {
		next := (*rpChunk)(atomic.LoadPointer((*unsafe.Pointer)(unsafe.Pointer(&s.r.next))))
		if next == nil {
			return false
		}
		old := s.r
		s.r, s.ri = next, 0
		free(old)
		if s.r == c.end && c.endAt == 0 {
			return false
		}
	}
	r := &s.r.recs[s.ri]
	c.key = r.when & rpStampMask * 2
	if r.what>>56 >= rpTicketed {
		c.key++
	}
	return true
}

func down(h []cursor, i int) {
	for {
		k := 2*i + 1
		if k >= len(h) {
			return
		}
		if k+1 < len(h) && h[k+1].key < h[k].key {
			k++
		}
		if h[i].key <= h[k].key {
			return
		}
		h[i], h[k] = h[k], h[i]
		i = k
	}
}

// reap frees the goroutines that ended and whose records were all read.
func (a *analysis) reap() {
	dead := false
	a.live = 0
	for s := (*rpG)(runtime_all()); s != nil; s = s.next {
		a.live++
		if atomic.LoadUint32(&s.dead) == 0 {
			continue
		}
		if s.w != nil {
			if s.r != s.w || s.ri < s.w.n {
				continue
			}
			free(s.w)
		} else if !a.lost {
			continue
		}
		s.w, s.r = nil, nil
		s.pending = ^uint32(0)
		dead = true
	}
	if dead {
		runtime_reap()
	}
	giveBack()
}

// freed are chunks that were read, linked, fewer than maxFreed: giving each of them back would take a lock that everybody wants.
var freed struct {
	first, last *rpChunk
	n           int
}

const maxFreed = 16

func free(c *rpChunk) {
	if c.next = freed.first; freed.first == nil {
		freed.last = c
	}
	freed.first = c
	if freed.n++; freed.n == maxFreed {
		giveBack()
	}
}

func giveBack() {
	if freed.n > 0 {
		runtime_freeChunks(unsafe.Pointer(freed.first), unsafe.Pointer(freed.last), freed.n)
	}
	freed.first, freed.last, freed.n = nil, nil, 0
}
