package trace

import "math/bits"

// Rounds finds critical sections that hold what another goroutine does. That one need not hold the lock: the section tells it something, and is told
// what it did since. So in every schedule that keeps those two edges, what it did comes after the section's beginning and before its end.
//
//	(S1) What a goroutine tells, and at what, is known from its section on: by the section's own goroutine, or by others.
//	(S2) Others know of a section what they were told, and tell it from their next operation on. An operation that is told and tells at once passes nothing
//	     on, since its goroutine does nothing between the two.
//	(S3) A section that is told by others what they know of itself holds what they did.
//
// Only sections that told something are followed, until they end, and as many as a set has room for. Objects and goroutines are kept by a hash: those that
// share a place count as one, and then a section may be taken for one of (S3) that is none.
//
// The zero Rounds is ready.
type Rounds struct {
	open  Sections
	since [maxSections]uint64 // when the section began to tell
	now   uint64
	known [knownPlaces]known
}

// Sections is a set of sections that are followed.
type Sections uint64

const (
	maxSections = 64
	knownPlaces = 1 << 10
)

// known is what is known at an object, or by a goroutine, of open sections.
type known struct {
	own    Sections // from the section's own goroutine, at this object
	others Sections // from others
	at     uint64   // when it was looked at; what it has of sections that began later is of others, which ended
}

// The keys of what knows something; an object's is its address.
const (
	lockKey      = 1 << 62
	goroutineKey = 1 << 63
)

func (r *Rounds) place(key uint64) *known {
	k := &r.known[key*0x9E3779B97F4A7C15>>54%knownPlaces]
	k.own &= r.open
	k.others &= r.open
	if k.at != r.now {
		for all := k.own | k.others; all != 0; all &= all - 1 {
			if no := bits.TrailingZeros64(uint64(all)); r.since[no] > k.at {
				k.own &^= 1 << no
				k.others &^= 1 << no
			}
		}
		k.at = r.now
	}
	return k
}

// Follow begins to follow a section, which is about to tell something. It returns the empty set if there is no room.
func (r *Rounds) Follow() Sections {
	free := ^r.open
	if free == 0 {
		return 0
	}
	no := bits.TrailingZeros64(uint64(free))
	r.now++
	r.since[no] = r.now
	r.open |= 1 << no
	return 1 << no
}

// Forget ends that.
func (r *Rounds) Forget(s Sections) { r.open &^= s }

// Any reports whether any section is followed.
func (r *Rounds) Any() bool { return r.open != 0 }

// Tells is called where g, which is in the sections own, tells something at an object.
func (r *Rounds) Tells(g G, own Sections, object Addr) { r.tells(g, own, uint64(object)) }

// Leaves is called where g, which is in the sections own besides, leaves one in which it changed something that the next one under the lock may see.
func (r *Rounds) Leaves(g G, own Sections, lock Addr) { r.tells(g, own, lockKey|uint64(lock)) }

// Starts is called where g, which is in the sections own, starts a goroutine.
func (r *Rounds) Starts(g G, own Sections, started G) {
	if r.open == 0 {
		return
	}
	others := r.place(goroutineKey|uint64(g)).others &^ own
	r.place(goroutineKey | uint64(started)).others |= own | others
}

// Told is called where g, which is in the sections own, is told something at an object. It returns the sections of (S3).
func (r *Rounds) Told(g G, own Sections, object Addr) Sections { return r.told(g, own, uint64(object)) }

// Sees is called where g, which is in the sections own, may see what others changed under a lock that it holds.
func (r *Rounds) Sees(g G, own Sections, lock Addr) Sections {
	return r.told(g, own, lockKey|uint64(lock))
}

// Finds is called where g finds a section open: it cannot have its lock.
func (r *Rounds) Finds(g G, section Sections) {
	r.place(goroutineKey | uint64(g)).others |= section
}

// ToldAll is called where g, which is in the sections own, is told of whatever anybody did.
func (r *Rounds) ToldAll(g G, own Sections) Sections {
	if r.open != 0 {
		r.place(goroutineKey | uint64(g)).others |= r.open &^ own
	}
	return own
}

// (S1)
func (r *Rounds) tells(g G, own Sections, key uint64) {
	if r.open == 0 {
		return
	}
	others := r.place(goroutineKey|uint64(g)).others &^ own
	if own|others != 0 {
		k := r.place(key)
		k.own |= own
		k.others |= others
	}
}

// (S2), (S3)
func (r *Rounds) told(g G, own Sections, key uint64) Sections {
	if r.open == 0 {
		return 0
	}
	k := *r.place(key)
	if k.own|k.others != 0 {
		r.place(goroutineKey | uint64(g)).others |= (k.own | k.others) &^ own
	}
	return k.others & own
}
