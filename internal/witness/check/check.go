// Package check replays a schedule and accepts it only if it is a correct reordering of the trace
// that reaches a goal. At its end, the goal's events are the next ones of their goroutines, and
// satisfy the rule of the goal's kind (goals.go). The package knows the definition, and does not
// know how schedules are found.
//
//	(C1) of each goroutine, the schedule has a prefix of its events, in order
//	(C2) a goroutine's first event comes after its Fork; a Join after the goroutine's Fork and all
//	     of its events
//	(C3) sections of a lock do not overlap unless both are in read mode; a release ends the section
//	     that it ended in the trace
//	(C4) every byte read has the same last seen writer as in the trace, and since then the same set
//	     of unseen Writes, in the same order if they are appends; Alloc counts as a write. An unseen
//	     Write has the same unseen Writes of other, overlapping ranges of bytes before it as in the
//	     trace
//	(C5) a HardAcquire or HardSwap comes after every release that its object held in the trace,
//	     unless it is unseen
//	(C6) a section flagged hard begins after all releases of its lock before it in the trace. Any
//	     other section comes after the releases of the hard sections that ended before it in the
//	     trace. If it is not unseen, only its beginning may come earlier: a goroutine that has only
//	     taken more such locks has seen nothing of them. A section that began before the trace may
//	     be hard
//	(C7) Observe and Change have the same last seen Change of their object as in the trace and,
//	     except for an unseen Change, the same set of unseen ones since then
//	(C8) Opaque has the same last Opaque in write mode as in the trace, for every lock whose section
//	     it is in
//	(C9) at a TryFail, the sections are open that were open there in the trace. If none of these
//	     began in the trace, one that began before the trace is open. If there are no such sections
//	     at all, TryFail comes after all sections of the lock before it and before all after it
//	(C10) the goal's events are the next events of their goroutines, and are not in the schedule,
//	     except for those that the goal executes, which are in it one after the other; two accesses
//	     that are to race conflict in a byte that was not allocated anew between them
//
// A recorder may have dropped accesses that repeat one of the same kind, goroutine, bytes and span
// (a goroutine's run between two events whose kind EndsSpan). With Options.Dropped the worst is
// assumed of them:
//
//	(C11) the value that a read takes from another goroutine's seen write may have been written
//	     anywhere in the rest of the write's span, so the whole span comes before the read; so does
//	     the span of an unseen Write. Atomic ones are never dropped
//	(C12) while a goroutine still does events of a span, or has one of the goal's events next in it,
//	     it may read again what it read in the span, other than by atomic operations: no other
//	     goroutine writes these bytes
//	(C13) it may also write again what it wrote in the span: bytes that another goroutine writes in
//	     the meantime are not read any more
//
// An append writes behind the list that it finds:
//
//	(C14) an append has the same last seen store of its list as in the trace. It is in place if the
//	     same appends came since then, in the same order; then its parts access the memory that they
//	     accessed in the trace. Once one is not in place, the rest of the appends since that store
//	     are not either, and their memory is unknown: no event reads what they wrote in the trace,
//	     until the memory has a new life; if repeats were dropped, no span that is not over has read
//	     or written it; no part of these appends is one of the goal's events; and none of them was
//	     under way when the trace ended
package check

import (
	"fmt"

	"github.com/racepred/racepred/internal/goal"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/witness/cells"
)

// Options says what to assume of the trace.
type Options struct {
	Dropped bool         // repeated accesses are missing
	Found   *cells.Found // what the trace's Reads found; nil: New finds out
}

// Checker checks schedules of one trace.
type Checker struct {
	evs  []trace.Event
	opts Options

	byG   map[trace.G]int32
	g     []int32   // each event's goroutine, numbered by first appearance
	place []int32   // each event's place among its goroutine's events
	list  [][]int32 // each goroutine's events
	fork  []int32   // each goroutine's Fork, -1 none
	forks map[trace.G]int32

	found  *cells.Found
	merges [][]merge // by place in found.Unseen, the unseen Writes of the cell
	allocs []int32   // the Allocs, in order
	ends   []int32   // by event, the place among its goroutine's events of the first one after it that ends a span

	// about is one fact about an event, by its kind. An acquire or release: its section. A hard event: the
	// newest release that its object held before, -1 none. An Observe or Change: an index into pins.
	// A TryFail or an Opaque: an index into holders or opaques.
	about    []int32
	pins     []pin
	epochs   []epoch
	holders  [][]int32 // the sections that a TryFail found open
	opaques  [][]seen  // what an Opaque found of each lock around it
	sections []section
	locks    []lockHistory
	lockOf   map[trace.Addr]int32
	lists
}

// New prepares to check schedules of the trace. A trace may begin in the middle of a run: then what
// came before is part of every schedule.
func New(evs []trace.Event, opts Options) *Checker {
	c := &Checker{
		evs: evs, opts: opts,
		byG: map[trace.G]int32{}, forks: map[trace.G]int32{}, lockOf: map[trace.Addr]int32{},
		g: make([]int32, len(evs)), place: make([]int32, len(evs)), about: make([]int32, len(evs)),
		found: opts.Found, lists: newLists(),
	}
	if c.found == nil {
		c.found = cells.Find(evs)
	}
	c.merges = make([][]merge, len(c.found.Unseen))
	b := building{Checker: c, held: map[int32][]int32{}, object: map[trace.Addr]int32{}, epoch: map[trace.Addr]int32{}}
	for i := range evs {
		b.event(int32(i), &evs[i])
	}
	if opts.Dropped {
		c.spans()
	}
	return c
}

// building is the state of New.
type building struct {
	*Checker
	held   map[int32][]int32    // by goroutine, the sections around its present event
	open   [][]int32            // by lock, the sections without a release so far
	opaque []int32              // by lock, the last Opaque in write mode, plus one
	object map[trace.Addr]int32 // the newest release that an object holds, plus one
	epoch  map[trace.Addr]int32 // the present epoch of an object, plus one
}

func (b *building) event(i int32, e *trace.Event) {
	b.number(i, e)
	b.append(i, e, b.g[i])
	b.gather(i, e)
}

// number notes the event's goroutine and its place there.
func (b *building) number(i int32, e *trace.Event) {
	g, ok := b.byG[e.G]
	if !ok {
		g = int32(len(b.list))
		b.byG[e.G] = g
		b.list = append(b.list, nil)
		f, ok := b.forks[e.G]
		if !ok {
			f = -1
		}
		b.fork = append(b.fork, f)
	}
	b.g[i] = g
	b.place[i] = int32(len(b.list[g]))
	b.list[g] = append(b.list[g], i)
}

// before is how many numbers of the sorted list are less than i.
func before(list []int32, i int32) int {
	lo, hi := 0, len(list)
	for lo < hi {
		if m := (lo + hi) / 2; list[m] < i {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo
}

// Check replays the schedule, a list of places in the trace, and returns nil if it is a witness of
// the goal, else what is wrong with it.
func (c *Checker) Check(schedule []int32, g goal.Goal) error {
	if !g.Kind.Takes(len(g.Events)) {
		return fmt.Errorf("check: a %v is not about %d events", g.Kind, len(g.Events))
	}
	for _, i := range g.Events {
		if i < 0 || int(i) >= len(c.evs) {
			return fmt.Errorf("check: the trace has no event %d", i)
		}
	}
	r := newReplay(c, g.Next())
	if err := r.prefixes(schedule); err != nil {
		return err
	}
	for n, i := range schedule {
		if err := r.step(i); err != nil {
			return fmt.Errorf("check: step %d, event %d (%v): %w", n, i, c.evs[i], err)
		}
	}
	return r.reaches(g, schedule)
}
