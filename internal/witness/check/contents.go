package check

import (
	"fmt"

	"github.com/racepred/racepred/internal/trace"
)

// content is what has become of a word's bytes.
type content struct {
	last    [8]int32    // the last store of each byte, plus one
	reads   []int32     // of spans that may go on
	writes  []int32     // of spans that may go on
	spoiled [8]bool     // (C13)
	since   [8]int32    // replay.now at the last seen store of each byte
	merged  [][8]merged // by merge of the word and byte; nil before the first
}

func (r *replay) word(w uint64) *content {
	c := r.words[w]
	if c == nil {
		c = &content{}
		r.words[w] = c
	}
	return c
}

// (C4), (C11), (C13)
func (r *replay) read(i int32, e *trace.Event) (err error) {
	eachWord(e, func(w uint64) {
		c, want := r.word(w), r.storesBefore(w, i)
		for b := range want {
			if !covers(e, trace.Addr(w<<3)+trace.Addr(b)) || err != nil {
				continue
			}
			switch from := want[b]; {
			case c.last[b]-1 != from:
				err = fmt.Errorf("byte %d of word %#x was last written by event %d, in the trace by %d", b, w<<3, c.last[b]-1, from)
			case !r.opts.Dropped:
			case c.spoiled[b]:
				err = fmt.Errorf("byte %d of word %#x was written within a span of another goroutine that wrote it", b, w<<3)
			case from >= 0 && r.evs[from].G != e.G && r.pos[r.g[from]] < r.spanEnd(from):
				err = fmt.Errorf("the span of event %d, which it reads from, is not over", from)
			}
			if err == nil {
				err = r.sameMerges(w, b, want[b], i)
			}
		}
		if r.opts.Dropped {
			c.reads = append(r.ongoing(c.reads), i)
		}
	})
	return err
}

// (C4), (C12), (C13)
func (r *replay) write(i int32, e *trace.Event) (err error) {
	if e.Kind == trace.Write && e.Unseen() {
		err = r.sameOverlaps(i, e)
	}
	if !r.opts.Dropped {
		return err
	}
	eachWord(e, func(w uint64) {
		c := r.word(w)
		c.reads = r.ongoing(c.reads)
		for _, t := range c.reads {
			if f := &r.evs[t]; f.G != e.G && trace.Overlap(e, f) && err == nil {
				err = fmt.Errorf("g%d may read again what it read at event %d", f.G, t)
			}
		}
		c.writes = r.ongoing(c.writes)
		for _, t := range c.writes {
			for b := range c.spoiled {
				a := trace.Addr(w<<3) + trace.Addr(b)
				if f := &r.evs[t]; f.G != e.G && covers(e, a) && covers(f, a) {
					c.spoiled[b] = true
				}
			}
		}
		if !e.Unseen() || e.Flags&trace.FlagAtomic == 0 {
			c.writes = append(c.writes, i)
		}
	})
	return err
}

// ongoing keeps the accesses whose goroutine will do another event of the same span, or race in it.
func (r *replay) ongoing(list []int32) []int32 {
	keep := list[:0]
	for _, t := range list {
		g, end := r.g[t], r.spanEnd(t)
		stop := min(end, r.until[g])
		for _, e := range r.race {
			if r.g[e] == g && r.place[e] < end && r.place[e] >= r.until[g] {
				stop = end
			}
		}
		if r.pos[g] < stop {
			keep = append(keep, t)
		}
	}
	return keep
}

// spanEnd is the place, among its goroutine's events, of the first event after i that ends a span.
func (c *Checker) spanEnd(i int32) int32 {
	list := c.list[c.g[i]]
	p := c.place[i] + 1
	for int(p) < len(list) && !c.evs[list[p]].Kind.Spec().EndsSpan {
		p++
	}
	return p
}

// allocated reports whether byte b gets a new life between events lo and hi of the trace.
func (c *Checker) allocated(b trace.Addr, lo, hi int32) bool {
	list := c.allocs[uint64(b)>>3]
	for n := before(list, lo); n < len(list) && list[n] < hi; n++ {
		if covers(&c.evs[list[n]], b) {
			return true
		}
	}
	return false
}
