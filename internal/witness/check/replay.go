package check

import (
	"errors"
	"fmt"

	"github.com/racepred/racepred/internal/trace"
)

// replay is the state of one schedule.
type replay struct {
	*Checker
	pos     []int32              // how many events each goroutine has done
	last    map[trace.Addr]int32 // by byte, the last store plus one
	change  map[trace.Addr]int32 // by object, the last Change plus one
	opaques map[trace.Addr]int32 // by lock, the last Opaque in write mode plus one
	chains  map[int32]bool       // hard releases that are done with all that their object held besides
	passed  map[trace.Addr]int   // by lock, how many of its releases are done without a gap

	until   []int32            // how many events each goroutine does in the whole schedule
	race    [2]int32           // the racing accesses
	reads   map[uint64][]touch // by word, reads of spans that may go on
	writes  map[uint64][]touch
	spoiled map[trace.Addr]bool // (C13)
}

// touch is an access of a span that may go on.
type touch struct{ event int32 }

func (r *replay) done(i int32) bool { return r.pos[r.gs[r.evs[i].G]] > r.place[i] }

// prefixes is (C1) for the schedule as a whole.
func (r *replay) prefixes(schedule []int32) error {
	for n, i := range schedule {
		if i < 0 || int(i) >= len(r.evs) {
			return fmt.Errorf("check: step %d: the trace has no event %d", n, i)
		}
		g := r.gs[r.evs[i].G]
		if r.place[i] != r.until[g] {
			return fmt.Errorf("check: step %d: event %d (%v) is not its goroutine's next", n, i, r.evs[i])
		}
		r.until[g]++
	}
	return nil
}

func (r *replay) step(i int32) error {
	e := &r.evs[i]
	if err := r.allowed(i, e); err != nil {
		return err
	}
	r.pos[r.gs[e.G]]++
	switch e.Kind {
	case trace.Change:
		r.change[e.Addr] = i + 1
	case trace.Opaque:
		for _, s := range r.opaque[i] {
			if !s.shared {
				r.opaques[s.lock] = i + 1
			}
		}
	case trace.Write, trace.Alloc:
		for b := e.Addr; b < e.Addr+trace.Addr(e.Size); b++ {
			r.last[b] = i + 1
		}
	case trace.Release, trace.RRelease:
		l := r.locks[e.Addr]
		for n := r.passed[e.Addr]; n < len(l.releases) && r.done(l.releases[n]); n++ {
			r.passed[e.Addr] = n + 1
		}
	}
	return nil
}

func (r *replay) allowed(i int32, e *trace.Event) error {
	if r.place[i] == 0 {
		if f, ok := r.fork[e.G]; ok && f < i && !r.done(f) { // (C2)
			return errors.New("its goroutine is not forked")
		}
	}
	switch e.Kind {
	case trace.Read:
		return r.read(i, e)
	case trace.Write, trace.Alloc:
		return r.write(i, e)
	case trace.Acquire, trace.RAcquire:
		return r.acquire(i, e)
	case trace.Release, trace.RRelease:
		if a := r.sections[r.of[i]].acq; a >= 0 && !r.done(a) { // (C3)
			return errors.New("the section it ends has not begun")
		}
	case trace.TryFail:
		return r.tryFail(i, e)
	case trace.Join:
		return r.join(e)
	case trace.HardAcquire, trace.HardSwap:
		return r.takes(i)
	case trace.Observe, trace.Change:
		if r.change[e.Addr]-1 != r.pinned[i] { // (C7)
			return errors.New("another Change came before")
		}
	case trace.Opaque:
		for _, s := range r.opaque[i] {
			if r.opaques[s.lock]-1 != s.last { // (C8)
				return fmt.Errorf("another Opaque came before in a section of lock %#x", s.lock)
			}
		}
	}
	return nil
}

// (C3), (C6)
func (r *replay) acquire(i int32, e *trace.Event) error {
	l, me := r.locks[e.Addr], &r.sections[r.of[i]]
	for _, k := range l.sections {
		s := &r.sections[k]
		if s.acq != i && (s.acq < 0 || r.done(s.acq)) && (s.rel < 0 || !r.done(s.rel)) && !(s.shared && me.shared) {
			return fmt.Errorf("the lock is held by g%d", s.g)
		}
	}
	for n := r.passed[e.Addr]; n < len(l.releases) && l.releases[n] < i; n++ {
		rel := l.releases[n]
		if (me.hard || r.sections[r.of[rel]].hard) && !r.done(rel) {
			return fmt.Errorf("release %d comes before, because one of the sections is hard", rel)
		}
	}
	return nil
}

// (C9)
func (r *replay) tryFail(i int32, e *trace.Event) error {
	for _, k := range r.holders[i] {
		s := &r.sections[k]
		if !r.done(s.acq) || s.rel >= 0 && r.done(s.rel) {
			return fmt.Errorf("g%d does not hold the lock", s.g)
		}
	}
	if len(r.holders[i]) > 0 {
		return nil
	}
	for _, k := range r.locks[e.Addr].sections {
		s := &r.sections[k]
		if s.acq < i && (s.rel < 0 || !r.done(s.rel)) || s.acq > i && r.done(s.acq) {
			return errors.New("nobody held the lock, and it is used in another order")
		}
	}
	return nil
}

// (C2)
func (r *replay) join(e *trace.Event) error {
	g := trace.G(e.Other)
	if f, ok := r.fork[g]; ok && !r.done(f) {
		return fmt.Errorf("g%d is not forked", g)
	}
	if n, ok := r.gs[g]; ok && int(r.pos[n]) < len(r.list[n]) {
		return fmt.Errorf("g%d is not done", g)
	}
	return nil
}

// (C5)
func (r *replay) takes(i int32) error {
	start := r.gives[i]
	for k := start; k >= 0 && !r.chains[k]; k = r.gives[k] {
		if !r.done(k) {
			return fmt.Errorf("release %d of its object comes before", k)
		}
		if r.evs[k].Kind.Spec().Resets {
			break
		}
	}
	for k := start; k >= 0 && !r.chains[k]; k = r.gives[k] {
		r.chains[k] = true
		if r.evs[k].Kind.Spec().Resets {
			break
		}
	}
	return nil
}

// (C4), (C11), (C13)
func (r *replay) read(i int32, e *trace.Event) error {
	for b := e.Addr; b < e.Addr+trace.Addr(e.Size); b++ {
		w := r.storeBefore(b, i)
		if r.last[b]-1 != w {
			return fmt.Errorf("byte %#x was last written by event %d, in the trace by %d", b, r.last[b]-1, w)
		}
		if !r.opts.Dropped {
			continue
		}
		if r.spoiled[b] {
			return fmt.Errorf("byte %#x was written within a span of another goroutine that wrote it", b)
		}
		if w >= 0 && r.evs[w].G != e.G && r.pos[r.gs[r.evs[w].G]] < r.spanEnd(w) {
			return fmt.Errorf("the span of event %d, which it reads from, is not over", w)
		}
	}
	if r.opts.Dropped {
		eachWord(e, func(w uint64) { r.reads[w] = append(r.reads[w], touch{i}) })
	}
	return nil
}

// (C12), (C13)
func (r *replay) write(i int32, e *trace.Event) error {
	if !r.opts.Dropped {
		return nil
	}
	var err error
	eachWord(e, func(w uint64) {
		r.reads[w] = r.ongoing(r.reads[w])
		for _, t := range r.reads[w] {
			if f := &r.evs[t.event]; f.G != e.G && trace.Overlap(e, f) && err == nil {
				err = fmt.Errorf("g%d may read again what it read at event %d", f.G, t.event)
			}
		}
		r.writes[w] = r.ongoing(r.writes[w])
		for _, t := range r.writes[w] {
			if f := &r.evs[t.event]; f.G != e.G && trace.Overlap(e, f) {
				for b := max(e.Addr, f.Addr); b < min(e.Addr+trace.Addr(e.Size), f.Addr+trace.Addr(f.Size)); b++ {
					r.spoiled[b] = true
				}
			}
		}
		r.writes[w] = append(r.writes[w], touch{i})
	})
	return err
}

// ongoing keeps the accesses whose goroutine will do another event of the same span, or race in it.
func (r *replay) ongoing(list []touch) []touch {
	keep := list[:0]
	for _, t := range list {
		g, end := r.gs[r.evs[t.event].G], r.spanEnd(t.event)
		stop := min(end, r.until[g])
		for _, e := range r.race {
			if r.gs[r.evs[e].G] == g && r.place[e] < end && r.place[e] >= r.until[g] {
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
	list := c.list[c.gs[c.evs[i].G]]
	p := c.place[i] + 1
	for int(p) < len(list) && !c.evs[list[p]].Kind.Spec().EndsSpan {
		p++
	}
	return p
}

// racing is (C10).
func (r *replay) racing(first, second int32) error {
	for _, i := range []int32{first, second} {
		if i < 0 || int(i) >= len(r.evs) {
			return fmt.Errorf("check: the trace has no event %d", i)
		}
		e := &r.evs[i]
		if r.pos[r.gs[e.G]] != r.place[i] {
			return fmt.Errorf("check: event %d (%v) is not its goroutine's next", i, *e)
		}
		if f, ok := r.fork[e.G]; ok && f < i && !r.done(f) {
			return fmt.Errorf("check: g%d is not forked", e.G)
		}
	}
	lo, hi := min(first, second), max(first, second)
	a, b := &r.evs[lo], &r.evs[hi]
	if !trace.Conflict(a, b) {
		return fmt.Errorf("check: events %d and %d do not conflict", lo, hi)
	}
	for x := max(a.Addr, b.Addr); x < min(a.Addr+trace.Addr(a.Size), b.Addr+trace.Addr(b.Size)); x++ {
		if lastCovering(r.evs, r.allocs[uint64(x)>>3], x, hi) <= lo {
			return nil
		}
	}
	return fmt.Errorf("check: the memory of event %d was allocated anew before event %d", lo, hi)
}
