package ipa

// Counters are the paper's.
type Counters struct {
	Queries   uint64 // questions that needed a search
	Calls     uint64 // edges of the grids that were followed
	Potential uint64 // edges that the grids have, from the start of each question to its target
	Branches  uint64 // times that both orders of two events had to be tried
}

// Answer is the result of a search for a pair.
type Answer uint8

const (
	// Unknown is no answer: what it depends on is not kept, or the search is too long.
	Unknown Answer = iota
	Unreachable
	Reachable
)

func (a Answer) String() string { return [...]string{"unknown", "unreachable", "reachable"}[a] }

// target is the pair of a question, with its conditions for the way there.
type target struct {
	pair
	// last are the acquires of the sections that each goroutine is in at its place. Their locks are never given back before the target, so the other
	// goroutine's sections of them come before: it has to be at a place before the acquire is executed.
	last [2][]ordered
}

// ordered is an event of one goroutine, and the place that the other one has to be at before.
type ordered struct{ event, other Place }

// target makes the target for a pair, up to which the space was extended. It is false if the locks
// that the two hold there exclude each other.
func (s *Space) target(to pair) (*target, bool) {
	t := &target{pair: to}
	for i := range s.sides {
		d, o := &s.sides[i], &s.sides[1-i]
		for l, list := range d.locks {
			n := d.next(l, to[i]) - 1
			if n < 0 || list[n].close < to[i] {
				continue
			}
			mine := list[n]
			for k := o.next(l, to[1-i]) - 1; k >= 0; k-- {
				if other := o.locks[l][k]; excludes(mine.shared, other.shared) {
					if other.close >= to[1-i] {
						return nil, false
					}
					t.last[i] = append(t.last[i], ordered{mine.open, other.close + 1})
					break
				}
			}
		}
	}
	return t, true
}

// search looks for a way to the pair with at most so many calls, and goes on where earlier searches
// ended. The rules, by the rows of Table III:
//
//	(VC)        a pair that was reached before is not looked at again
//	(TC)        the target ends the search
//	(HB)        an event waits for those that come before it
//	(LCC1 to 4) it waits for a lock that the other goroutine holds; where none of the two can go on, neither can the search
//	(RC1 to 3)  a release is executed as soon as it can be: nothing that is possible before it is impossible after it
//	(RC4, RC5)  so is an acquire, if the other goroutine has no section of the lock up to its place that would have to come first
//	(RC6, RC7)  the acquire of a lock that is held at the target comes after the other goroutine's last section of it. The paper's condition for these rows, as
//	            printed, leaves out that the other acquire may be in the way of what follows; this one does not.
//
// Row 7, strategy II, is step.never. Where no rule decides, both orders are tried.
func (s *Space) search(to pair, calls int, c *Counters) (Answer, int32) {
	s.extend(to)
	t, ok := s.target(to)
	if !ok {
		return Unreachable, -1
	}
	if n, ok := s.byPair[to]; ok {
		return Reachable, n
	}
	c.Queries++
	da, db := uint64(to[0]-s.sides[0].start), uint64(to[1]-s.sides[1].start)
	c.Potential += da*(db+1) + db*(da+1)
	stack := s.open // newest last
	s.open = nil
	if len(s.nodes) == 1 && len(stack) == 0 {
		stack = []int32{0}
	}
	for len(stack) > 0 {
		if calls <= 0 {
			s.open = append(s.open, stack...)
			return Unknown, -1
		}
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		at := s.nodes[n].pair
		try := moves(0)
		if at[0] <= to[0] && at[1] <= to[1] {
			try = s.moves(at, t) &^ s.nodes[n].tried
		}
		s.nodes[n].tried |= try
		if s.nodes[n].tried&(moveA|moveB) != moveA|moveB {
			s.open = append(s.open, n)
		}
		if try == moveA|moveB {
			c.Branches++
		}
		for _, m := range [...]moves{moveA, moveB, moveBoth} {
			if try&m == 0 {
				continue
			}
			calls--
			c.Calls++
			next, isNew := s.reach(at.after(m), n)
			if !isNew { // (VC)
				continue
			}
			stack = append(stack, next)
			if s.nodes[next].pair == to { // (TC)
				s.open = append(s.open, stack...)
				return Reachable, next
			}
		}
	}
	return Unreachable, -1
}

// after is the pair that the moves lead to.
func (p pair) after(m moves) pair {
	if m != moveB {
		p[0]++
	}
	if m != moveA {
		p[1]++
	}
	return p
}

// moves are those that a search has to try from a pair: if there is a way from there to the target,
// one of them is on a way.
func (s *Space) moves(at pair, t *target) moves {
	a, b := s.can(0, at, t), s.can(1, at, t)
	switch {
	case !a && !b:
		return 0
	case !a:
		return moveB
	case !b:
		return moveA
	}
	x, y := s.sides[0].at(at[0]), s.sides[1].at(at[1])
	switch {
	case !x.opens && !y.opens: // (RC3)
		return moveBoth
	case !x.opens: // (RC2)
		return moveA
	case !y.opens: // (RC1)
		return moveB
	case !s.sides[1].uses(x.lock, x.shared, at[1], t.pair[1]): // (RC4)
		return moveA
	case !s.sides[0].uses(y.lock, y.shared, at[0], t.pair[0]): // (RC5)
		return moveB
	}
	return moveA | moveB
}

// can reports whether one of the two can execute its next event on the way to the target.
func (s *Space) can(i int, at pair, t *target) bool {
	if at[i] == t.pair[i] {
		return false
	}
	x, other := s.sides[i].at(at[i]), at[1-i]
	if x.never || x.needs > other { // (HB)
		return false
	}
	if !x.opens {
		return true
	}
	for _, o := range t.last[i] { // (RC6, RC7)
		if o.event == at[i] && other < o.other {
			return false
		}
	}
	return !s.sides[1-i].blocks(x.lock, x.shared, other) // (LCC)
}
