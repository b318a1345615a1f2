//go:build racepred_seam

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// While a lock is held, list = append(list, ...) is recorded as one event, rpAppend, and as its
// parts, rpPart: the old value of the list goes only into the list. Without a lock it is a read and
// a write of the list, and accesses of elements.
//
//	(A1) That is done only if the elements found room in the array, or the array had none: then the
//	     elements that are added fill the same bytes in whatever order goroutines add them
//	     (internal/trace/append.go).
//	(A2) No part of it is left out as a repeat, and no other access is left out as a repeat of it.
//	(A3) The shadow has a mark of each word, so that a new life of the memory is recorded, wherever
//	     it begins.
//	(A4) append itself has hooks for a copy to a new array, and for elements with pointers that it
//	     adds. They record nothing here: RacepredPushed does, right after append.

// racepredList is a variable that holds a slice, with the sites of its read, of the elements that
// are added, and of its write.
type racepredList[S any] struct {
	p                    *S
	read, element, write *byte
}

// RacepredList is for RacepredPushed.
func RacepredList[S any](p *S, read, element, write *byte) racepredList[S] {
	return racepredList[S]{p, read, element, write}
}

// RacepredPushing notes that elements are going to be appended to *p, and returns p.
func RacepredPushing[S ~[]E, E any](p *S) *S {
	if s := (*rpG)(unsafe.Pointer(getg().racectx)); s != nil && s.nheld != 0 && p != nil { // (A4)
		l := (*slice)(unsafe.Pointer(p))
		s.pushing = uintptr(l.array)
		s.pushed = s.pushing + uintptr(l.len)*unsafe.Sizeof(*new(E))
	}
	return p
}

// rpPushedCopy is rpG.pushing after append has copied the elements.
const rpPushedCopy = 1

// pushes reports whether a copy of elements at p by append is left to RacepredPushed. (A4)
//
//go:nosplit
func (s *rpG) pushes(p uintptr) bool {
	if s.pushing != p || s.nheld == 0 || p == 0 {
		return false
	}
	s.pushing = rpPushedCopy
	return true
}

// adds reports whether a write of elements at p by append is left to it, too. (A4)
//
//go:nosplit
func (s *rpG) adds(p uintptr) bool { return s.pushing != 0 && s.pushed == p && s.nheld != 0 }

// RacepredPushed records list = append(list, ...) before it is assigned: *l.p is what it was. It
// returns v, the new value.
func RacepredPushed[S ~[]E, E any](v S, l racepredList[S]) S {
	rpPushedAt(unsafe.Pointer(l.p), *(*slice)(unsafe.Pointer(&v)), unsafe.Sizeof(*new(E)), l.read, l.element, l.write)
	return v
}

//go:noinline
func rpPushedAt(p unsafe.Pointer, to slice, size uintptr, read, element, write *byte) {
	s := (*rpG)(unsafe.Pointer(getg().racectx))
	if s == nil {
		return
	}
	pushing := s.pushing
	s.pushing = 0
	from := *(*slice)(p)
	n := to.len - from.len
	grows := to.len > from.cap
	whole := unsafe.Sizeof(from)
	known := pushing == uintptr(from.array) || pushing == rpPushedCopy // nothing else was appended to in between
	same := n > 0 && known && (grows && from.len == from.cap || !grows && from.array == to.array)
	gp := getg()
	local := uintptr(p)-gp.stack.lo < gp.stack.hi-gp.stack.lo
	if s.nheld == 0 || !same || size == 0 || uintptr(n)*size > rpPartMax || local || s.ignore|s.unseen != 0 || gp != gp.m.curg || !rpValid(uintptr(p)) ||
		s.fresh.n != 0 && s.fresh.has(uintptr(p), whole) || s.mayLeave() && s.ownsAll(uintptr(p), whole) {
		rpReadAt(p, whole, read)
		if pushing == rpPushedCopy {
			rpReadAt(from.array, uintptr(from.len)*size, nil)
		}
		if n > 0 && size != 0 {
			rpWriteAt(add(to.array, uintptr(from.len)*size), uintptr(n)*size, element)
		}
		rpWriteAt(p, whole, write)
		return
	}
	if *write&rpIsBusy != 0 {
		s.omitsWrite(uintptr(p), whole)
		s.omits(rpWrite, write)
		return
	}
	site := rpSite(write)
	s.keep()
	if !s.shown { // (V3)
		s.shows()
	}
	s.countHit(site, whole)
	stack := s.knownStack(gp, site, getfp())
	if stack == 0 {
		stack = rpNewStack(gp, site, 1)
	}
	rpMarkWords(uintptr(p), whole)
	s.room()
	s.plain(rpAppend, 0, uintptr(p), uint64(whole), site, stack)
	at := uintptr(from.array)
	if !grows {
		s.part(rpWrite, at+uintptr(from.len)*size, uintptr(n)*size, rpSite(element), stack)
	} else {
		s.part(rpRead, at, uintptr(from.len)*size, 0, stack)
	}
	rpPoll()
}

// rpMarkWords is (A3).
func rpMarkWords(p, size uintptr) {
	for at := p &^ 7; at < p+size; at += 8 {
		rpMarkSync(at)
	}
}

// rpPartMax is how many bytes a record can have.
const rpPartMax = 65528

// part records accesses of size bytes of elements at p. It does nothing if size is 0, or memory at
// p is not recorded.
func (s *rpG) part(kind uint64, p, size uintptr, site, stack uint32) {
	if size == 0 || !rpValid(p) {
		return
	}
	rpMarkWords(p, size)
	if size > rpFastSize {
		atomic.Xadd64((*uint64)(unsafe.Pointer(&rpWide)), int64(size/rpWideUnit))
	}
	for size > 0 {
		n := min(size, rpPartMax)
		s.room()
		s.plain(rpPart, kind, p, uint64(n), site, stack)
		p, size = p+n, size-n
	}
}
