package vclock

// Sum is a clock that the clocks of many events are joined into. Goroutines that were started one
// after the other mostly have the same vector, and differ in their own times only: it joins the
// common vector once. The zero Sum is before everything.
type Sum struct {
	Clock
	last *Vec // a vector that was joined, and will be joined again; with a count
}

// manyUsers is how many users a vector has that is likely to be joined again. Such a vector does
// not change anyway, so one more user does not prevent a change in place.
const manyUsers = 8

// JoinStamp makes the clock at least st, as Join does.
func (s *Sum) JoinStamp(p *Pool, st Stamp, o Orders) {
	if st.Vec != nil && st.Vec != s.last {
		s.Join(p, st.Vec, o)
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
