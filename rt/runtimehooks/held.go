//go:build racepred_seam

package runtime

// The locks that a goroutine holds. Calls of unrecorded code are recorded while it holds any
// (RacepredOpaque), since sections with such calls keep their order.
//
// A number alone would not do: if a goroutine gives back a lock that another one took, its number
// would be too low in its own sections, and their calls would be lost. Here such a lock stays with
// the goroutine that took it, which costs some records.

// hold notes that s took a lock.
//
//go:nosplit
func (s *rpG) hold(lock uintptr) {
	s.quiet, s.pushing = 0, 0
	n := s.nheld
	if uint32(n) < rpHeldLen {
		s.held[n], s.heldAt[n], s.left[n].kind = lock, 0, 0
	} else if n > rpHeldLen {
		return
	}
	s.nheld = n + 1
}

// leftOut reports whether s holds the lock and its acquire was left out.
//
//go:nosplit
func (s *rpG) leftOut(lock uintptr) bool {
	for i := min(s.nheld, rpHeldLen) - 1; i >= 0; i-- {
		if s.held[i] == lock {
			return s.left[i].kind != 0
		}
	}
	return false
}

// letGo notes that s gives back a lock, which need not be one that it took.
//
//go:nosplit
func (s *rpG) letGo(lock uintptr) {
	n := s.nheld
	if n == 1 && s.held[0] == lock {
		s.nheld = 0
		if s.watched != 0 {
			s.forgetCallback(0, 0)
		}
		return
	}
	if n > rpHeldLen {
		return
	}
	for i := n - 1; i >= 0; i-- {
		if s.held[i] == lock {
			s.held[i], s.heldAt[i], s.left[i] = s.held[n-1], s.heldAt[n-1], s.left[n-1]
			s.nheld = n - 1
			if s.watched != 0 {
				s.forgetCallback(i, n-1)
			}
			return
		}
	}
}
