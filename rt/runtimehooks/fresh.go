//go:build racepred_seam

package runtime

// A goroutine's accesses of an object are not recorded in the span in which it allocated the
// object. No other goroutine knows the object yet. A goroutine that gets to
// know it comes after the end of the span by the synchronization that handed the object
// over, or it races for the pointer, and accesses of the pointer are recorded. So most initialization never
// reaches the engine, and short-lived objects leave no history, which the engine would have to tell apart
// from that of the next object in the memory.
//
// A goroutine stops remembering its objects after rpKeeps of them without an access that is looked for here. The next such access starts it again (keep).

// keep makes the goroutine remember its next rpKeeps objects.
//
//go:nosplit
func (s *rpG) keep() { s.keeps = rpKeeps }

// has reports whether [p, p+size) lies in one of the objects.
//
//go:nosplit
func (b *rpFresh) has(p, size uintptr) bool {
	if b.seen != b.n {
		b.see()
	}
	if p-b.lo >= b.hi-b.lo {
		return false
	}
	for i := range min(b.n, rpFreshLen) {
		if o := &b.at[i]; p-o.p < o.size {
			return size <= o.size-(p-o.p)
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
	if s.keeps == 0 {
		return
	}
	s.keeps--
	b := &s.fresh
	o := &b.at[b.n%rpFreshLen]
	o.p, o.size = p, size
	b.n++
}
