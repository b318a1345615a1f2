//go:build racepred_seam

package process

import (
	"sync/atomic"
	"unsafe"

	"github.com/racepred/racepred/internal/records"
)

// gapPatience bounds the wait for a record whose ticket was taken and which is not published yet.
// Its goroutine cannot be preempted in between, so it only waits until the system schedules its
// thread.
const gapPatience = 2e9 // nanoseconds

// drain feeds the engine everything that was published, in the order of the run (records.Merger).
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

// When events are checked, a merge waits for some nanoseconds after every few goroutines that it
// looks at, so that more happens in between than otherwise.
const (
	checkEvery  = 3
	checkSlowly = 100e3
)

// merge consumes what is published now and reports whether no ticket was missing.
func (a *analysis) merge() bool {
	a.begin()
	lost := runtime_lostAt() // read first: if it is set later, all that is merged came before
	defer a.end()
	return a.merger.Merge(a.converter, lost)
}

// discard drops what is published now.
func (a *analysis) discard() {
	a.begin()
	a.merger.Discard()
	a.end()
}

// goroutines are all that are recorded, until they are reaped.
func goroutines() []*rpG {
	at, n := runtime_goroutines()
	return unsafe.Slice((**rpG)(at), n)
}

// begin gives every goroutine's records that are published now to the merger, and notes which
// goroutines had ended before.
func (a *analysis) begin() {
	a.opened, a.ended = a.opened[:0], a.ended[:0]
	a.merger.Begin(runtime_tickets())
	all, looked := goroutines(), 0
	a.live = len(all)
	for _, s := range all {
		if atomic.LoadUint32(&s.dead) != 0 {
			a.ended = append(a.ended, s)
		}
		end := (*records.Chunk)(atomic.LoadPointer((*unsafe.Pointer)(unsafe.Pointer(&s.w))))
		if end == nil || s.r == nil {
			continue
		}
		endAt := end.Published()
		if looked++; a.check != nil && looked%checkEvery == 0 {
			for since := runtime_now(); runtime_now()-since < checkSlowly; {
			}
		}
		from := records.Position{Chunk: (*records.Chunk)(unsafe.Pointer(s.r)), At: s.ri}
		to := records.Position{Chunk: end, At: endAt}
		if from.Chunk == to.Chunk && from.At >= to.At {
			continue
		}
		a.opened = append(a.opened, s)
		a.merger.Add(s.id, from, to)
	}
}

// end remembers where the next merge begins.
func (a *analysis) end() {
	for i, s := range a.opened {
		left := a.merger.Left(i)
		s.r, s.ri = (*rpChunk)(unsafe.Pointer(left.Chunk)), left.At
	}
}

// reap frees the goroutines that had ended and whose records were all read.
func (a *analysis) reap() {
	dead := a.ended[:0]
	for _, s := range a.ended {
		if s.w != nil {
			if s.r != s.w || s.ri < s.w.n {
				continue
			}
			free(s.w)
		} else if !a.converter.Lost() {
			continue
		}
		s.w, s.r = nil, nil
		dead = append(dead, s)
	}
	if len(dead) > 0 {
		runtime_reap(unsafe.Pointer(&dead[0]), len(dead))
	}
	a.ended = a.ended[:0]
	giveBack()
}

// freed are chunks that were read, linked, fewer than maxFreed. They are given back together, since
// that takes a lock that all goroutines use.
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

// Package records reads the chunks that package runtime writes: both types have the same layout.
var (
	_ = [1]struct{}{}[unsafe.Sizeof(rpChunk{})-unsafe.Sizeof(records.Chunk{})]
	_ = [1]struct{}{}[unsafe.Sizeof(rpRec{})-unsafe.Sizeof(records.Record{})]
	_ = [1]struct{}{}[unsafe.Offsetof(rpRec{}.what)-unsafe.Offsetof(records.Record{}.What)]
	_ = [1]struct{}{}[unsafe.Offsetof(rpRec{}.site)-unsafe.Offsetof(records.Record{}.Site)]
	_ = [1]struct{}{}[unsafe.Offsetof(rpRec{}.stack)-unsafe.Offsetof(records.Record{}.Stack)]
	_ = [1]struct{}{}[unsafe.Offsetof(rpRec{}.when)-unsafe.Offsetof(records.Record{}.When)]
)
