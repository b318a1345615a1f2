//go:build racepred_seam

package runtime

// What a goroutine does with an object in the span in which it allocated the object is not
// recorded. No other goroutine knows the object yet. A goroutine that gets to know it comes after
// the end of the span by the synchronization that handed the object over, or it races for the
// pointer, and accesses of the pointer are recorded. So most initialization never reaches the
// engine, and short-lived objects leave no history, which the engine would have to tell apart from
// that of the next object in the memory.
//
//	(V1) Accesses of the object are left out.
//	(V2) So are its locks that are taken and given back, and atomic operations. They do not end the
//	     span.
//	(V3) After a write of memory that is not fresh (shown), another goroutine may get to know an
//	     object without synchronization. That is a race, but what the object's locks and atomic
//	     variables order from then on is none. So they are recorded for the rest of the span.
//	     SetFinalizer and AddCleanup hand objects on, too, and make no record.
//	(V4) A lock that is left out and not given back is recorded, as if it were taken then, before a
//	     write as in (V3), a record that takes a ticket, and before the goroutine waits, since that
//	     may be for the same lock.
//
// A goroutine stops remembering its objects after rpKeeps of them without an access that is looked
// for here. The next such access starts it again (keep).

// leavesFresh reports whether s leaves out what it does with the lock or atomic variable at p. (V2)
//
//go:nosplit
func (s *rpG) leavesFresh(p uintptr) bool {
	if s.shown || s.unseen|s.units != 0 || !s.fresh.has(p, 1) {
		return false
	}
	s.filtered++
	s.keep()
	return true
}

// omitsWrite is (V3) and (V4) for a write of [p, p+size) that is left out, since its position is
// busy.
//
//go:nosplit
func (s *rpG) omitsWrite(p, size uintptr) {
	if !s.shown && s.ignore == 0 && !s.fresh.has(p, size) {
		s.shows()
	}
}

// shows is (V3) and (V4).
//
//go:nosplit
//go:noinline
func (s *rpG) shows() {
	s.shown = true
	if s.leftFresh {
		s.recordLeft()
	}
}

// rpHandsOn is called when the running goroutine gives a function to the collector, which another
// goroutine calls later. (V3)
func rpHandsOn() {
	if s := rpSelf(); s != nil {
		s.shows()
		s.fresh.rpFreshCount = rpFreshCount{}
		s.newKey()
	}
}

// keep makes the goroutine remember its next rpKeeps objects.
//
//go:nosplit
func (s *rpG) keep() { s.keeps = rpKeeps }

// isLast reports whether [p, p+size) lies in the object that was found last, so that an access of
// it is left out. (V1) Loops go over one object.
//
//go:nosplit
func (s *rpG) isLast(p, size uintptr) bool {
	if !s.fresh.inLast(p, size) {
		return false
	}
	s.keep()
	return true
}

// isFresh is isLast for all of the objects.
//
//go:nosplit
func (s *rpG) isFresh(kind uint64, p, size uintptr) bool {
	return s.fresh.n != 0 && s.findFresh(kind, p, size)
}

//go:nosplit
//go:noinline
func (s *rpG) findFresh(kind uint64, p, size uintptr) bool {
	if !s.fresh.find(p, size) {
		return false
	}
	s.keep()
	s.found(kind, p, size)
	return true
}

// has reports whether [p, p+size) lies in one of the objects.
//
//go:nosplit
func (b *rpFresh) has(p, size uintptr) bool {
	return b.inLast(p, size) || b.n != 0 && b.find(p, size)
}

//go:nosplit
func (b *rpFresh) inLast(p, size uintptr) bool {
	from := p - b.p
	return from < b.size && size <= b.size-from
}

// find is has without a look at the last one.
//
//go:nosplit
func (b *rpFresh) find(p, size uintptr) bool {
	if b.seen != b.n {
		b.see()
	}
	if p-b.lo >= b.hi-b.lo {
		return false
	}
	for i := range min(b.n, rpFreshLen) {
		o := &b.at[i]
		if from := p - o.p; from < o.size {
			b.p, b.size = o.p, o.size
			return size <= o.size-from
		}
	}
	return false
}

// see makes [lo, hi) enclose all objects in b.
//
//go:nosplit
func (b *rpFresh) see() {
	if b.seen == 0 {
		b.lo, b.hi = ^uintptr(0), 0
	}
	for i := range min(b.n-b.seen, rpFreshLen) {
		o := &b.at[(b.n-1-i)%rpFreshLen]
		b.lo, b.hi = min(b.lo, o.p), max(b.hi, o.p+o.size)
	}
	b.seen = b.n
}

// add remembers an object, if the goroutine is to remember any, in the place of the oldest one.
//
//go:nosplit
func (s *rpG) add(p, size uintptr) {
	if s.keeps == 0 || rpFilterOff {
		return
	}
	s.keeps--
	b := &s.fresh
	o := &b.at[b.n%rpFreshLen]
	o.p, o.size = p, size
	b.p, b.size = p, size
	b.n++
}
