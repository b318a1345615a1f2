// Package vclock has the vector clocks of the streaming predictors: clocks that share their
// vectors until one of them changes, and slots, the vectors' indices, which goroutines take over from each other.
//
// Clocks are not safe for concurrent use, and vectors go back to their Pool by
// reference counts, so that a predictor in steady state allocates nothing. The times of slots from 64 on are in a
// tree whose parts vectors share, so that with many goroutines a copy costs what changes and not what there is.
package vclock

import (
	"math"
	"math/bits"
)

// Slot is an index into vector clocks. One goroutine owns it at a time.
type Slot uint32

// Time counts the epochs of a slot, from 1, over all of its owners; 0 is before all of them.
type Time uint32

// MaxTime is where a slot's time stands still; events at MaxTime count as ordered.
const MaxTime Time = math.MaxUint32

// Vec is a vector of times, shared by everyone who holds a count of it.
// Invariant: refs >= 1 outside of the pool, and a Vec with refs > 1 does not change.
type Vec struct {
	at   []Time // slots below nearSlots
	far  tree   // the others
	refs int32
}

// nearSlots is how many slots a Vec has outside of its tree.
const nearSlots = 64

// At is the time of slot s; a nil Vec is all zero.
func (v *Vec) At(s Slot) Time {
	if v != nil && int(s) < len(v.at) {
		return v.at[s]
	}
	return v.beyond(s)
}

// beyond is At for a slot that is not among the first ones, or for no vector.
//
//go:noinline
func (v *Vec) beyond(s Slot) Time {
	if v == nil || s < nearSlots {
		return 0
	}
	return v.far.at(s)
}

// Clock is a clock that says v, to be read only.
func (v *Vec) Clock() Clock { return Clock{v} }

// Len is a number of slots that v has no times beyond.
func (v *Vec) Len() int {
	switch {
	case v == nil:
		return 0
	case len(v.far.root) > 0:
		return nearSlots + len(v.far.root)*branchSlots
	}
	return len(v.at)
}

// Size is about how many bytes v takes, apart from what it most likely shares with others.
func (v *Vec) Size() int {
	if v == nil {
		return 0
	}
	n := 64 + 4*cap(v.at)
	if len(v.far.root) > 0 {
		n += treePath
	}
	return n
}

// Hold counts one more user of v and returns v.
func (v *Vec) Hold() *Vec {
	if v != nil {
		v.refs++
	}
	return v
}

// Covers reports whether v is at least u in every slot.
func (v *Vec) Covers(u *Vec) bool {
	if u == nil || u == v {
		return true
	}
	for i, t := range u.at {
		if t > v.At(Slot(i)) {
			return false
		}
	}
	return v.covers(&u.far)
}

// CoversBut reports whether v is at least u in every slot but one, and no time of u is stale.
func (v *Vec) CoversBut(u *Vec, but Slot, slots *Slots) bool {
	for i := range Slot(u.Len()) {
		if t := u.At(i); t != 0 && (i != but && t > v.At(i) && t != MaxTime || slots.Stale(i, t)) {
			return false
		}
	}
	return true
}

// CopyTo writes the times of slots into at, zeroes included. It is false when v may have times of more slots; then it has done nothing.
func (v *Vec) CopyTo(at []Time) bool {
	if v == nil {
		clear(at)
		return true
	}
	if len(v.at) > len(at) || len(v.far.root) > 0 {
		return false
	}
	clear(at[copy(at, v.at):])
	return true
}

// Pool keeps vectors that nobody uses any more, by the power of two of their capacity.
// The zero Pool is ready to use.
type Pool struct {
	free [33][]*Vec
	Live int // slots of all vectors in use, by capacity

	made  [maxClass + 1]int // vectors, in use or not
	held  int               // bytes of all vectors, in use or not
	slabs []any             // all vectors: what refers to them may lie where the collector does not look
	trees int               // vectors in use with slots beyond nearSlots

	parts uint64 // names of parts of trees given out
}

const (
	minClass  = 3       // the smallest vector has room for 8 slots
	maxClass  = 6       // the largest has room for nearSlots; there are others only in tests
	slabBytes = 1 << 16 // as predict.Spare's
)

// Bytes is about how much memory the pool's vectors take, in use or not.
func (p *Pool) Bytes() int { return p.held + p.trees*treePath }

// vecBytes is what a vector takes beside its times.
const vecBytes = 64

func (p *Pool) get(n int) *Vec {
	c := max(bits.Len(uint(n-1)), minClass)
	p.Live += 1 << c
	if len(p.free[c]) == 0 {
		if c > maxClass {
			p.held += vecBytes + 4<<c
			v := &Vec{at: make([]Time, n, 1<<c), refs: 1}
			p.slabs = append(p.slabs, v)
			return v
		}
		p.more(c)
	}
	l := len(p.free[c])
	v := p.free[c][l-1]
	p.free[c] = p.free[c][:l-1]
	v.at, v.refs = v.at[:n], 1
	return v
}

// more makes vectors of a class, as many as there are, up to what lies in memory of its own.
func (p *Pool) more(c int) {
	size := vecBytes + 4<<c
	n := max(1, min(p.made[c], slabBytes/size))
	p.made[c] += n
	p.held += n * size
	switch c { // the times lie with their Vec
	case 3:
		makeVecs(p, c, n, func(v *struct {
			Vec
			times [1 << 3]Time
		}) (*Vec, []Time) {
			return &v.Vec, v.times[:]
		})
	case 4:
		makeVecs(p, c, n, func(v *struct {
			Vec
			times [1 << 4]Time
		}) (*Vec, []Time) {
			return &v.Vec, v.times[:]
		})
	case 5:
		makeVecs(p, c, n, func(v *struct {
			Vec
			times [1 << 5]Time
		}) (*Vec, []Time) {
			return &v.Vec, v.times[:]
		})
	case 6:
		makeVecs(p, c, n, func(v *struct {
			Vec
			times [1 << 6]Time
		}) (*Vec, []Time) {
			return &v.Vec, v.times[:]
		})
	}
}

func makeVecs[T any](p *Pool, c, n int, of func(*T) (*Vec, []Time)) {
	slab := make([]T, n)
	p.slabs = append(p.slabs, slab)
	for i := len(slab) - 1; i >= 0; i-- {
		v, times := of(&slab[i])
		v.at = times
		p.free[c] = append(p.free[c], v)
	}
}

// Drop gives up one count of v. The caller must not use v any more.
func (p *Pool) Drop(v *Vec) {
	if v == nil {
		return
	}
	if v.refs--; v.refs > 0 {
		return
	}
	if v.refs < 0 {
		panic("internal error: vclock: vector dropped twice")
	}
	size := cap(v.at)
	p.Live -= size
	if len(v.far.root) > 0 {
		p.trees--
		v.far = tree{}
	}
	c := bits.Len(uint(size - 1))
	p.free[c] = append(p.free[c], v)
}

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

// own makes the vector the clock's alone, with room for n slots at least, outside of the tree.
func (c *Clock) own(p *Pool, n int) []Time {
	old := c.vec
	if old != nil && old.refs == 1 && n <= cap(old.at) {
		if l := len(old.at); l < n {
			old.at = old.at[:n]
			clear(old.at[l:])
		}
		return old.at
	}
	if old != nil {
		n = max(n, len(old.at))
	}
	v := p.get(max(n, 1))
	k := 0
	if old != nil {
		k = copy(v.at, old.at)
		if len(old.far.root) > 0 {
			p.trees++
			v.far = old.far.share()
		}
		p.Drop(old)
	}
	clear(v.at[k:])
	c.vec = v
	return v.at
}

// Raise makes the time of slot s at least t.
func (c *Clock) Raise(p *Pool, s Slot, t Time) {
	if c.At(s) >= t {
		return
	}
	if s < nearSlots {
		c.own(p, int(s)+1)[s] = t
		return
	}
	c.own(p, 0)
	c.vec.far.set(p, s, t)
}

// Join makes the clock at least v in every slot. It reports false when the clock was so before; it may report true then, too.
//
// Where v is nowhere less, it becomes the clock's value itself: clocks that learn from each other end up with one vector, and then are compared
// by its address.
func (c *Clock) Join(p *Pool, v *Vec) bool {
	if v == nil || v == c.vec {
		return false
	}
	return c.join(p, v)
}

func (c *Clock) join(p *Pool, v *Vec) bool {
	if c.vec == nil {
		c.vec = v.Hold()
		return true
	}
	if firstLess(v.at, c.vec.at) == len(c.vec.at) && (c.vec.far.within(&v.far) || v.covers(&c.vec.far)) {
		more := firstLess(c.vec.at, v.at) < len(v.at) || !v.far.within(&c.vec.far) && !c.vec.covers(&v.far)
		c.Set(p, v.Hold())
		return more
	}
	more := c.JoinTimes(p, v.at)
	if len(v.far.root) > 0 && !c.vec.covers(&v.far) {
		c.own(p, 0)
		c.vec.far.join(p, &v.far)
		more = true
	}
	return more
}

// JoinTimes makes the clock at least at in the first slots. It reports false when the clock was so before.
func (c *Clock) JoinTimes(p *Pool, at []Time) bool {
	mine := []Time(nil)
	if c.vec != nil {
		mine = c.vec.at
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
	mine = c.own(p, n)[:n]
	for ; i < n; i++ {
		mine[i] = max(mine[i], at[i])
	}
	return true
}

// firstLess is a place before which no time of mine is less than that of at; len(at) when there is none at all. Times beyond mine are not zero.
// It looks at several times before it jumps, since where the first one is cannot be foreseen.
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

// Stamp is the clock of one event: everything Vec knows, and the event's own
// slot up to Time, if that is not 0. The zero Stamp is before everything.
type Stamp struct {
	Vec  *Vec
	Slot Slot
	Time Time
}

// JoinStamp makes the clock know all that s knows.
func (c *Clock) JoinStamp(p *Pool, s Stamp) {
	c.Join(p, s.Vec)
	if s.Time != 0 {
		c.Raise(p, s.Slot, s.Time)
	}
}

// Drop gives up the stamp's count of its vector and makes it zero.
func (s *Stamp) Drop(p *Pool) {
	p.Drop(s.Vec)
	*s = Stamp{}
}
