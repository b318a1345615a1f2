package vclock

import (
	"math/bits"
	"unsafe"
)

// Pool keeps unused vectors and their memory, by size: how many times have room, a power of two.
// The zero Pool is ready to use.
type Pool struct {
	// Arena is where vectors are made, as predict.Arena says; nil is the Go heap.
	Arena func(bytes uintptr) unsafe.Pointer
	Slots *Slots // says which origins are stale; nil: none
	Plain bool   // vectors have no origins; for tests that compare both
	Live  int    // bytes of all vectors in use

	handles  *Vec     // the unused ones, linked by base
	times    [2]times // of full vectors and of brief ones
	made     int      // handles, in use or not
	trees    freeParts[tree]
	roots    roots
	branches freeParts[branch]
	leaves   freeParts[leaf]

	held  int   // bytes of memory from the heap
	slabs []any // all of that memory: pointers to it may lie where the collector does not look

	ours, theirs [nearSlots]Time // of brief vectors

	parts uint64 // names of parts of trees given out
}

// times are the unused arrays of times, by class. Each has the address of the next one in its first
// two times. The slabs keep all of them alive.
type times [maxClass + 1]struct {
	free *Time
	made int
}

// next is what comes after t, of which t is the beginning, in the list of unused ones.
func next[T any](t *T) *T { return *(**T)(unsafe.Pointer(t)) }

// put links something unused that begins with t. It writes the address as a number: for a write of
// a pointer the collector would look at the former value, which may be no pointer.
func put[T any](free **T, t *T) {
	*(*uintptr)(unsafe.Pointer(t)) = uintptr(unsafe.Pointer(*free))
	*free = t
}

const (
	minClass  = 3       // the smallest full vector has room for 8 slots
	maxClass  = 6       // the largest has room for nearSlots
	slabBytes = 1 << 16 // as predict.FreeList's

	vecBytes   = int(unsafe.Sizeof(Vec{}))
	notedBytes = 2 * maxChanges
)

// Bytes is about how much of the heap the pool's vectors take, in use or not.
func (p *Pool) Bytes() int { return p.held }

// handle returns a Vec for the caller to fill.
func (p *Pool) handle() *Vec {
	if p.handles == nil {
		slab := makeSlab[Vec](p, &p.made, vecBytes)
		for i := len(slab) - 1; i >= 0; i-- {
			slab[i].base, p.handles = p.handles, &slab[i]
		}
	}
	v := p.handles
	p.handles = v.base
	p.Live += vecBytes
	return v
}

// makeSlab makes as many as there are, up to what lies in memory of its own; bytes is what one
// takes.
func makeSlab[T any](p *Pool, made *int, bytes int) []T {
	n := max(1, min(*made, slabBytes/bytes))
	*made += n
	count := n * bytes / int(unsafe.Sizeof(*new(T)))
	if p.Arena != nil {
		return unsafe.Slice((*T)(p.Arena(uintptr(n*bytes))), count)
	}
	p.held += n * bytes
	slab := make([]T, count)
	p.slabs = append(p.slabs, slab)
	return slab
}

// timesBytes is how many bytes the times of a vector take, with the notes of changed slots.
func timesBytes(brief bool, class uint8) int {
	if brief {
		return 4 << class
	}
	return 4<<class + notedBytes
}

func (p *Pool) timesOf(brief bool) *times {
	if brief {
		return &p.times[1]
	}
	return &p.times[0]
}

// block returns an array of times of a class.
func (p *Pool) block(brief bool, class uint8) *Time {
	size, of := timesBytes(brief, class), &p.timesOf(brief)[class]
	if of.free == nil {
		slab := makeSlab[Time](p, &of.made, size)
		for i := len(slab) - size/4; i >= 0; i -= size / 4 {
			put(&of.free, &slab[i])
		}
	}
	b := of.free
	of.free = next(b)
	p.Live += size
	return b
}

// dropTimes gives back the times of v.
func (p *Pool) dropTimes(v *Vec) {
	if v.times == nil {
		return
	}
	of := &p.timesOf(v.brief)[v.class]
	put(&of.free, v.times)
	p.Live -= timesBytes(v.brief, v.class)
	v.times = nil
}

// full returns a full Vec with n times for the caller to fill.
func (p *Pool) full(n int) *Vec {
	class := uint8(max(bits.Len(uint(n-1)), minClass))
	v := p.handle()
	*v = Vec{times: p.block(false, class), class: class, n: uint8(n), refs: 1}
	return v
}

// fit makes room for at least n times in a full Vec.
func (p *Pool) fit(v *Vec, n int) {
	if n <= int(v.n) {
		return
	}
	if n > 1<<v.class {
		old := *v
		v.class = uint8(bits.Len(uint(n - 1)))
		v.times = p.block(false, v.class)
		copy(v.near(), old.near())
		for i := range v.changes {
			*v.noted(i) = *old.noted(i)
		}
		p.dropTimes(&old)
	}
	l := v.n
	v.n = uint8(n)
	clear(v.near()[l:])
}

// Drop gives up one count of v. The caller must not use v any more.
func (p *Pool) Drop(v *Vec) {
	if v != nil {
		if v.refs--; v.refs <= 0 {
			p.free(v)
		}
	}
}

// free takes back a Vec that nobody uses any more.
func (p *Pool) free(v *Vec) {
	if v.refs < 0 {
		panic("internal error: vclock: vector dropped twice")
	}
	p.dropTimes(v)
	p.dropTree(v.far)
	base := v.base
	*v = Vec{base: p.handles}
	p.handles = v
	p.Live -= vecBytes
	p.Drop(base)
}
