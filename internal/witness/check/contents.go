package check

import (
	"errors"
	"fmt"

	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/witness/cells"
)

// read is (C4), (C11), (C12) and (C13) for a Read.
func (r *replay) read(i int32, e *trace.Event) error {
	if err := r.finds(i, e); err != nil || !r.opts.Dropped || e.Flags&trace.FlagAtomic != 0 {
		return err
	}
	r.reads.add(i, r.found.Of(i))
	return nil
}

// finds is (C4), (C11) and (C13): the Read finds what it found in the trace.
func (r *replay) finds(i int32, e *trace.Event) (err error) {
	if r.isGarbled(r.found.Of(i)) {
		return errors.New("an append that is not in place may have written some of it")
	}
	for _, part := range r.found.Parts(i) {
		from := part.From
		r.last.Each(part.Range, func(_ cells.Range, last int32) bool {
			if last-1 != from {
				err = fmt.Errorf("some of it was last written by event %d, in the trace by %d", last-1, from)
			}
			return err == nil
		})
		if err == nil {
			err = r.sameMerges(part, i)
		}
		if err == nil && r.opts.Dropped && from >= 0 && r.evs[from].G != e.G && r.pos[r.g[from]] < r.ends[from] {
			err = fmt.Errorf("the span of event %d, which it reads from, is not over", from)
		}
		if err != nil {
			return err
		}
	}
	if !r.opts.Dropped {
		return nil
	}
	r.spoiled.Each(r.found.Of(i), func(_ cells.Range, spoiled int32) bool {
		if spoiled != 0 {
			err = fmt.Errorf("some of it was written within a span of another goroutine that wrote it")
		}
		return err == nil
	})
	return err
}

// write is (C4), (C12) and (C13) for a Write or an Alloc.
func (r *replay) write(i int32, e *trace.Event) (err error) {
	if e.Kind == trace.Write && e.Unseen() {
		err = r.sameOverlaps(i)
	}
	if !r.opts.Dropped || err != nil {
		return err
	}
	at := r.found.Of(i)
	if e.Flags&trace.FlagAppend == 0 && e.Kind == trace.Write && r.isGarbled(at) {
		return errors.New("an append that is not in place may have written some of it, and may again")
	}
	r.reads.each(at, r.ongoing, func(t int32, _ cells.Range) {
		if f := &r.evs[t]; f.G != e.G && err == nil {
			err = fmt.Errorf("g%d may read again what it read at event %d", f.G, t)
		}
	})
	r.writes.each(at, r.ongoing, func(t int32, common cells.Range) {
		if r.evs[t].G != e.G {
			r.spoiled.Set(common, 1)
		}
	})
	if e.MapChange() || e.Flags&trace.FlagAppend == 0 && (!e.Unseen() || e.Flags&trace.FlagAtomic == 0) {
		r.writes.add(i, at)
	}
	return err
}

// ongoing reports whether, in the schedule, the goroutine of event t will do another event of t's
// span, or has one of the goal's events next in it.
func (r *replay) ongoing(t int32) bool {
	g, end := r.g[t], r.ends[t]
	stop := min(end, r.until[g])
	for _, e := range r.goal {
		if r.g[e] == g && r.place[e] < end && r.place[e] >= r.until[g] {
			stop = end
		}
	}
	return r.pos[g] < stop
}

// spans finds the ends of spans.
func (c *Checker) spans() {
	c.ends = make([]int32, len(c.evs))
	for _, list := range c.list {
		end := int32(len(list))
		for k := end - 1; k >= 0; k-- {
			c.ends[list[k]] = end
			if c.evs[list[k]].Kind.Spec().EndsSpan {
				end = k
			}
		}
	}
}

// newLife reports whether all bytes from lo to before hi get a new life between events first and
// second of the trace.
func (c *Checker) newLife(lo, hi trace.Addr, first, second int32) bool {
	list := c.allocs[before(c.allocs, first):before(c.allocs, second)]
	for lo < hi {
		next := lo
		for _, i := range list {
			if e := &c.evs[i]; e.Addr <= lo && lo < e.Addr+trace.Addr(e.Size) {
				next = max(next, e.Addr+trace.Addr(e.Size))
			}
		}
		if next == lo {
			return false
		}
		lo = next
	}
	return true
}

// stores notes that a Write or an Alloc stored to its cells.
func (r *replay) stores(i int32, e *trace.Event) {
	at := r.found.Of(i)
	if e.Kind == trace.Write && e.Unseen() {
		for k := r.found.UnseenIn(at); k.Lo < k.Hi; k.Lo++ {
			r.merge(k.Lo, i, -1)
		}
		return
	}
	r.store(at, i)
	if e.Kind == trace.Alloc {
		r.garbled.Set(at, 0)
	}
}
