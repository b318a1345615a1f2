// Package vclock has the vector clocks of the streaming predictors: clocks that share their vectors
// until one of them changes, and slots, the vectors' indices, which goroutines take over from each
// other.
//
// Clocks are not safe for concurrent use, and vectors go back to their Pool by reference counts, so
// that a predictor in steady state allocates nothing. The times of slots from 64 on are in a tree
// whose parts vectors share, so that with many goroutines the cost of a copy depends on the changes
// and not on the number of slots.
package vclock

import (
	"math"
)

// Slot is an index into vector clocks. One goroutine owns it at a time.
type Slot uint32

// Time counts the epochs of a slot, from 1, over all of its owners; 0 is before all of them.
type Time uint32

// MaxTime is the last time of a slot, which does not grow any more; events at MaxTime count as
// ordered.
const MaxTime Time = math.MaxUint32

// Clock is a vector time that changes. The zero Clock is before everything.
type Clock struct {
	vec *Vec
}

// Vec is the clock's present value; the caller must Hold it to keep it.
func (c *Clock) Vec() *Vec { return c.vec }

// At is the clock's time of slot s.
func (c *Clock) At(s Slot) Time { return c.vec.At(s) }

// Share returns the present value with a count of its own for the caller.
func (c *Clock) Share() *Vec { return c.vec.Hold() }

// Set makes v, which the caller holds and hands over, the clock's value.
func (c *Clock) Set(p *Pool, v *Vec) {
	p.Drop(c.vec)
	c.vec = v
}

// Reset makes the clock zero.
func (c *Clock) Reset(p *Pool) { c.Set(p, nil) }

// own makes the vector a full one that only the clock uses, with at least n times outside of the
// tree, for the caller to change.
func (c *Clock) own(p *Pool, n int) *Vec {
	v := c.vec
	switch {
	case v == nil:
		v = p.full(max(n, 1))
		clear(v.near())
	case v.brief:
		v = p.filled(v, n)
	case v.refs == 1:
		v.orders = NoOrders
	case v.base != nil:
		v = p.handOver(v)
	default:
		v = p.copied(v, n)
	}
	p.fit(v, n)
	c.vec = v
	return v
}

// Raise makes the time of slot s at least t.
func (c *Clock) Raise(p *Pool, s Slot, t Time) {
	if c.At(s) >= t {
		return
	}
	if c.vec != nil && c.vec.brief && c.vec.changes < maxChanges {
		c.vec = p.raised(c.vec, s, t)
		return
	}
	if s < nearSlots {
		v := c.own(p, int(s)+1)
		v.near()[s] = t
		p.note(v, s)
		return
	}
	v := c.own(p, 0)
	p.farOf(v).set(p, s, t)
	p.note(v, s)
}

// Join makes the clock at least v, which was the vector of a clock in the same orders, in every
// slot. It returns false only if the clock was so before.
//
// If no time of v is less, v itself becomes the clock's value: clocks that are joined with each
// other end up with one vector, and are then compared by its address.
func (c *Clock) Join(p *Pool, v *Vec, o Orders) bool {
	if v == nil || v == c.vec {
		return false
	}
	return c.join(p, v, o)
}

func (c *Clock) join(p *Pool, v *Vec, o Orders) bool {
	if c.vec == nil {
		c.vec = v.Hold()
		return true
	}
	if more, ok := c.joinKin(p, v); ok {
		return more
	}
	if o != NoOrders {
		if more, ok := c.joinKnown(p, v, o); ok {
			return more
		}
	}
	mine, at := c.vec.first(&p.ours), v.first(&p.theirs)
	if firstLess(at, mine) == len(mine) && v.coversFar(c.vec) {
		more := firstLess(mine, at) < len(at) || !c.vec.coversFar(v)
		c.Set(p, v.Hold())
		return more
	}
	more := c.JoinTimes(p, at)
	if far := v.tree(); far != nil && !c.vec.coversTree(far) {
		p.joinTree(c.own(p, 0), far)
		more = true
	}
	if v.brief && c.joinChanges(p, v) {
		more = true
	}
	return more
}

// JoinTimes makes the clock at least at in the first slots. It returns false if the clock was so
// before.
func (c *Clock) JoinTimes(p *Pool, at []Time) bool {
	mine := []Time(nil)
	if c.vec != nil {
		mine = c.vec.first(&p.ours)
	}
	n := len(at)
	for n > 0 && at[n-1] == 0 {
		n--
	}
	at = at[:n]
	i := firstLess(mine, at)
	if i == n {
		return false
	}
	v := c.own(p, n)
	mine = v.near()[:n]
	if v.base == nil {
		for ; i < n; i++ {
			mine[i] = max(mine[i], at[i])
		}
		return true
	}
	for ; i < n; i++ {
		if at[i] > mine[i] {
			mine[i] = at[i]
			p.note(v, Slot(i))
		}
	}
	return true
}

// firstLess is a place before which no time of mine is less than that of at; len(at) if none is
// less. Times beyond mine are not zero. It looks at several times before it branches, since the
// processor cannot predict where the first one is.
func firstLess(mine, at []Time) int {
	const step = 16
	n := min(len(mine), len(at))
	i, less := 0, Time(0)
	for ; i+step <= n; i += step {
		m, t := (*[step]Time)(mine[i:]), (*[step]Time)(at[i:])
		for j := range t {
			less |= max(m[j], t[j]) ^ m[j]
		}
		if less != 0 {
			return i
		}
	}
	rest := mine[i:n]
	for j, t := range at[i:n] {
		less |= max(rest[j], t) ^ rest[j]
	}
	if less != 0 {
		return i
	}
	return n
}

// Stamp is the clock of one event: Vec, and the event's own slot
// up to Time, if that is not 0. The zero Stamp is before everything.
type Stamp struct {
	Vec  *Vec
	Slot Slot
	Time Time
}

// JoinStamp makes the clock at least s, as Join does.
func (c *Clock) JoinStamp(p *Pool, s Stamp, o Orders) {
	c.Join(p, s.Vec, o)
	if s.Time != 0 {
		c.Raise(p, s.Slot, s.Time)
	}
}

// Drop gives up the stamp's count of its vector and makes it zero.
func (s *Stamp) Drop(p *Pool) {
	p.Drop(s.Vec)
	*s = Stamp{}
}
