//go:build racepred_seam

package runtime

import "internal/runtime/atomic"

// What only one goroutine has used, and what is left out for that while it is alone (rules L of
// alone.go).

// rpClasses has, for each class of goroutines in notes, how many live, and the only one of those
// that lived since it began; 0 if there is none. (L4)
var rpClasses [rpSpanOwner + 1]struct{ live, only uint32 }

// begins enters s, a new goroutine.
func (s *rpG) begins() {
	c := &rpClasses[s.id&rpSpanOwner]
	only := s.id
	if atomic.Xadd(&c.live, 1) != 1 {
		only = 0
	}
	atomic.Store(&c.only, only)
}

// ends takes it out.
//
//go:nosplit
func (s *rpG) ends() { atomic.Xadd(&rpClasses[s.id&rpSpanOwner].live, -1) }

//go:nosplit
func (s *rpG) ownsClass() bool { return atomic.Load(&rpClasses[s.id&rpSpanOwner].only) == s.id }

// ownsWord is owns for the word of p, which is in the heap and has this shadow. Memory of which
// nobody has left a note costs no look at its shadow.
//
//go:nosplit
func (s *rpG) ownsWord(p uintptr, sh *[2]uint64) bool { return *rpNotedAt(p) == 0 || s.owns(sh) }

// owns reports whether all notes of a word are of s. (L2)
//
//go:nosplit
func (s *rpG) owns(sh *[2]uint64) bool { return s.wrote(sh[0]) && s.wrote(sh[1]) }

//go:nosplit
func (s *rpG) wrote(note uint64) bool {
	span := note >> rpSpanAt
	return note == 0 || note&rpLost == 0 && span >= s.born && (span^s.born)&rpSpanOwner == 0
}

// mayLeave reports whether s is alone, and outside of sections that are recorded and of what is
// meant to be atomic. (L2)
//
//go:nosplit
func (s *rpG) mayLeave() bool { return s.alone != 0 && s.nheld == s.nleft && s.units == 0 }

// ownsAll reports whether the size bytes at p, which need not have a shadow, are all of s.
//
//go:nosplit
func (s *rpG) ownsAll(p, size uintptr) bool {
	for end := p + size; p < end; {
		if rpAlone(p) {
			p = p&^(1<<rpNotedBits-1) + 1<<rpNotedBits
			continue
		}
		if sh := rpShadow(p); sh == nil || !s.owns(sh) {
			return false
		}
		p = p&^7 + 8
	}
	return true
}

// leaves reports whether s leaves out what it does with the object at p, since it is alone and no
// other goroutine has used it.
//
//go:nosplit
func (s *rpG) leaves(p uintptr) bool {
	if !s.mayLeave() || !s.ownsObject(p) {
		return false
	}
	s.filtered++
	return true
}

//go:nosplit
func (s *rpG) ownsObject(p uintptr) bool {
	if rpAlone(p) {
		return true
	}
	sh := rpShadow(p)
	return sh != nil && s.owns(sh)
}

// uses leaves a note that s has used the object at p, by which a new life of its memory is
// announced, too. (L3)
//
//go:nosplit
func (s *rpG) uses(p uintptr) {
	sh := rpShadow(p)
	if sh == nil {
		return
	}
	s.note(sh, p, 0)
}

// leavesTaken reports whether s leaves out the record of a lock that it has just taken, or of one
// that it failed to take. (L2), (V2)
func (s *rpG) leavesTaken(p uintptr, kind uint64) bool {
	known := uint32(s.nheld) < rpHeldLen
	switch {
	case known && s.leaves(p):
		s.leftFresh = false
		return true
	case known && kind != rpTryFail && (s.nleft == 0 || s.leftFresh) && s.leavesFresh(p):
		s.leftFresh = true
		return true
	case s.nleft != 0 && (s.alone == 0 || !known):
		s.recordLeft()
	}
	return false
}

// leavesLock leaves out the record of a lock that s has just taken. One without a stack begins a
// hard section if it is recorded.
func (s *rpG) leavesLock(gp *g, addr uintptr, kind, size uint64, stack uint32) {
	s.hold(addr)
	s.nleft++
	s.lefts++
	s.left[s.nheld-1] = rpLeft{kind: uint8(kind), size: uint16(size), stack: stack, order: s.lefts}
	if stack != 0 {
		s.tookLock(gp)
	}
}

// recordLeft records the locks that were left out and that s still holds. (L5), (V4) If s was
// alone, and is not any more, their sections are hard.
func (s *rpG) recordLeft() {
	unseen, hard := s.unseen, s.alone == 0 && !s.leftFresh
	s.unseen, s.leftFresh = 0, false
	for s.nleft > 0 {
		next := -1
		for i := range min(s.nheld, rpHeldLen) {
			if s.left[i].kind != 0 && (next < 0 || s.left[i].order < s.left[next].order) {
				next = int(i)
			}
		}
		l := &s.left[next]
		if hard {
			l.stack, l.size = 0, l.size&rpLockTried
		}
		s.uses(s.held[next])
		s.room()
		s.ticketed(uint64(l.kind), s.held[next], uint64(l.size), l.stack)
		*l = rpLeft{}
		s.nleft--
	}
	s.unseen, s.quiet = unseen, 0
	if o := s.leftOpaque; o != 0 {
		s.leftOpaque = 0
		kind := uint64(rpOpaque)
		if o == rpLeavesReads {
			kind = rpRead
		}
		s.opaque(kind, nil)
	}
}

// acquiresAll makes s come after all that was recorded so far. (L6)
//
//go:nosplit
func (s *rpG) acquiresAll() {
	if s.ignore == 0 {
		s.sync(rpAcquireAll, 0, 0)
	}
}
