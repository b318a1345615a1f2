// Package check replays a schedule and accepts it only if it is a correct reordering of the trace that reaches a goal: it leaves the
// goal's events as the next ones of their goroutines, and what the goal's kind asks of them holds (goals.go). It knows the definition and nothing of
// how schedules are found.
//
//	(C1) of each goroutine, the schedule has a prefix of its events, in order
//	(C2) a goroutine's first event comes after its Fork; a Join after the goroutine's Fork and all of its events
//	(C3) sections of a lock do not overlap unless both are in read mode; a release ends the section that it ended in the trace
//	(C4) every byte read has the same last seen writer as in the trace, and since then the same set of
//	     unseen Writes, in the same order if they are appends; Alloc counts as a write. An unseen Write comes after the same unseen Writes of other bytes that overlap its own
//	(C5) a HardAcquire or HardSwap comes after every release that its object held in the trace, unless it is unseen
//	(C6) a section flagged hard begins after all releases of its lock before it in the trace, and no
//	     section begins before the release of a hard section that ended before it in the trace; one that began before
//	     the trace may be hard
//	(C7) Observe and Change have the same last seen Change of their object as in the trace, and, but for an
//	     unseen Change, the same set of unseen ones since then
//	(C8) Opaque has the same last Opaque in write mode as in the trace, for every lock whose section it is in
//	(C9) TryFail comes while the sections that were open in the trace are open; if none was, after all sections of the
//	     lock before it and before all after it
//	(C14) an append has the same last seen store of its list as in the trace. Its parts are what they are in the trace if it is in place, with
//	     the same appends since then in the same order. If it is not, nobody reads what those of the same store added in the trace that were not done in
//	     place, until it has a new life; where repeats were dropped, nobody did in a span that is not over, nor writes it; no part of it is one of the goal's events; and none of these appends was under way when the trace ended
//	(C10) the goal's events are the next events of their goroutines, and are not in the schedule, but for those that the goal has executed, which are in it one after the
//	     other; two accesses that are to race conflict in a byte that was not allocated anew between them
//
// A recorder may have dropped accesses that repeat one of the same kind, goroutine, bytes and span (a goroutine's run
// between two events whose kind EndsSpan). With Options.Dropped the worst is assumed of them:
//
//	(C11) what a read takes from another goroutine's seen write may have been written anywhere in the rest of the
//	     write's span, so the whole span comes before the read; so does that of an unseen Write. Of atomic ones none is missing
//	(C12) while a goroutine still does events of a span (or one of the goal's is next), it may read again
//	     what it read in it: no other goroutine writes these bytes
//	(C13) and it may write again what it wrote in it: bytes that another goroutine writes then are not read any more
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
	Found   *cells.Found // what the trace's Reads found; nil looks
}

// Checker checks schedules of one trace.
type Checker struct {
	evs  []trace.Event
	opts Options

	byG   map[trace.G]int32
	g     []int32   // each event's goroutine, numbered by first appearance
	place []int32   // each event's place among its goroutine's
	list  [][]int32 // each goroutine's events
	fork  []int32   // each goroutine's Fork, -1 none
	forks map[trace.G]int32

	found  *cells.Found
	merges [][]merge // by place in found.Unseen, the unseen Writes
	allocs []int32
	ends   []int32 // by event, the place among its goroutine's events of the first one after it that ends a span

	// about is one fact about an event, by its kind: of an acquire or release its section; of a hard event the
	// newest release its object held before, -1 none; of an Observe or Change an index into pins; of
	// a TryFail and an Opaque an index into holders and opaques.
	about    []int32
	pins     []pin
	epochs   []epoch
	holders  [][]int32 // the sections that were open
	opaques  [][]seen  // what it saw of each lock around it
	sections []section
	locks    []lockHistory
	lockOf   map[trace.Addr]int32
	lists
}

// New prepares to check schedules of the trace. A trace may begin in the middle of a run: then what came before is part of
// every schedule.
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

// building is what New needs on its way.
type building struct {
	*Checker
	held   map[int32][]int32    // sections around each goroutine's present event
	open   [][]int32            // by lock, sections without a release so far
	opaque []int32              // by lock, the last Opaque in write mode, plus one
	object map[trace.Addr]int32 // the newest release an object holds, plus one
	epoch  map[trace.Addr]int32 // the present one, plus one
}

func (b *building) event(i int32, e *trace.Event) {
	b.number(i, e)
	b.append(i, e, b.g[i])
	b.gather(i, e)
}

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

// before is how many of the list, which is in order, are before i.
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

// Check replays the schedule, a list of places in the trace, and returns nil if it is a witness of the goal, else what is wrong with it.
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
