//go:build racepred_seam

package runtime

// What a goroutine does to an object in the very span that it allocated the
// object in is not recorded. Nobody else knows the object yet: whoever gets to
// it is ordered after the end of the span by the synchronization that handed it
// over, or raced for the pointer, which is recorded. Most initialization never
// reaches the engine that way, and objects that die young leave no history that their
// memory's next life would have to be told apart from.
//
// A goroutine that does nothing that is recorded for a long time need not remember its objects: the next access makes it do so again (keep).

// keep makes the goroutine remember its next objects.
//
//go:nosplit
func (s *rpG) keep() { s.keeps = rpKeeps }

// has reports whether [p, p+size) lies in one of the objects.
//
//go:nosplit
func (b *rpBorn) has(p, size uintptr) bool {
	if b.seen != b.n {
		b.see()
	}
	if p-b.lo >= b.hi-b.lo {
		return false
	}
	for i := range min(b.n, rpBornLen) {
		if o := &b.at[i]; p-o.p < o.size {
			return size <= o.size-(p-o.p)
		}
	}
	return false
}

// see makes [lo, hi) enclose all objects that are known.
//
//go:nosplit
func (b *rpBorn) see() {
	if b.seen == 0 {
		b.lo, b.hi = ^uintptr(0), 0
	}
	for i := range min(b.n-b.seen, rpBornLen) {
		o := &b.at[(b.n-1-i)%rpBornLen]
		b.lo, b.hi = min(b.lo, o.p), max(b.hi, o.p+o.size)
	}
	b.seen = b.n
}

// add notes an object, if any are to be remembered; the oldest one is forgotten.
//
//go:nosplit
func (s *rpG) add(p, size uintptr) {
	if s.keeps == 0 {
		return
	}
	s.keeps--
	b := &s.born
	o := &b.at[b.n%rpBornLen]
	o.p, o.size = p, size
	b.n++
}
