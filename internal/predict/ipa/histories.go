package ipa

import (
	"slices"
	"sort"
	"unsafe"

	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

// Limits bound Histories. Zero fields mean the defaults.
type Limits struct {
	Events    int // how many of each goroutine's newest events are kept, at least; 0 means 1 Ki
	Memory    int // about how many bytes; 0 means 8 MB. Histories of goroutines that ended first go first.
	Calls     int // of one search; 0 means 4 Ki
	Spaces    int // how many are kept for later questions; 0 means 16
	Others    int // how many other goroutines strategy II looks at; 0 means 64. When there are more, it knows nothing.
	Histories int // how many there may be for strategy II; 0 means 1 Ki. When there are more, it knows nothing.
	Reached   int // how many pairs a space may have before it begins anew; 0 means 4 Ki
}

func (l Limits) withDefaults() Limits {
	for _, d := range []struct {
		v  *int
		to int
	}{{&l.Events, 1 << 10}, {&l.Memory, 8 << 20}, {&l.Calls, 4 << 10}, {&l.Spaces, 16}, {&l.Others, 64}, {&l.Histories, 1 << 10}, {&l.Reached, 4 << 10}} {
		if *d.v <= 0 {
			*d.v = d.to
		}
	}
	return l
}

// Histories are those of all goroutines.
type Histories struct {
	Counters
	Evicted uint64 // histories that went for want of room

	limits  Limits
	pool    *vclock.Pool
	slots   *vclock.Slots
	of      predict.ByG[History]
	free    predict.FreeList[History]
	ended   []trace.G          // oldest first
	handed  map[Lock]trace.Seq // locks with sections that are not in histories, and up to when, for strategy II
	gone    trace.Seq          // some goroutine's events before this one are not known any more
	unblock []trace.Seq        // events that may have let another goroutine go on, the newest ones
	spaces  []*kept            // latest used last
	bytes   int
	latest  *History
}

// kept is a space that is kept for later questions about the same two goroutines.
type kept struct {
	*Space
	strategy Strategy
	from     trace.Seq // the run went through the start before this event
	others   []*History
}

// newHistories returns empty histories. Their stamps have times of these slots.
func newHistories(limits Limits, pool *vclock.Pool, slots *vclock.Slots) *Histories {
	return &Histories{limits: limits.withDefaults(), pool: pool, slots: slots}
}

// Of is a goroutine's history, a new one if there is none. The stamp is that of the goroutine's
// present event.
func (h *Histories) Of(g trace.G, slot vclock.Slot, at Stamp) *History {
	if l := h.latest; l != nil && l.g == g && !l.ended {
		return l
	}
	l := h.of.Get(g)
	switch {
	case l == nil:
		l = h.free.Get()
		l.g, l.Slot, l.last = g, slot, at.Known.Hold()
		l.epochs = append(l.epochs, epoch{0, at.Time})
		h.of.Put(g, l)
		h.bytes += historyBytes
	case l.ended: // an event after its End
		l.lost = true
	}
	h.latest = l
	return l
}

const (
	eventBytes   = int(unsafe.Sizeof(Event{}) + unsafe.Sizeof(epoch{}))
	historyBytes = int(unsafe.Sizeof(History{}))
)

// Acquire takes in an event of l's goroutine.
func (h *Histories) Acquire(l *History, seq trace.Seq, lock Lock, shared bool, at Stamp) {
	l.acquire(seq, lock, shared, at)
	h.bytes += eventBytes
	if len(l.events) >= 2*h.limits.Events {
		h.trim(l, h.limits.Events)
	}
	if h.bytes > h.limits.Memory {
		h.shrink()
	}
}

// Release takes in that l's goroutine ends a section that the goroutine holder began.
func (h *Histories) Release(l *History, holder trace.G, seq trace.Seq, lock Lock, shared bool, at Stamp) {
	if holder == l.g {
		l.release(seq, lock, shared, at)
		h.bytes += eventBytes
		return
	}
	if o := h.of.Get(holder); o != nil {
		o.handedOver(lock, shared)
	}
	h.hand(lock, seq)
	h.spaces = nil
}

// Leave takes in that l's goroutine ends a section of which nothing is known.
func (h *Histories) Leave(l *History, seq trace.Seq, at Stamp) {
	l.add(Event{Stamp: at, Seq: seq})
	h.bytes += eventBytes
}

// hand notes that a section of a lock that was open before the event at seq is in no history.
func (h *Histories) hand(lock Lock, seq trace.Seq) {
	if h.handed == nil {
		h.handed = map[Lock]trace.Seq{}
	}
	if h.handed[lock] = max(h.handed[lock], seq); len(h.handed) < maxHanded {
		return
	}
	for l, at := range h.handed {
		if at != always {
			delete(h.handed, l)
			h.gone = max(h.gone, at)
		}
	}
}

const (
	maxHanded = 1 << 12 // about how many such locks are known
	always    = ^trace.Seq(0)
)

// Tick takes in that an epoch of l's goroutine begins after the event at seq. If others may have
// gone on because of the event, unblocks is set.
func (h *Histories) Tick(l *History, seq trace.Seq, time vclock.Time, known *vclock.Vec, unblocks bool) {
	l.tick(seq, time)
	if l.last != known {
		h.pool.Drop(l.last)
		l.last = known.Hold()
	}
	if len(l.epochs) >= 4*h.limits.Events {
		l.epochs = slices.Delete(l.epochs, 0, 2*h.limits.Events)
	}
	if !unblocks {
		return
	}
	if len(h.unblock) == 2*keepUnblocks {
		h.unblock = slices.Delete(h.unblock, 0, keepUnblocks)
	}
	h.unblock = append(h.unblock, seq)
}

// keepUnblocks is how many unblocking events are kept, at least.
const keepUnblocks = 1 << 10

// End takes in that a goroutine has ended.
func (h *Histories) End(l *History) {
	l.ended = true
	h.ended = append(h.ended, l.g)
}

func (h *Histories) trim(l *History, keep int) {
	h.bytes -= max(0, len(l.events)-keep) * eventBytes
	l.trim(h.pool, keep)
}

// shrink makes room: it drops histories of goroutines that ended, oldest first, then the older
// halves of the others.
func (h *Histories) shrink() {
	for len(h.ended) > 0 && h.bytes > h.limits.Memory/4*3 {
		h.forget(h.ended[0])
		h.ended = h.ended[1:]
		h.Evicted++
	}
	if h.bytes <= h.limits.Memory {
		return
	}
	h.of.Each(func(_ trace.G, l *History) {
		if n := len(l.events); n > 8 {
			h.trim(l, n/2)
			h.Evicted++
		}
	})
}

// forget drops a goroutine's history.
func (h *Histories) forget(g trace.G) {
	l := h.of.Delete(g)
	if l == nil {
		return
	}
	h.bytes -= historyBytes + len(l.events)*eventBytes
	h.spaces = slices.DeleteFunc(h.spaces, func(k *kept) bool {
		return k.sides[0].h == l || k.sides[1].h == l || slices.Contains(k.others, l)
	})
	h.gone = max(h.gone, l.until())
	for _, s := range l.in { // held for ever
		h.hand(s.lock, always)
	}
	l.drop(h.pool)
	if h.latest == l {
		h.latest = nil
	}
	h.free.Put(l)
}

// Bytes is about how much memory the histories take, without vectors.
func (h *Histories) Bytes() int { return h.bytes }

// snapshot is the last unblocking event before seq.
func (h *Histories) snapshot(seq trace.Seq) (trace.Seq, bool) {
	n := sort.Search(len(h.unblock), func(i int) bool { return h.unblock[i] >= seq })
	if n == 0 {
		return 0, false
	}
	return h.unblock[n-1], true
}
