//go:build racepred_seam

package process

import (
	"sync/atomic"
	"unsafe"
)

// gapPatience bounds the wait for a record whose ticket was taken but which was not published
// yet. Its goroutine cannot be preempted in between, so it is only waiting for its thread to be scheduled.
const gapPatience = 2e9 // nanoseconds

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
		if a.discarding {
			a.discard()
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
	runtime_heap(uint64(a.engine.Heap()))
	runtime_drained(a.drainAt(), giveUpAt)
}

// discard consumes what is published now and makes nothing of it.
func (a *analysis) discard() {
	a.merger.open(false)
	for i := range a.merger.cursors {
		c := &a.merger.cursors[i]
		for c.ri = c.to(c.r); c.turn(); {
			c.ri = c.to(c.r)
		}
	}
	a.merger.close()
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
