//go:build racepred_seam

package runtime

import "internal/runtime/atomic"

// The filter leaves out what a goroutine repeats within one span: the repeat has the same clock and
// the same locks, so it races with nothing that the first access does not race with. A span's own
// write covers its reads of the bytes, too.
//
// For 8 bytes of memory two spans can be noted, each in a word of the shadow:
//
//	the span       bits 18-63: the lower 36 bits of its epoch, and 10 bits of its goroutine's number
//	lost           bit 17: it took the place of another goroutine's note, or of a note with this bit (L3)
//	rare           bit 16: an access was at a position that was never busy (meets.go)
//	bytes read     bits 8-15
//	bytes written  bits 0-7
//
// so that two goroutines that read the same do not displace each other; of three, the one with the
// oldest span goes. A goroutine writes notes of its own epochs only, in exchange for what it looked
// at: so it knows whose note makes room.

// rpFilterOff turns the filter off: every access is recorded.
var rpFilterOff bool

const (
	rpSpanOwner = 1<<10 - 1 // the part of a span that has its goroutine
	rpSpanAt    = 18        // the first bit of a note's span
	rpLost      = 1 << 17
)

// names gives s's span its epoch.
//
//go:nosplit
func (s *rpG) names(epoch uint64) {
	s.epoch = epoch
	s.span = epoch<<10&(1<<46-1) | uint64(s.id&rpSpanOwner)
}

// rpTouch is the part of a note that has an access within one word.
//
//go:nosplit
func rpTouch(kind uint64, p, size uintptr) uint64 {
	touch := uint64(0xff) >> (8 - size) << (p & 7) << 8
	if kind == rpWrite {
		touch |= touch >> 8
	}
	return touch
}

// rpFilter reports whether s already recorded this access in its current span,
// and notes it if not.
//
//go:nosplit
func rpFilter(s *rpG, kind uint64, p, size uintptr, site uint32) bool {
	if p&7+size <= 8 {
		sh := rpShadow(p)
		return sh != nil && s.seen(sh, p, rpTouch(kind, p, size), site) && !rpFilterOff
	}
	covered := !rpFilterOff
	for end := p + size; p < end; {
		next := min(p&^7+8, end)
		sh := rpShadow(p)
		if sh == nil {
			return false
		}
		if !s.seen(sh, p, rpTouch(kind, p, next-p), site) {
			covered = false
		}
		p = next
	}
	return covered
}

// seen reports whether the note of s's span for p has all of touch, and adds it.
//
//go:nosplit
func (s *rpG) seen(sh *[2]uint64, p uintptr, touch uint64, site uint32) bool {
	if s.noted(sh, p)&touch == touch {
		return true
	}
	s.note(sh, p, touch|s.rare(site))
	return false
}

// noted is the note of s's span for p, or 0. Shadow without any note is not read: see rpMark.
//
//go:nosplit
func (s *rpG) noted(sh *[2]uint64, p uintptr) uint64 {
	if rpAlone(p) {
		return 0
	}
	for _, note := range sh {
		if note>>rpSpanAt == s.span {
			return note
		}
	}
	return 0
}

// note adds bits to the note of s's span for p. It does not read shadow without any note before:
// see rpMark.
//
//go:nosplit
func (s *rpG) note(sh *[2]uint64, p uintptr, bits uint64) {
	if rpAlone(p) && atomic.Cas64(&sh[0], 0, s.span<<rpSpanAt|bits) {
		rpNoted(p)
		return
	}
	for {
		i, was, note := s.noteIn(sh)
		if note |= bits; note == was || atomic.Cas64(&sh[i&1], was, note) {
			break
		}
	}
	if p-rpHeapLo < rpHeapSize {
		rpNoted(p)
	}
}

// noteIn is the note of s's span at sh[i], or an empty one for the place of the older of two
// others. was is what is there.
//
//go:nosplit
func (s *rpG) noteIn(sh *[2]uint64) (i int, was, note uint64) {
	a, b := sh[0], sh[1]
	switch {
	case a>>rpSpanAt == s.span:
		return 0, a, a
	case b>>rpSpanAt == s.span:
		return 1, b, b
	case b < a:
		i, a = 1, b
	}
	note = s.span << rpSpanAt
	if !s.wrote(a) {
		note |= rpLost
	}
	return i, a, note
}
