//go:build racepred_seam

package runtime

import "internal/runtime/atomic"

// An access at a busy position may happen once, in a goroutine that has just begun, or has just
// been given work. So a goroutine records its next accesses at busy positions (Q7) when it begins,
// and when it has started another one or used a channel, as long as there are some left of such
// records. Programs that do that very often use them up soon, and have the looks.

// How many accesses (Q7) is about, each at another position: as many as there are in a few
// statements. A loop before them does not count, except for its first turn.
const (
	rpEarly     = 16 // after the beginning of a goroutine
	rpEarlyChan = 8  // after an operation on a channel

	rpEarlyFor = 1 << 9 // it is over after so many accesses at busy positions
)

// The indices of rpG.early and rpEarlyLeft.
const (
	rpEarlyNew = iota
	rpEarlyUses
)

// rpEarlyLeft is how many records of each kind may be made until the next look, of rpEarlyMost.
var (
	rpEarlyLeft [2]int32
	rpEarlyMost int32
)

// rpEarlyAgain begins to count them anew.
func rpEarlyAgain() {
	for i := range rpEarlyLeft {
		atomic.Storeint32(&rpEarlyLeft[i], rpEarlyMost)
	}
}

// starts is called when the goroutine starts another one.
//
//go:nosplit
func (s *rpG) starts() { s.beginsEarly(rpEarlyNew, rpEarly) }

// usesChan is called when the goroutine begins an operation on a channel.
//
//go:nosplit
func (s *rpG) usesChan() { s.beginsEarly(rpEarlyUses, rpEarlyChan) }

//go:nosplit
func (s *rpG) beginsEarly(kind int, n uint8) { s.early[kind], s.earlyAt, s.earlySince = n, 0, s.passed }

// mayBeEarly reports whether an access may be one of (Q7).
//
//go:nosplit
func (s *rpG) mayBeEarly() bool { return s.early != [2]uint8{} }

// isEarly reports whether an access is recorded by (Q7), at a position that is counted at that
// index.
//
//go:nosplit
func (s *rpG) isEarly(at uint32) bool {
	bit := uint64(1) << (at * 0x9E3779B1 >> 26)
	switch {
	case s.passed-s.earlySince > rpEarlyFor:
		s.early = [2]uint8{}
		return false
	case s.earlyAt&bit != 0:
		return false
	}
	s.earlyAt |= bit
	for kind := range s.early {
		left := &rpEarlyLeft[kind]
		switch {
		case s.early[kind] == 0:
		case atomic.Loadint32(left) > 0:
			atomic.Xaddint32(left, -1)
			s.early[kind]--
			return true
		default:
			s.early[kind] = 0
		}
	}
	return false
}
