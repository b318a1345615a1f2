package vclock

// Sum is a clock that the clocks of many events are joined into. Goroutines that were started one after the other mostly know the same, and differ
// by their own times only: what they all know it joins once. The zero Sum is before everything.
type Sum struct {
	Clock
	last *Vec // that was joined, and is going to be joined again; with a count
}

// manyUsers is how many there are of a vector that is likely to be joined again. It is not going to change in any case, so that to hold it, too,
// keeps nobody from changing it in place.
const manyUsers = 8

// JoinStamp makes the clock know all that st knows.
func (s *Sum) JoinStamp(p *Pool, st Stamp) {
	if st.Vec != nil && st.Vec != s.last {
		s.Join(p, st.Vec)
		if st.Vec.refs > manyUsers {
			p.Drop(s.last)
			s.last = st.Vec.Hold()
		}
	}
	if st.Time != 0 {
		s.Raise(p, st.Slot, st.Time)
	}
}

// Reset makes the clock zero.
func (s *Sum) Reset(p *Pool) {
	s.Clock.Reset(p)
	p.Drop(s.last)
	s.last = nil
}
