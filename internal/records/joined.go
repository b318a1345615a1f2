package records

import (
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/trace"
)

// A goroutine that takes the same lock again and again, at a busy position, makes sections without
// a recorded access. Successive ones are joined to one section: what is between them, a release and
// an acquire, is left out.
//
//	(N1) Two sections of a goroutine are joined if they have the same lock, mode, flags and stack,
//	     no events but the same ones of the lock's opaque token, no event of the goroutine in
//	     between, and nothing in between that the first one's end could be told apart by (N2). The
//	     joined section has the first one's acquire and events, and the last one's release.
//	(N2) An operation of another goroutine on the lock or its token tells, unless both only read:
//	     sections in read mode, or Observes.
//	(N3) A release waits for the goroutine's next event, and for an operation that (N2) names. It
//	     waits no longer than a merge: what asks the engine about the run comes after one.
//
// The stream is one that another run of the program has: the goroutine keeps the lock from the
// first acquire to the last release, and did nothing in between that others see. So predictions are
// right. What is lost are schedules that have another goroutine's section between two of the
// sections. The goroutine has no other event there, so one before the first or after the last of
// them does mostly as well.

// Joiner joins sections. It takes in the events of a stream and gives out those that are left.
type Joiner struct {
	Deliver func(*trace.Event) // gets the events, which are valid until it returns

	at     predict.ByG[joined]
	free   predict.FreeList[joined]
	latest *joined         // the goroutine that was looked up last; nil for none
	list   []*joined       // those in a section that may be joined
	words  [hashes]*joined // the same, by the hash of their lock's word: the first of each, linked by next
}

// arena says where goroutines are. It is called before the first event.
func (j *Joiner) arena(t *predict.Tables) {
	j.free.Arena = t.Arena
	j.at.Arena(t)
}

// joined is a goroutine's present section, or the last one, if it has nothing but events of its
// lock's token.
type joined struct {
	g          trace.G
	state      joining
	place      int                    // in the list
	prev, next *joined                // others of the list with the same hash of the lock's word
	acq        trace.Event            // the first acquire
	token      [maxJoined]trace.Event // the events of the first section
	n          int                    // how many there are
	// Events that wait (N3):
	release trace.Event
	again   trace.Event // the acquire of the next section
	same    int         // how many events of that section are the same as in token
}

// joining says what a goroutine did last.
type joining uint8

const (
	apart    joining = iota // anything else; it is not in the list
	inFirst                 // it took the lock. No event waits
	afterOne                // it gave the lock back: the release waits
	inNext                  // it took the lock again: that waits, too
)

// maxJoined is how many events of its lock's token a section may have, and maxList how many
// goroutines are in the list. The newest one takes the place of any other.
const (
	maxJoined = 3
	maxList   = 64
)

// lockWord is the word of a lock and of the objects that stand for its token.
func lockWord(a trace.Addr) trace.Addr { return a &^ trace.OpaqueTokenBit >> 3 }

// word is the first of the list whose locks' words have the same hash.
func (j *Joiner) word(a trace.Addr) **joined { return &j.words[hash(lockWord(a))] }

// hash is a hash of an address, less than hashes.
func hash(a trace.Addr) uint64 { return uint64(a) * 0x9E3779B97F4A7C15 >> (64 - hashBits) }

const (
	hashBits = 8
	hashes   = 1 << hashBits
)

// Event takes in the next event. handed says that it ends a section of another goroutine.
func (j *Joiner) Event(ev *trace.Event, handed bool) {
	if len(j.list) > 0 {
		if ev.Kind == trace.Alloc {
			j.alloc(ev)
		} else if ev.Addr != 0 && !ev.Kind.Spec().Access && *j.word(ev.Addr) != nil {
			j.others(ev, handed)
		}
		if own := j.of(ev.G); own != nil && own.state != apart {
			if j.goesOn(own, ev, handed) {
				return
			}
			if own.state == inFirst {
				j.Deliver(ev)
				return
			}
		}
	}
	if ev.Kind == trace.Acquire || ev.Kind == trace.RAcquire {
		j.begin(ev)
	}
	j.Deliver(ev)
}

// goesOn takes in an event of a goroutine in the list, and returns whether the event waits or is
// left out. Otherwise the caller delivers it; if the section may not be joined any more, it is not
// in the list then.
func (j *Joiner) goesOn(own *joined, ev *trace.Event, handed bool) bool {
	switch ends := own.ends(ev) && !handed; {
	case own.state == inFirst && ends:
		own.state, own.release = afterOne, *ev
	case own.state == inFirst && own.n < maxJoined && own.ofToken(ev):
		own.token[own.n] = *ev
		own.n++
		return false
	case own.state == afterOne && own.repeats(ev):
		own.state, own.again, own.same = inNext, *ev, 0
	case own.state == inNext && own.same == own.n && ends:
		own.state, own.release = afterOne, *ev
	case own.state == inNext && own.same < own.n && alike(ev, &own.token[own.same]):
		own.same++
	default:
		j.end(own)
		return false
	}
	return true
}

// of is the state of a goroutine, nil if there is none.
func (j *Joiner) of(g trace.G) *joined {
	if j.latest == nil || j.latest.g != g {
		own := j.at.Get(g)
		if own == nil {
			return nil
		}
		j.latest = own
	}
	return j.latest
}

// begin puts a goroutine into the list that takes a lock.
func (j *Joiner) begin(ev *trace.Event) {
	own := j.of(ev.G)
	if own == nil {
		own = j.at.Make(ev.G, &j.free)
		own.g = ev.G
	}
	if len(j.list) == maxList {
		j.end(j.list[uint32(ev.G)%maxList])
	}
	own.state, own.acq, own.n, own.place = inFirst, *ev, 0, len(j.list)
	j.list = append(j.list, own)
	first := j.word(ev.Addr)
	if own.prev, own.next = nil, *first; own.next != nil {
		own.next.prev = own
	}
	*first = own
}

// end takes a goroutine out of the list and delivers what waits.
func (j *Joiner) end(own *joined) {
	state, last := own.state, len(j.list)-1
	own.state = apart
	j.list[own.place] = j.list[last]
	j.list[own.place].place = own.place
	j.list = j.list[:last]
	if own.prev != nil {
		own.prev.next = own.next
	} else {
		*j.word(own.acq.Addr) = own.next
	}
	if own.next != nil {
		own.next.prev = own.prev
	}
	if state == inFirst {
		return
	}
	j.Deliver(&own.release)
	if state == inNext {
		j.Deliver(&own.again)
		for i := range own.same {
			own.token[i].Stack, own.token[i].Site = own.again.Stack, own.again.Site
			j.Deliver(&own.token[i])
		}
	}
}

// ofToken reports whether ev is of the opaque token of the section's lock, or says that unrecorded
// code was called.
func (s *joined) ofToken(ev *trace.Event) bool {
	switch ev.Kind {
	case trace.Observe, trace.Change:
		return lockWord(ev.Addr) == lockWord(s.acq.Addr) && ev.Addr != s.acq.Addr
	case trace.Opaque:
		return true
	}
	return false
}

// ends reports whether ev is the release of the section.
func (s *joined) ends(ev *trace.Event) bool {
	release := trace.Release
	if s.acq.Kind == trace.RAcquire {
		release = trace.RRelease
	}
	return ev.Kind == release && ev.Addr == s.acq.Addr && ev.Unseen() == s.acq.Unseen()
}

// repeats reports whether ev takes the section's lock in the same way.
func (s *joined) repeats(ev *trace.Event) bool {
	return alike(ev, &s.acq) && ev.Stack == s.acq.Stack && ev.Site == s.acq.Site
}

func alike(a, b *trace.Event) bool {
	return a.Kind == b.Kind && a.Addr == b.Addr && a.Flags == b.Flags
}

// others is (N2) for an event of another goroutine than those whose sections it ends.
func (j *Joiner) others(ev *trace.Event, handed bool) {
	for s := *j.word(ev.Addr); s != nil; {
		next := s.next
		if s.g != ev.G && lockWord(s.acq.Addr) == lockWord(ev.Addr) && !s.together(ev, handed) {
			j.end(s)
		}
		s = next
	}
}

// together reports whether s and an event of another goroutine on the lock do not show which came
// first.
func (s *joined) together(ev *trace.Event, handed bool) bool {
	switch ev.Kind {
	case trace.RAcquire:
		return s.acq.Kind == trace.RAcquire
	case trace.RRelease:
		return s.acq.Kind == trace.RAcquire && !handed
	case trace.Observe:
		for i := range s.n {
			if s.token[i].Kind == trace.Change {
				return false
			}
		}
		return true
	}
	return false
}

// alloc ends sections of locks whose memory is used anew.
func (j *Joiner) alloc(ev *trace.Event) {
	for i := 0; i < len(j.list); {
		if s := j.list[i]; ev.Covers(s.acq.Addr) {
			j.end(s)
			continue
		}
		i++
	}
}

// Flush delivers all that waits. (N3)
func (j *Joiner) Flush() {
	for len(j.list) > 0 {
		j.end(j.list[len(j.list)-1])
	}
}

// Forget forgets a goroutine that ended.
func (j *Joiner) Forget(g trace.G) {
	own := j.at.Get(g)
	if own == nil {
		return
	}
	if own.state != apart {
		j.end(own)
	}
	if j.latest == own {
		j.latest = nil
	}
	j.at.Delete(g)
	j.free.Put(own)
}
