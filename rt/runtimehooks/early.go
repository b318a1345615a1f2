//go:build racepred_seam

package runtime

import "internal/runtime/atomic"

// An access at a busy position may happen once, in a goroutine that has just begun, or has just been given work. So a goroutine records its next accesses at busy positions (Q7)
// when it begins, and when it has started another one or used a channel, as long as there are some left of such records. Programs that do that very often use them up soon, and have the looks.

// How many accesses (Q7) is about, each at another position: as many as there are in a few statements. A loop before them does not count, except for its first turn.
const (
	rpEarly     = 16 // after the beginning of a goroutine
	rpEarlyChan = 8  // after an operation on a channel

	rpEarlyFor = 1 << 9 // it is over after so many accesses at busy positions

	rpEarlyChanUnit = 1 << 8 // rpG.early has the second number in its upper bits
)

// rpEarlyLeft is how many records of each kind may be made until the next look, of rpEarlyMost.
var (
	rpEarlyLeft [2]int32
	rpEarlyMost int32
)

// starts is called when the goroutine starts another one.
//
//go:nosplit
func (s *rpG) starts() { s.earlyOf(s.early - s.early%rpEarlyChanUnit + rpEarly) }

// usesChan is called when the goroutine begins an operation on a channel.
//
//go:nosplit
func (s *rpG) usesChan() { s.earlyOf(s.early%rpEarlyChanUnit + rpEarlyChan*rpEarlyChanUnit) }

//go:nosplit
func (s *rpG) earlyOf(early uint16) { s.early, s.earlyAt, s.earlySince = early, 0, s.passed }

// isEarly reports whether an access is recorded by (Q7), at a position that is counted at that index. s.early is not 0.
//
//go:nosplit
func (s *rpG) isEarly(at uint32) bool {
	bit := uint64(1) << (at * 0x9E3779B1 >> 26)
	switch {
	case s.passed-s.earlySince > rpEarlyFor:
		s.early = 0
		return false
	case s.earlyAt&bit != 0:
		return false
	}
	s.earlyAt |= bit
	if s.early%rpEarlyChanUnit != 0 {
		if rpTakeEarly(&rpEarlyLeft[0]) {
			s.early--
			return true
		}
		s.early -= s.early % rpEarlyChanUnit
	}
	if s.early != 0 && rpTakeEarly(&rpEarlyLeft[1]) {
		s.early -= rpEarlyChanUnit
		return true
	}
	s.early = 0
	return false
}

//go:nosplit
func rpTakeEarly(left *int32) bool {
	if atomic.Loadint32(left) <= 0 {
		return false
	}
	atomic.Xaddint32(left, -1)
	return true
}
