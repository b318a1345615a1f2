package ipa

import (
	"math"
	"slices"
	"sort"

	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

// Lock names a lock; a number that is never used again for another one.
type Lock uint64

// Stamp is a vector time of the order that every schedule keeps: the events that come before an
// event, and the event's own time. The vector has no entry for the goroutine's own slot.
type Stamp struct {
	Known *vclock.Vec
	Time  vclock.Time
}

// Event is an acquire or release in a history.
type Event struct {
	Stamp
	Seq    trace.Seq
	Lock   Lock
	Opens  bool  // an acquire
	Shared bool  // in read mode
	depth  int32 // how many sections the goroutine is in after it
}

// epoch is the part of a history between two events that other goroutines may come after, with the
// second one.
type epoch struct {
	from trace.Seq
	time vclock.Time
}

// History is what is kept of one goroutine.
type History struct {
	Slot vclock.Slot

	g       trace.G
	events  []Event     // the newest ones
	from    Place       // of the first of them
	epochs  []epoch     // the newest ones
	in      []section   // the sections that it is in, outermost first
	midway  int32       // how many others it was in at the beginning, which nothing else is known of
	unknown int32       // how many of these it is in
	last    *vclock.Vec // what comes before the next event of any kind, at least
	ended   bool
	lost    bool // it does not say where the goroutine was
}

// Place is a number of events that a goroutine has executed, from its first one on.
type Place int32

// section is a critical section of a history: the goroutine holds the lock at the places above
// open, up to close.
type section struct {
	lock        Lock
	open, close Place // of its acquire and its release
	shared      bool
	times       int32 // how often it was entered, in read mode, without having been left
}

// never is the place of a release that does not happen.
const never = Place(math.MaxInt32)

// excludes reports whether sections of one lock, in these modes, cannot overlap.
func excludes(shared, other bool) bool { return !(shared && other) }

// End is the place that the goroutine is at.
func (h *History) End() Place { return h.from + Place(len(h.events)) }

// at is the event that the goroutine executes at a place.
func (h *History) at(p Place) *Event { return &h.events[p-h.from] }

// acquire takes in an event. A section in read mode that is entered again while the goroutine is in
// it is one section, from the first acquire to the last release.
func (h *History) acquire(seq trace.Seq, l Lock, shared bool, at Stamp) {
	if shared {
		for i := range h.in {
			if s := &h.in[i]; s.lock == l && s.shared {
				s.times++
				return
			}
		}
	}
	h.in = append(h.in, section{lock: l, open: h.End(), close: never, shared: shared, times: 1})
	h.add(Event{Stamp: at, Seq: seq, Lock: l, Opens: true, Shared: shared})
}

// release takes in an event. It ignores the release of a section that the goroutine did not
// acquire.
func (h *History) release(seq trace.Seq, l Lock, shared bool, at Stamp) {
	i := slices.IndexFunc(h.in, func(s section) bool { return s.lock == l && s.shared == shared })
	if i < 0 {
		return
	}
	if s := &h.in[i]; s.times > 1 {
		s.times--
		return
	}
	h.in = slices.Delete(h.in, i, i+1)
	h.add(Event{Stamp: at, Seq: seq, Lock: l, Shared: shared})
}

func (h *History) add(e Event) {
	e.Known.Hold()
	e.depth = int32(len(h.in)) + h.unknown
	h.events = append(h.events, e)
}

// handedOver takes in that another goroutine has released what this one acquired: the acquire is an
// event that excludes nothing.
func (h *History) handedOver(l Lock, shared bool) {
	i := slices.IndexFunc(h.in, func(s section) bool { return s.lock == l && s.shared == shared })
	if i < 0 {
		return
	}
	open := h.in[i].open
	h.in = slices.Delete(h.in, i, i+1)
	if open < h.from {
		open = h.from
	} else {
		h.at(open).Lock = 0
	}
	for p := open; p < h.End(); p++ {
		h.at(p).depth--
	}
}

// tick takes in that an epoch begins after the event at seq.
func (h *History) tick(seq trace.Seq, time vclock.Time) {
	h.epochs = append(h.epochs, epoch{seq + 1, time})
}

// trim keeps the newest events, so many at least.
func (h *History) trim(pool *vclock.Pool, keep int) {
	if n := len(h.events) - keep; n > 0 {
		for i := range h.events[:n] {
			pool.Drop(h.events[i].Known)
		}
		h.from += Place(n)
		h.events = slices.Delete(h.events, 0, n)
	}
	if n := len(h.epochs) - keep; n > 0 {
		h.epochs = slices.Delete(h.epochs, 0, n)
	}
}

// drop returns the history's vectors to the pool.
func (h *History) drop(pool *vclock.Pool) {
	h.trim(pool, 0)
	pool.Drop(h.last)
	*h = History{events: h.events[:0], epochs: h.epochs[:0], in: h.in[:0]}
}

// Place is where the goroutine is before the event at seq, if that is known.
func (h *History) Place(seq trace.Seq) (Place, bool) {
	n := sort.Search(len(h.events), func(i int) bool { return h.events[i].Seq >= seq })
	return h.from + Place(n), n > 0 || h.from == 0
}

// placeBefore is Place as far as it is known.
func (h *History) placeBefore(seq trace.Seq) Place {
	p, _ := h.Place(seq)
	return p
}

// time is the goroutine's epoch at seq; false if that is not known.
func (h *History) time(seq trace.Seq) (vclock.Time, bool) {
	n := sort.Search(len(h.epochs), func(i int) bool { return h.epochs[i].from > seq })
	if n == 0 {
		return 0, false
	}
	return h.epochs[n-1].time, true
}

// knows is how many of h's events come before the event of another goroutine with that stamp.
func (h *History) knows(v *vclock.Vec) Place {
	t := v.At(h.Slot)
	return h.from + Place(sort.Search(len(h.events), func(i int) bool { return h.events[i].Time > t }))
}

// free is the last place up to p where the goroutine is in no section; false if that is not known.
func (h *History) free(p Place) (Place, bool) {
	for ; p > h.from; p-- {
		if h.at(p-1).depth == 0 {
			return p, true
		}
	}
	return p, h.from == 0 && h.midway == 0
}

// known has the events that come before the goroutine's event at a place, and perhaps more.
func (h *History) known(p Place) *vclock.Vec {
	if p < h.End() {
		return h.at(p).Known
	}
	return h.last
}

// until is the end of the goroutine's events that others may know of.
func (h *History) until() trace.Seq { return h.epochs[len(h.epochs)-1].from }

// locks are the sections that the goroutine is in at a place, outermost first; false if that is not
// known.
func (h *History) locks(p Place) (in []section, ok bool) {
	at, ok := h.free(p)
	for ; ok && at < p; at++ {
		if e := h.at(at); e.Opens {
			in = append(in, section{lock: e.Lock, open: at, close: never, shared: e.Shared})
		} else {
			in = slices.DeleteFunc(in, func(s section) bool { return s.lock == e.Lock && s.shared == e.Shared })
		}
	}
	return in, ok
}
