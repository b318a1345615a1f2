//go:build racepred_seam

package runtime

// What a goroutine does to an object in the very span that it allocated the
// object in is not recorded. Nobody else knows the object yet: whoever gets to
// it is ordered after the end of the span by the synchronization that handed it
// over, or raced for the pointer, which is recorded. Most initialization never
// reaches the engine that way, and objects that die young leave no history that their
// memory's next life would have to be told apart from.

// has reports whether [p, p+size) lies in an object of the span epoch.
//
//go:nosplit
func (b *rpBorn) has(epoch uint64, p, size uintptr) bool {
	if b.epoch != epoch || p-b.lo >= b.hi-b.lo {
		return false
	}
	for i := range min(b.n, rpBornLen) {
		if o := &b.at[i]; p-o.lo < o.hi-o.lo {
			return size <= o.hi-p
		}
	}
	return false
}

// add notes an object; the oldest one is forgotten.
//
//go:nosplit
func (b *rpBorn) add(epoch uint64, p, size uintptr) {
	if b.epoch != epoch {
		b.epoch, b.n, b.lo, b.hi = epoch, 0, p, p
	}
	o := &b.at[b.n%rpBornLen]
	o.lo, o.hi = p, p+size
	b.n++
	b.lo, b.hi = min(b.lo, p), max(b.hi, p+size)
}
