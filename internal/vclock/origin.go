package vclock

// A goroutine mostly learns from others that have learned from it not long before: then one of two
// vectors that are joined is known to include the other, or all but a few times of it, before any
// of their times are compared. So a vector may have an origin, the event whose clock it was first:
// clocks that know the event are at least the vector. A vector that was made of it by a few changes
// still has it as its base. With thousands of goroutines this is most of what joins cost. Tree
// clocks (Mathur, Pavlogiannis, Tunç, Viswanathan, ASPLOS 2022) keep such events for the whole
// history of a clock; the last one is enough here, since clocks share vectors anyway.

// Orders is a set of orders, numbered by the predictor, in which events know each other. Each clock
// keeps the times of one of them. A clock that keeps a stronger order accepts what is said of a
// weaker one.
type Orders uint8

// NoOrders is for clocks whose vectors have no origins.
const NoOrders Orders = 0

// Sign says that clocks of the orders o that know time t of slot s, and for which t is not stale,
// are at least v.
func (v *Vec) Sign(o Orders, s Slot, t Time) {
	if v == nil || v.orders|o == v.orders || t == 0 || t == MaxTime {
		return
	}
	v.orders, v.slot, v.time = o, uint16(s), t
}

// under reports whether v is known to be at most the vector of a clock in the orders o, which is
// not nil.
func (p *Pool) under(v, clock *Vec, o Orders) bool {
	return v.orders&o != 0 && !p.Plain && v.time <= clock.At(Slot(v.slot)) && (p.Slots == nil || !p.Slots.Stale(Slot(v.slot), v.time))
}

// joinKnown is Join for two vectors if the clock of one of them knows the origin of the other, or
// that of its base. ok says whether that is so.
func (c *Clock) joinKnown(p *Pool, v *Vec, o Orders) (more, ok bool) {
	mine := c.vec
	switch {
	case p.under(v, mine, o):
		return false, true
	case v.base != nil && p.under(v.base, mine, o):
		return c.joinChanges(p, v), true
	case p.under(mine, v, o):
		c.Set(p, v.Hold())
		return true, true
	case mine.base != nil && p.under(mine.base, v, o):
		var slots [maxChanges]Slot
		var times [maxChanges]Time
		n := 0
		for i := range mine.changes {
			if s, t := mine.change(i); t > v.At(s) {
				slots[n], times[n] = s, t
				n++
			}
		}
		c.Set(p, v.Hold())
		for i, s := range slots[:n] {
			c.Raise(p, s, times[i])
		}
		return true, true
	}
	return false, false
}

// CoversIn is Covers for the clock, in the orders o, whose vector is v.
func (v *Vec) CoversIn(p *Pool, u *Vec, o Orders) bool {
	if v != nil && u != nil {
		if p.under(u, v, o) {
			return true
		}
		if u.base != nil && p.under(u.base, v, o) {
			return v.coversChanges(u)
		}
	}
	return v.Covers(u)
}
