package atomicity

import (
	"slices"

	"github.com/racepred/racepred/internal/trace"
)

// goroutine has the calls that a goroutine is in.
type goroutine struct {
	span  uint32
	calls []call
	kept  *sections // those that it is in, as accesses have them that are kept; nil: they are not there yet, or it is in none
	of    []uint64  // the calls in which it was started, or one that started it, and so on; not changed
	wait  wait
}

// sections are the sections of an access. They are not changed.
type sections []section

func (s *sections) list() []section {
	if s == nil {
		return nil
	}
	return *s
}

// keep returns the sections that the goroutine is in, for an access.
func (g *goroutine) keep(held []section) *sections {
	if g.kept == nil && len(held) > 0 {
		s := sections(slices.Clone(held))
		g.kept = &s
	}
	return g.kept
}

// section is a critical section that a goroutine is in.
type section struct {
	lock   trace.Addr
	begun  trace.Seq
	shared bool
	// Of the innermost call that was not marked when it began, 0 for none: the call, and the section's number among the lock's sections there.
	call   uint64
	number uint32
}

// Like implements predict.Sections.
func (s *section) Like(lock trace.Addr, shared bool) bool {
	return s.lock == lock && s.shared == shared
}

// excludes reports whether the two cannot overlap.
func (s *section) excludes(o *section) bool { return s.lock == o.lock && !(s.shared && o.shared) }

// call is a call of a function that the rewriter announces.
type call struct {
	no    uint64 // names it
	begun *trace.Event
	locks []taken // if it is not marked
}

func (c *call) marked() bool { return c.begun.Flags&trace.FlagMarked != 0 }

// taken is how often a call took a lock. The numbers of a new turn of a loop leave a gap after
// those of the turn before.
type taken struct {
	lock trace.Addr
	n    uint32
}

func (g *goroutine) reset() {
	*g = goroutine{calls: g.calls[:0]}
}

func (g *goroutine) begin(no uint64, ev *trace.Event) {
	begun := *ev
	g.calls = append(g.calls, call{no: no, begun: &begun})
}

func (g *goroutine) end() {
	if n := len(g.calls); n > 0 {
		g.calls = g.calls[:n-1]
	}
}

func (g *goroutine) turn() {
	if n := len(g.calls); n > 0 {
		for i := range g.calls[n-1].locks {
			g.calls[n-1].locks[i].n += 2 // the next section comes after none
		}
	}
}

// section is what the goroutine enters with that acquire.
func (g *goroutine) section(seq trace.Seq, ev *trace.Event, shared bool) section {
	s := section{lock: ev.Addr, begun: seq, shared: shared}
	if n := len(g.calls); n > 0 && !g.calls[n-1].marked() {
		c := &g.calls[n-1]
		s.call, s.number = c.no, c.take(ev.Addr)
	}
	return s
}

// take numbers the next section of a lock.
func (c *call) take(lock trace.Addr) uint32 {
	i := slices.IndexFunc(c.locks, func(t taken) bool { return t.lock == lock })
	if i < 0 {
		i = len(c.locks)
		c.locks = append(c.locks, taken{lock: lock})
	}
	c.locks[i].n++
	return c.locks[i].n
}

// unit is the outermost call that is marked, 0 for none. (T1)
func (g *goroutine) unit() uint64 {
	for i := range g.calls {
		if g.calls[i].marked() {
			return g.calls[i].no
		}
	}
	return 0
}

// watched reports whether an access of the goroutine may now be one of a unit. held are the
// sections that it is in.
func (g *goroutine) watched(held []section) bool {
	return len(g.calls) > 0 && (g.unit() != 0 || slices.ContainsFunc(held, func(s section) bool { return s.call != 0 }))
}

// in is the call with that number, nil if it has ended.
func (g *goroutine) in(no uint64) *call {
	if i := slices.IndexFunc(g.calls, func(c call) bool { return c.no == no }); i >= 0 {
		return &g.calls[i]
	}
	return nil
}
