package trace

import "math/bits"

// Rounds finds critical sections that another goroutine's work lies within, although that goroutine
// need not hold the lock. The section publishes something to the other goroutine (tells it), and
// later receives something that the other goroutine published after that (is told). A schedule that
// keeps these two edges has the other goroutine's work between the section's beginning and its end.
//
//	(S1) What is told at an object is known there from then on: that a section told it, by the
//	     section's own goroutine (own) or by others (others).
//	(S2) A goroutine that is told of a section tells it from its next operation on. An operation
//	     that is told and tells in one step passes nothing on, since its goroutine does nothing
//	     between the two.
//	(S3) If a section is told by others of itself, the work of these others lies within it.
//
// Only sections that told something are followed, until they end, and only as many as a set has
// room for. Objects and goroutines are kept by a hash. Those that share a place count as one, so a
// section may be taken for one of (S3) by mistake.
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

// known is the open sections that an object, or a goroutine, has been told of.
type known struct {
	own    Sections // from the section's own goroutine, at this object
	others Sections // from others
	at     uint64   // the time of the last use; a number of a section that began later was that of another section, which has ended
}

// The keys of places: of an object its address, of locks and goroutines with one of these bits.
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

// Follow begins to follow a section, which is about to tell something. It returns the empty set if
// there is no room.
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

// Forget ends following sections.
func (r *Rounds) Forget(s Sections) { r.open &^= s }

// Any reports whether any section is followed.
func (r *Rounds) Any() bool { return r.open != 0 }

// Tells is called where g, which is in the sections own, tells something at an object.
func (r *Rounds) Tells(g G, own Sections, object Addr) { r.tells(g, own, uint64(object)) }

// Leaves is called where g leaves a section of a lock in which it changed something that the next
// section may see. It is also in the sections own.
func (r *Rounds) Leaves(g G, own Sections, lock Addr) { r.tells(g, own, lockKey|uint64(lock)) }

// Starts is called where g, which is in the sections own, starts a goroutine.
func (r *Rounds) Starts(g G, own Sections, started G) {
	if r.open == 0 {
		return
	}
	others := r.place(goroutineKey|uint64(g)).others &^ own
	r.place(goroutineKey | uint64(started)).others |= own | others
}

// Told is called where g, which is in the sections own, is told something at an object. It returns
// the sections of (S3).
func (r *Rounds) Told(g G, own Sections, object Addr) Sections { return r.told(g, own, uint64(object)) }

// Sees is called where g, which is in the sections own, may see what others changed under a lock
// that it holds.
func (r *Rounds) Sees(g G, own Sections, lock Addr) Sections {
	return r.told(g, own, lockKey|uint64(lock))
}

// Finds is called where g finds a section open: it cannot have its lock.
func (r *Rounds) Finds(g G, section Sections) {
	r.place(goroutineKey | uint64(g)).others |= section
}

// ToldAll is called where g, which is in the sections own, is told of everything that any goroutine
// did.
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
