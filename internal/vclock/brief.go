package vclock

import "unsafe"

// A clock that has shared its vector with others, which mostly keep it for long (a released object
// for each element of a channel), needs another vector when it changes. Most of these vectors
// differ in a few slots only. So a full Vec remembers the vector that it was copied from, its base,
// and the slots in which it may be more than the base. When it has been shared and its clock
// changes, the Vec becomes brief: it keeps those slots and their times, and the clock takes over
// the full times. If more than maxChanges slots have changed, or there is no base, the clock gets a
// copy, and the shared Vec is the base of the copy.
//
// A clock that shares a vector with another clock may find it brief. The vector is made full when
// the clock changes.

// maxChanges is how many slots may differ from the base: a look for one slot looks at all of them.
const maxChanges = 8

// fewSlots is how many times a vector has at most that gets no base: to look at all of them takes
// less time than to look for changes, and hardly more memory.
const fewSlots = 16

// change is a slot whose time may be more than in the base, and its time.
func (v *Vec) change(i uint8) (Slot, Time) {
	if v.brief {
		c := &v.pairs()[i]
		return Slot(c[0]), c[1]
	}
	s := Slot(*v.noted(i))
	return s, v.At(s)
}

// pairs are the changes of a brief Vec, each a slot and its time.
func (v *Vec) pairs() [][2]Time {
	return unsafe.Slice((*[2]Time)(unsafe.Pointer(v.times)), v.changes)
}

// noted is a changed slot of a full Vec; it lies behind the times that have room.
func (v *Vec) noted(i uint8) *uint16 {
	return (*uint16)(unsafe.Add(unsafe.Pointer(v.times), 4<<v.class+2*uintptr(i)))
}

// briefAt is At for a brief Vec.
func (v *Vec) briefAt(s Slot) Time {
	for _, c := range v.pairs() {
		if Slot(c[0]) == s {
			return c[1]
		}
	}
	if near := v.base.near(); s < Slot(len(near)) {
		return near[s]
	}
	return v.base.farAt(s)
}

// coversChanges reports whether v is at least u in the slots in which u may be more than its base.
func (v *Vec) coversChanges(u *Vec) bool {
	if u.brief {
		for _, c := range u.pairs() {
			if c[1] > v.At(Slot(c[0])) {
				return false
			}
		}
		return true
	}
	for i := range u.changes {
		if s := Slot(*u.noted(i)); u.At(s) > v.At(s) {
			return false
		}
	}
	return true
}

// note notes that the time of slot s changes. v has one user.
func (p *Pool) note(v *Vec, s Slot) {
	if v.base == nil {
		return
	}
	for i := range v.changes {
		if Slot(*v.noted(i)) == s {
			return
		}
	}
	if v.changes == maxChanges {
		p.unbase(v)
		return
	}
	*v.noted(v.changes) = uint16(s)
	v.changes++
}

// unbase takes the base from a full Vec.
func (p *Pool) unbase(v *Vec) {
	base := v.base
	v.base, v.changes = nil, 0
	p.Drop(base)
}

// handOver makes v brief, which is full, has a base and is shared, and returns a Vec with its
// times. The Vec takes the place of the caller's count of v.
func (p *Pool) handOver(v *Vec) *Vec {
	w := p.handle()
	*w = *v
	w.refs, w.orders = 1, NoOrders
	w.base.Hold()

	v.refs--
	v.brief, v.n, v.class, v.far, v.times = true, 0, briefClass(v.changes), nil, nil
	if v.changes > 0 {
		v.times = p.block(true, v.class)
		for i := range v.pairs() {
			s, t := w.change(uint8(i))
			v.pairs()[i] = [2]Time{Time(s), t}
		}
	}
	return w
}

// briefClass is the class of room for so many changes.
func briefClass(changes uint8) uint8 {
	switch {
	case changes <= 1:
		return 1
	case changes <= 2:
		return 2
	case changes <= 4:
		return 3
	}
	return 4
}

// copied returns a copy of v, which is full, has no base and is shared. v is the base of the copy,
// with the caller's count.
func (p *Pool) copied(v *Vec, n int) *Vec {
	w := p.full(max(n, int(v.n), 1))
	clear(w.near()[copy(w.near(), v.near()):])
	w.far = v.far.share()
	if w.far == nil && w.n <= fewSlots {
		p.Drop(v)
	} else {
		w.base = v
	}
	return w
}

// filled returns a full Vec equal to v, which is brief. It takes the place of the caller's count of
// v.
func (p *Pool) filled(v *Vec, n int) *Vec {
	w := p.full(max(n, len(v.first(&p.ours)), 1))
	at := v.first(&p.ours)
	clear(w.near()[copy(w.near(), at):])
	w.base = v.base.Hold()
	w.far = v.base.far.share()
	for i := range v.changes {
		s, t := v.change(i)
		*w.noted(i) = uint16(s)
		w.changes = i + 1
		if s >= nearSlots {
			p.farOf(w).set(p, s, t)
		}
	}
	p.Drop(v)
	return w
}

// raised returns v, which is brief and has fewer than maxChanges changes, with a later time of a
// slot. It takes the place of the caller's count of v.
func (p *Pool) raised(v *Vec, s Slot, t Time) *Vec {
	n := 0 // where the slot is, or will be
	for n < int(v.changes) && Slot(v.pairs()[n][0]) != s {
		n++
	}
	changes := max(v.changes, uint8(n)+1)
	w := v
	if class := briefClass(changes); v.refs > 1 || v.times == nil || v.class < class {
		w = p.handle()
		*w = Vec{base: v.base.Hold(), refs: 1, brief: true, changes: changes, class: class, times: p.block(true, class)}
		copy(w.pairs(), v.pairs())
		p.Drop(v)
	}
	w.orders, w.changes = NoOrders, changes
	w.pairs()[n] = [2]Time{Time(s), t}
	return w
}

// joinKin is Join for two vectors if one is the base of the other, or if they have the same base.
// ok says whether that is so.
func (c *Clock) joinKin(p *Pool, v *Vec) (more, ok bool) {
	mine := c.vec
	switch {
	case mine.base == v:
		return false, true
	case v.base == mine:
		c.Set(p, v.Hold())
		return true, true
	case v.base == nil || v.base != mine.base:
		return false, false
	}
	if v.coversChanges(mine) {
		more = !mine.coversChanges(v)
		c.Set(p, v.Hold())
		return more, true
	}
	return c.joinChanges(p, v), true
}

// joinChanges is Join for a vector whose base the clock is at least.
func (c *Clock) joinChanges(p *Pool, v *Vec) (more bool) {
	for i := range v.changes {
		if s, t := v.change(i); t > c.At(s) {
			c.Raise(p, s, t)
			more = true
		}
	}
	return more
}
