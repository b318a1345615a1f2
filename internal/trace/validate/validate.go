// Package validate checks whether a run can have a trace: events -> problems.
//
//	(V1) every event has a kind and a goroutine
//	(V2) a goroutine is forked at most once, by another one, before its first event
//	(V3) Begin is a goroutine's first event, and nothing comes after its End
//	(V4) a goroutine does nothing after somebody joined it, and joins not itself
//	(V5) a section of a lock is entered while no other section of it is open, unless both are in
//	     read mode
//	(V6) a release ends an open section of its lock and mode; mostly its own goroutine's
//	(V7) a TryFail comes while a section of the lock is open
//	(V8) stacks, sites and tests that an event refers to are in the tables, if there are tables of
//	     that sort
//	(V9) the bytes of an access do not go beyond the greatest address
//
// Two things are rare but possible in a Go program, and only remarks: a section that another
// goroutine ends (V6), and a failed attempt on a lock that is free by the time of its place in the
// trace (V7).
package validate

import (
	"fmt"

	"github.com/racepred/racepred/internal/trace"
)

// Problem is what is wrong, or rare, about one event.
type Problem struct {
	Seq    trace.Seq
	Text   string
	Remark bool // rare, not wrong
}

// Known says which references are in the tables; a nil function accepts all.
type Known struct {
	Stack func(trace.Stack) bool
	Site  func(trace.Site) bool
	Test  func(uint32) bool
}

// Checker takes in a trace event by event.
type Checker struct {
	known Known
	found func(Problem)
	seq   trace.Seq
	gs    map[trace.G]*goroutine
	gone  []uint64             // by goroutine, a bit: ended, and no longer in gs
	ended []trace.G            // those of gs that ended, oldest first
	locks map[trace.Addr]*lock // with open sections
}

// keepEnded is how many ended or joined goroutines are kept with their last event, for problems to
// name it.
const keepEnded = 1 << 10

type goroutine struct {
	forked, seen, ended, joined bool
	at                          trace.Seq // of the Fork, End or Join, whichever came last
}

type lock struct {
	writer  trace.G   // 0: none
	since   trace.Seq // its acquire
	readers []reader  // oldest first
}

type reader struct {
	g     trace.G
	since trace.Seq
}

// New returns a Checker that gives each problem to found.
func New(known Known, found func(Problem)) *Checker {
	return &Checker{known: known, found: found, gs: map[trace.G]*goroutine{}, locks: map[trace.Addr]*lock{}}
}

func (c *Checker) say(remark bool, format string, args ...any) {
	c.found(Problem{Seq: c.seq, Text: fmt.Sprintf(format, args...), Remark: remark})
}

func (c *Checker) of(id trace.G) *goroutine {
	g := c.gs[id]
	if g == nil {
		g = &goroutine{}
		c.gs[id] = g
	}
	return g
}

// Event takes in the trace's next event.
func (c *Checker) Event(ev *trace.Event) {
	if ev.Kind == trace.None || ev.Kind.Spec() == &trace.Specs[trace.None] || ev.G == 0 { // (V1)
		c.say(false, "no event: kind %d of g%d", ev.Kind, ev.G)
		c.seq++
		return
	}
	if ev.Wraps() {
		c.say(false, "g%d: %s of %d bytes at %#x, which goes beyond the greatest address", ev.G, ev.Kind, ev.Size, ev.Addr) // (V9)
	}
	c.references(ev)
	c.order(ev)
	switch ev.Kind {
	case trace.Acquire, trace.RAcquire:
		c.acquire(ev)
	case trace.Release:
		c.release(ev)
	case trace.RRelease:
		c.rrelease(ev)
	case trace.TryFail:
		if c.locks[ev.Addr] == nil { // (V7)
			c.say(true, "g%d fails to get lock %#x, which nobody holds; no schedule will include that", ev.G, ev.Addr)
		}
	case trace.Alloc:
		for a := range c.locks { // a lock in memory that is used again is another lock
			if ev.Covers(a) {
				delete(c.locks, a)
			}
		}
	}
	c.seq++
}

// order is (V2), (V3) and (V4).
func (c *Checker) order(ev *trace.Event) {
	if c.forgotten(ev.G) {
		c.say(false, "g%d does something (%s) after its end, long ago", ev.G, ev.Kind)
		return
	}
	g := c.of(ev.G)
	switch {
	case g.ended:
		c.say(false, "g%d does something (%s) after its end, event %d", ev.G, ev.Kind, g.at)
	case g.joined:
		c.say(false, "g%d does something (%s) after event %d joined it", ev.G, ev.Kind, g.at)
	case ev.Kind == trace.Begin && g.seen:
		c.say(false, "g%d begins, and did something before", ev.G)
	}
	g.seen = true
	switch ev.Kind {
	case trace.Fork:
		if c.forgotten(trace.G(ev.Other)) {
			c.say(false, "g%d forks g%d, which ended long ago", ev.G, ev.Other)
			return
		}
		child := c.of(trace.G(ev.Other))
		switch {
		case ev.Other == 0 || ev.Other == uint32(ev.G):
			c.say(false, "g%d forks g%d", ev.G, ev.Other)
		case child.forked:
			c.say(false, "g%d forks g%d, which event %d has forked", ev.G, ev.Other, child.at)
		case child.seen:
			c.say(false, "g%d forks g%d, which has begun before", ev.G, ev.Other)
		}
		child.forked, child.at = true, c.seq
	case trace.Join:
		if ev.Other == 0 || ev.Other == uint32(ev.G) {
			c.say(false, "g%d joins g%d", ev.G, ev.Other)
			return
		}
		if c.forgotten(trace.G(ev.Other)) {
			return
		}
		if other := c.of(trace.G(ev.Other)); !other.ended && !other.joined {
			other.joined, other.at = true, c.seq
			c.end(trace.G(ev.Other))
		}
	case trace.End:
		if !g.ended && !g.joined {
			c.end(ev.G)
		}
		g.ended, g.at = true, c.seq
	}
}

// end notes that a goroutine has ended. Of goroutines that ended long ago, only that fact is kept.
func (c *Checker) end(id trace.G) {
	c.ended = append(c.ended, id)
	if len(c.ended) < 2*keepEnded {
		return
	}
	for _, id := range c.ended[:keepEnded] {
		delete(c.gs, id)
		if n := int(id/64) + 1; n > len(c.gone) {
			c.gone = append(c.gone, make([]uint64, n-len(c.gone))...)
		}
		c.gone[id/64] |= 1 << (id % 64)
	}
	c.ended = c.ended[:copy(c.ended, c.ended[keepEnded:])]
}

func (c *Checker) forgotten(id trace.G) bool {
	return int(id/64) < len(c.gone) && c.gone[id/64]&(1<<(id%64)) != 0
}

// acquire is (V5).
func (c *Checker) acquire(ev *trace.Event) {
	l := c.locks[ev.Addr]
	if l == nil {
		l = &lock{}
		c.locks[ev.Addr] = l
	}
	verb := "acquires"
	if ev.Kind == trace.RAcquire {
		verb = "read-acquires"
	}
	switch {
	case l.writer != 0:
		c.say(false, "g%d %s lock %#x, which g%d holds since event %d", ev.G, verb, ev.Addr, l.writer, l.since)
	case ev.Kind == trace.Acquire && len(l.readers) > 0:
		c.say(false, "g%d acquires lock %#x, which g%d holds in read mode since event %d", ev.G, ev.Addr, l.readers[0].g, l.readers[0].since)
	}
	if ev.Kind == trace.Acquire {
		l.writer, l.since = ev.G, c.seq
	} else {
		l.readers = append(l.readers, reader{ev.G, c.seq})
	}
}

// release is (V6) for write mode.
func (c *Checker) release(ev *trace.Event) {
	l := c.locks[ev.Addr]
	switch {
	case l == nil:
		c.say(false, "g%d releases lock %#x, which nobody holds", ev.G, ev.Addr)
		return
	case l.writer == 0:
		c.say(false, "g%d releases lock %#x, which g%d holds in read mode since event %d", ev.G, ev.Addr, l.readers[0].g, l.readers[0].since)
		return
	case l.writer != ev.G:
		c.say(true, "g%d releases lock %#x, which g%d holds since event %d", ev.G, ev.Addr, l.writer, l.since)
	}
	l.writer = 0
	c.tidy(ev.Addr, l)
}

// rrelease is (V6) for read mode.
func (c *Checker) rrelease(ev *trace.Event) {
	l := c.locks[ev.Addr]
	switch {
	case l == nil:
		c.say(false, "g%d read-releases lock %#x, which nobody holds", ev.G, ev.Addr)
		return
	case len(l.readers) == 0:
		c.say(false, "g%d read-releases lock %#x, which g%d holds in write mode since event %d", ev.G, ev.Addr, l.writer, l.since)
		return
	}
	at := -1
	for i, r := range l.readers {
		if r.g == ev.G {
			at = i
		}
	}
	if at < 0 {
		at = 0
		c.say(true, "g%d read-releases lock %#x, which g%d holds since event %d", ev.G, ev.Addr, l.readers[0].g, l.readers[0].since)
	}
	l.readers = append(l.readers[:at], l.readers[at+1:]...)
	c.tidy(ev.Addr, l)
}

func (c *Checker) tidy(a trace.Addr, l *lock) {
	if l.writer == 0 && len(l.readers) == 0 {
		delete(c.locks, a)
	}
}

// references is (V8).
func (c *Checker) references(ev *trace.Event) {
	if k := c.known.Stack; k != nil && ev.Stack != 0 && !k(ev.Stack) {
		c.say(false, "stack %d is not in the table", ev.Stack)
	}
	if k := c.known.Site; k != nil && ev.Site != 0 && !k(ev.Site) {
		c.say(false, "site %d is not in the table", ev.Site)
	}
	if k := c.known.Test; k != nil && ev.Kind.Spec().Operand == trace.OnTest && !k(ev.Other) {
		c.say(false, "test %d is not in the table", ev.Other)
	}
}
