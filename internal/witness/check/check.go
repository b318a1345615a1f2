// Package check replays a schedule and accepts it only if it is a correct reordering of the trace that leaves two
// conflicting accesses as the next events of their goroutines. It knows the definition and nothing of
// how schedules are found.
//
//	(C1) of each goroutine, the schedule has a prefix of its events, in order
//	(C2) a goroutine's first event comes after its Fork; a Join after the goroutine's Fork and all of its events
//	(C3) sections of a lock do not overlap unless both are in read mode; a release ends the section that it ended in the trace
//	(C4) every byte read has the same last writer as in the trace; Alloc counts as a write
//	(C5) a HardAcquire or HardSwap comes after every release that its object held in the trace
//	(C6) a section flagged hard begins after all releases of its lock before it in the trace, and no
//	     section begins before the release of a hard section that ended before it in the trace
//	(C7) Observe and Change have the same last Change of their object as in the trace
//	(C8) Opaque has the same last Opaque in write mode as in the trace, for every lock whose section it is in
//	(C9) TryFail comes while the sections that were open in the trace are open; if none was, after all sections of the
//	     lock before it and before all after it
//	(C10) the two accesses are the next events of their goroutines, are not in the schedule, and conflict in a byte
//	     that was not allocated anew between them
//
// A recorder may have dropped accesses that repeat one of the same kind, goroutine, bytes and span (a goroutine's run
// between two events whose kind EndsSpan). With Options.Dropped the worst is assumed of them:
//
//	(C11) what a read takes from another goroutine's write may have been written anywhere in the rest of the
//	     write's span, so the whole span comes before the read
//	(C12) while a goroutine still does events of a span (or a racing access of it is next), it may read again
//	     what it read in it: no other goroutine writes these bytes
//	(C13) and it may write again what it wrote in it: bytes that another goroutine writes then are not read any more
package check

import (
	"fmt"

	"github.com/racepred/racepred/internal/trace"
)

// Options says what to assume of the trace.
type Options struct {
	Dropped bool // repeated accesses are missing
}

// Checker checks schedules of one trace.
type Checker struct {
	evs  []trace.Event
	opts Options

	gs    map[trace.G]int32 // goroutine to its number
	place []int32           // of each event among its goroutine's
	list  [][]int32         // each goroutine's events
	fork  map[trace.G]int32 // its Fork, by goroutine

	stores map[uint64][]int32 // by word, the Writes and Allocs in order
	allocs map[uint64][]int32

	sections []section
	of       map[int32]int32        // an acquire's or release's section
	locks    map[trace.Addr]*tenure // all that happened to a lock
	gives    map[int32]int32        // for a hard event, the newest release its object held before; -1 none
	pinned   map[int32]int32        // for an Observe or Change, the Change before
	opaque   map[int32][]seen       // for an Opaque, what it saw of each lock around it
	holders  map[int32][]int32      // for a TryFail, the sections that were open
}

// section is a critical section: acq -1 when it began before the trace, rel -1 when it does not end in it.
type section struct {
	acq, rel     int32
	g            trace.G
	lock         trace.Addr
	shared, hard bool
}

// tenure is a lock's sections, by their acquires, and its releases, each in the trace's order.
type tenure struct {
	sections []int32
	releases []int32
	open     []int32 // while building: sections without a release so far
	last     int32   // while building: the last Opaque in write mode
}

type seen struct {
	lock   trace.Addr
	last   int32
	shared bool
}

// New prepares to check schedules of the trace. A trace may begin in the middle of a run: then what came before is part of
// every schedule.
func New(evs []trace.Event, opts Options) *Checker {
	c := &Checker{
		evs: evs, opts: opts,
		gs: map[trace.G]int32{}, fork: map[trace.G]int32{}, place: make([]int32, len(evs)),
		stores: map[uint64][]int32{}, allocs: map[uint64][]int32{},
		of: map[int32]int32{}, locks: map[trace.Addr]*tenure{}, gives: map[int32]int32{},
		pinned: map[int32]int32{}, opaque: map[int32][]seen{}, holders: map[int32][]int32{},
	}
	held := map[trace.G][]int32{}        // sections around the goroutine's present event
	object := map[trace.Addr]int32{}     // the newest release an object holds, plus one
	lastChange := map[trace.Addr]int32{} // plus one
	for n := range evs {
		i, e := int32(n), &evs[n]
		c.number(i, e)
		spec := e.Kind.Spec()
		switch {
		case spec.Opens:
			c.opens(i, e, held)
		case spec.Closes:
			c.closes(i, e, held)
		case spec.Stores:
			eachWord(e, func(w uint64) {
				c.stores[w] = append(c.stores[w], i)
				if e.Kind == trace.Alloc {
					c.allocs[w] = append(c.allocs[w], i)
				}
			})
		}
		if spec.Takes || spec.Gives {
			c.gives[i] = object[e.Addr] - 1
			if spec.Gives {
				object[e.Addr] = i + 1
			}
		}
		switch e.Kind {
		case trace.Fork:
			if _, ok := c.fork[trace.G(e.Other)]; !ok {
				c.fork[trace.G(e.Other)] = i
			}
		case trace.Observe, trace.Change:
			c.pinned[i] = lastChange[e.Addr] - 1
			if e.Kind == trace.Change {
				lastChange[e.Addr] = i + 1
			}
		case trace.Opaque:
			for _, s := range held[e.G] {
				l := c.locks[c.sections[s].lock]
				c.opaque[i] = append(c.opaque[i], seen{c.sections[s].lock, l.last, c.sections[s].shared})
				if !c.sections[s].shared {
					l.last = i
				}
			}
		case trace.TryFail:
			c.holders[i] = append([]int32(nil), c.lock(e.Addr).open...)
		}
	}
	return c
}

func (c *Checker) number(i int32, e *trace.Event) {
	g, ok := c.gs[e.G]
	if !ok {
		g = int32(len(c.list))
		c.gs[e.G] = g
		c.list = append(c.list, nil)
	}
	c.place[i] = int32(len(c.list[g]))
	c.list[g] = append(c.list[g], i)
}

func (c *Checker) lock(a trace.Addr) *tenure {
	l := c.locks[a]
	if l == nil {
		l = &tenure{last: -1}
		c.locks[a] = l
	}
	return l
}

func (c *Checker) opens(i int32, e *trace.Event, held map[trace.G][]int32) {
	s := int32(len(c.sections))
	c.sections = append(c.sections, section{
		acq: i, rel: -1, g: e.G, lock: e.Addr,
		shared: e.Kind.Spec().Shared, hard: e.Flags&trace.FlagHard != 0,
	})
	l := c.lock(e.Addr)
	l.sections = append(l.sections, s)
	l.open = append(l.open, s)
	c.of[i] = s
	held[e.G] = append(held[e.G], s)
}

// closes matches a release: with the goroutine's newest open section of that lock and mode, else with the oldest of any goroutine
// (a hand-over), else with one that began before the trace.
func (c *Checker) closes(i int32, e *trace.Event, held map[trace.G][]int32) {
	l, shared := c.lock(e.Addr), e.Kind.Spec().Shared
	at := -1
	for k, s := range l.open {
		if c.sections[s].shared == shared && (at < 0 || c.sections[s].g == e.G) {
			at = k
		}
	}
	l.releases = append(l.releases, i)
	if at < 0 {
		s := int32(len(c.sections))
		c.sections = append(c.sections, section{acq: -1, rel: i, g: e.G, lock: e.Addr, shared: shared})
		l.sections = append([]int32{s}, l.sections...)
		c.of[i] = s
		return
	}
	s := l.open[at]
	l.open = append(l.open[:at], l.open[at+1:]...)
	c.sections[s].rel = i
	c.of[i] = s
	mine := held[c.sections[s].g]
	for k := range mine {
		if mine[k] == s {
			held[c.sections[s].g] = append(mine[:k], mine[k+1:]...)
			break
		}
	}
}

func eachWord(e *trace.Event, f func(uint64)) {
	if e.Size == 0 {
		return
	}
	for w := uint64(e.Addr) >> 3; w <= uint64(e.Addr+trace.Addr(e.Size)-1)>>3; w++ {
		f(w)
	}
}

// storeBefore is the last Write or Alloc of byte b before event i in the trace, or -1.
func (c *Checker) storeBefore(b trace.Addr, i int32) int32 {
	return lastCovering(c.evs, c.stores[uint64(b)>>3], b, i)
}

// lastCovering is the last of the events in list that is before i and has byte b, or -1.
func lastCovering(evs []trace.Event, list []int32, b trace.Addr, i int32) int32 {
	lo, hi := 0, len(list)
	for lo < hi {
		if m := (lo + hi) / 2; list[m] < i {
			lo = m + 1
		} else {
			hi = m
		}
	}
	for lo--; lo >= 0; lo-- {
		if e := &evs[list[lo]]; e.Addr <= b && b < e.Addr+trace.Addr(e.Size) {
			return list[lo]
		}
	}
	return -1
}

// Check replays the schedule, a list of places in the trace, and returns nil if it is a witness of a race
// of the events at places first and second, else what is wrong with it.
func (c *Checker) Check(schedule []int32, first, second int32) error {
	r := &replay{
		Checker: c, pos: make([]int32, len(c.list)), last: map[trace.Addr]int32{}, change: map[trace.Addr]int32{},
		opaques: map[trace.Addr]int32{}, chains: map[int32]bool{}, passed: map[trace.Addr]int{},
		reads: map[uint64][]touch{}, writes: map[uint64][]touch{}, spoiled: map[trace.Addr]bool{},
		until: make([]int32, len(c.list)), race: [2]int32{first, second},
	}
	if err := r.prefixes(schedule); err != nil {
		return err
	}
	for n, i := range schedule {
		if err := r.step(i); err != nil {
			return fmt.Errorf("check: step %d, event %d (%v): %w", n, i, c.evs[i], err)
		}
	}
	return r.racing(first, second)
}
