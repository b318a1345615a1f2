package vclock

import "unsafe"

// Vec is a vector of times, shared by all holders of a count of it. It is full, or brief: then it
// has only the differences from its base (brief.go).
//
// Invariants: refs >= 1 outside of the pool; the times of a Vec with refs > 1 do not change; a base
// is full and has no base itself.
type Vec struct {
	times   *Time // of the slots from 0 on; those of changes of a brief Vec, each after its slot
	base    *Vec  // with a count; nil: none
	far     *tree // times of the slots from nearSlots on; nil: all zero
	refs    int32
	time    Time // of slot: the origin (origin.go)
	slot    uint16
	orders  Orders // in which the origin counts
	n       uint8  // times; 0 for a brief Vec
	class   uint8  // 1<<class times have room
	changes uint8  // slots whose times may be more than those of base
	brief   bool
}

// nearSlots is how many slots a Vec has outside of its tree.
const nearSlots = 64

// At is the time of slot s; a nil Vec is all zero.
func (v *Vec) At(s Slot) Time {
	if v != nil && s < Slot(v.n) {
		return *(*Time)(unsafe.Add(unsafe.Pointer(v.times), 4*uintptr(s)))
	}
	return v.beyond(s)
}

// beyond is At for a slot that is not among the first ones, or for a vector that is not full.
//
//go:noinline
func (v *Vec) beyond(s Slot) Time {
	switch {
	case v == nil:
		return 0
	case v.brief:
		return v.briefAt(s)
	}
	return v.farAt(s)
}

// farAt is At for a slot that is not among the first ones of a full Vec.
func (v *Vec) farAt(s Slot) Time {
	if s < nearSlots || v.far == nil {
		return 0
	}
	return v.far.at(s)
}

// near are the times of a full Vec's first slots.
func (v *Vec) near() []Time { return unsafe.Slice(v.times, v.n) }

// first are the times of the first slots, in buf for a brief Vec.
func (v *Vec) first(buf *[nearSlots]Time) []Time {
	if !v.brief {
		return v.near()
	}
	n := copy(buf[:], v.base.near())
	for i := range v.changes {
		s, t := v.change(i)
		if s >= nearSlots {
			continue
		}
		for ; n <= int(s); n++ {
			buf[n] = 0
		}
		buf[s] = t
	}
	return buf[:n]
}

// tree has the times from nearSlots on, without the changes of a brief Vec; nil for none.
func (v *Vec) tree() *tree {
	if v.brief {
		return v.base.far
	}
	return v.far
}

// Clock is a clock whose value is v. It must not be changed.
func (v *Vec) Clock() Clock { return Clock{v} }

// Len bounds the slots of v: it has no times from slot Len on.
func (v *Vec) Len() int {
	switch {
	case v == nil:
		return 0
	case v.brief:
		n := v.base.Len()
		for i := range v.changes {
			s, _ := v.change(i)
			n = max(n, int(s)+1)
		}
		return n
	case v.far != nil:
		return nearSlots + len(v.far.root)*branchSlots
	}
	return int(v.n)
}

// Size is about how many bytes v takes, without the parts that it most likely shares with others.
func (v *Vec) Size() int {
	if v == nil {
		return 0
	}
	n := vecBytes + 4<<v.class
	if v.far != nil {
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
	if v != nil && v.base == u {
		return true
	}
	if !(v != nil && u.base != nil && (u.base == v || u.base == v.base)) {
		from := u
		if u.brief {
			from = u.base
		}
		for i, t := range from.near() {
			if t > v.At(Slot(i)) {
				return false
			}
		}
		if !v.coversTree(from.far) {
			return false
		}
		if !u.brief {
			return true
		}
	}
	return v.coversChanges(u)
}

// CoversBut reports whether v is at least u in every slot except for one, and no time of u is
// stale.
func (v *Vec) CoversBut(u *Vec, but Slot, slots *Slots) bool {
	for i := range Slot(u.Len()) {
		if t := u.At(i); t != 0 && (i != but && t > v.At(i) && t != MaxTime || slots.Stale(i, t)) {
			return false
		}
	}
	return true
}

// CopyTo writes the times of the first slots into at, zeroes included. If v may have times of more
// slots it does nothing and returns false.
func (v *Vec) CopyTo(at []Time) bool {
	if v == nil {
		clear(at)
		return true
	}
	if v.Len() > len(at) {
		return false
	}
	if v.brief {
		v.base.CopyTo(at)
		for i := range v.changes {
			s, t := v.change(i)
			at[s] = t
		}
		return true
	}
	clear(at[copy(at, v.near()):])
	return true
}
