package check

import (
	"errors"
	"fmt"

	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/witness/cells"
)

// replay is the state of one schedule.
type replay struct {
	*Checker
	pos      []int32         // how many events each goroutine has done
	last     *cells.Contents // the last store of each cell, plus one
	spoiled  *cells.Contents // (C13), 1 for those that are
	reads    underWay
	writes   underWay
	garbled  *cells.Contents // 1 for cells that an append out of place may have written, (C14)
	garbling map[int32]bool  // the first append of those that did so
	merged   [][]merged      // by place in found.Unseen and by merge; nil before the first
	since    []int32         // by place in found.Unseen, now at the last seen store of the cell
	now      int32           // how many events were done
	when     map[int32]int32 // of unseen Writes, how many were done before, plus one
	objects  map[trace.Addr]happened
	opaque   []int32        // by lock, the last Opaque in write mode plus one
	open     [][]int32      // by lock, the sections that are open; of those before the trace only once opened has it
	opened   []bool         // by lock
	passed   []int32        // by lock, how many of its releases are done without a gap
	chains   map[int32]bool // hard releases that are done with all that their object held besides

	until []int32 // how many events each goroutine does in the whole schedule
	goal  []int32 // the events that are to be next then
}

func newReplay(c *Checker, goal []int32) *replay {
	r := &replay{
		Checker: c, goal: goal, last: cells.NewContents(c.found.N),
		garbled: cells.NewContents(c.found.N), garbling: map[int32]bool{},
		merged: make([][]merged, len(c.found.Unseen)), since: make([]int32, len(c.found.Unseen)),
		pos: make([]int32, len(c.list)), until: make([]int32, len(c.list)),
		objects: map[trace.Addr]happened{}, when: map[int32]int32{}, chains: map[int32]bool{},
		opaque: make([]int32, len(c.locks)), open: make([][]int32, len(c.locks)),
		opened: make([]bool, len(c.locks)), passed: make([]int32, len(c.locks)),
	}
	if c.opts.Dropped {
		r.spoiled, r.reads, r.writes = cells.NewContents(c.found.N), newUnderWay(c.found), newUnderWay(c.found)
	}
	return r
}

func (r *replay) done(i int32) bool { return r.pos[r.g[i]] > r.place[i] }

// holding lists the open sections of a lock.
func (r *replay) holding(lock int32) *[]int32 {
	if !r.opened[lock] {
		r.opened[lock] = true
		r.open[lock] = append([]int32(nil), r.locks[lock].before...)
	}
	return &r.open[lock]
}

// prefixes is (C1) for the schedule as a whole.
func (r *replay) prefixes(schedule []int32) error {
	for n, i := range schedule {
		if i < 0 || int(i) >= len(r.evs) {
			return fmt.Errorf("check: step %d: the trace has no event %d", n, i)
		}
		g := r.g[i]
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
	r.pos[r.g[i]]++
	r.now++
	if e.Append() {
		r.appended(i)
		return nil
	}
	if h, part := r.header[i]; part && !r.placed(h) {
		return nil
	}
	switch e.Kind {
	case trace.Change:
		r.changed(i, e)
	case trace.Opaque:
		for _, s := range r.opaques[r.about[i]] {
			if !s.shared {
				r.opaque[s.lock] = i + 1
			}
		}
	case trace.Write, trace.Alloc:
		at := r.found.Of(i)
		unseen := e.Kind == trace.Write && e.Unseen()
		if !unseen {
			r.store(at, i)
			if e.Kind == trace.Alloc {
				r.garbled.Set(at, 0)
			}
			break
		}
		for k := r.found.UnseenIn(at); k.Lo < k.Hi; k.Lo++ {
			r.merge(k.Lo, i, -1)
		}
	case trace.Acquire, trace.RAcquire:
		s := r.about[i]
		open := r.holding(r.sections[s].lock)
		*open = append(*open, s)
	case trace.Release, trace.RRelease:
		s := r.about[i]
		l := r.sections[s].lock
		open := r.holding(l)
		for k := range *open {
			if (*open)[k] == s {
				*open = append((*open)[:k], (*open)[k+1:]...)
				break
			}
		}
		for list := r.locks[l].releases; int(r.passed[l]) < len(list) && r.done(list[r.passed[l]]); {
			r.passed[l]++
		}
	}
	return nil
}

func (r *replay) allowed(i int32, e *trace.Event) error {
	if r.place[i] == 0 {
		if f := r.fork[r.g[i]]; f >= 0 && !r.done(f) { // (C2)
			return errors.New("its goroutine is not forked")
		}
	}
	if e.Append() {
		return r.appends(i, e)
	}
	if h, part := r.header[i]; part {
		return r.part(i, h, e)
	}
	switch e.Kind {
	case trace.Read:
		return r.read(i, e)
	case trace.Write, trace.Alloc:
		return r.write(i, e)
	case trace.Acquire, trace.RAcquire:
		return r.acquire(i)
	case trace.Release, trace.RRelease:
		if a := r.sections[r.about[i]].acq; a >= 0 && !r.done(a) { // (C3)
			return errors.New("the section it ends has not begun")
		}
	case trace.TryFail:
		return r.tryFail(i, e)
	case trace.Join:
		return r.join(e)
	case trace.HardAcquire, trace.HardSwap:
		if e.Unseen() {
			return nil
		}
		return r.takes(i)
	case trace.Observe, trace.Change:
		return r.pinned(i, e)
	case trace.Opaque:
		for _, s := range r.opaques[r.about[i]] {
			if r.opaque[s.lock]-1 != s.last { // (C8)
				return errors.New("another Opaque came before in a section of a lock around it")
			}
		}
	}
	return nil
}

// (C3), (C6)
func (r *replay) acquire(i int32) error {
	me := &r.sections[r.about[i]]
	for _, k := range *r.holding(me.lock) {
		if s := &r.sections[k]; !(s.shared && me.shared) {
			return fmt.Errorf("the lock is held by g%d", r.evs[r.list[s.g][0]].G)
		}
	}
	l := &r.locks[me.lock]
	if !l.hard {
		return nil
	}
	for _, rel := range l.releases[r.passed[me.lock]:] {
		if rel > i {
			break
		}
		if (me.hard || r.sections[r.about[rel]].hard) && !r.done(rel) {
			return fmt.Errorf("release %d comes before, because one of the sections is hard", rel)
		}
	}
	return nil
}

// (C9)
func (r *replay) tryFail(i int32, e *trace.Event) error {
	saw := r.Checker.holders[r.about[i]]
	for _, k := range saw {
		s := &r.sections[k]
		if !r.done(s.acq) || s.rel >= 0 && r.done(s.rel) {
			return fmt.Errorf("event %d does not hold the lock", s.acq)
		}
	}
	if len(saw) > 0 {
		return nil
	}
	l := &r.locks[r.lockOf[e.Addr]]
	held := false // by who did so before the trace
	for _, k := range l.before {
		if rel := r.sections[k].rel; rel > i {
			if held = true; !r.done(rel) {
				return nil
			}
		}
	}
	if held {
		return errors.New("nobody holds the lock any more")
	}
	for _, list := range [][]int32{l.before, l.sections} {
		for _, k := range list {
			s := &r.sections[k]
			if s.acq < i && (s.rel < 0 || !r.done(s.rel)) || s.acq > i && r.done(s.acq) {
				return errors.New("nobody held the lock, and it is used in another order")
			}
		}
	}
	return nil
}

// (C2)
func (r *replay) join(e *trace.Event) error {
	g := trace.G(e.Other)
	if f, ok := r.forks[g]; ok && !r.done(f) {
		return fmt.Errorf("g%d is not forked", g)
	}
	if n, ok := r.byG[g]; ok && int(r.pos[n]) < len(r.list[n]) {
		return fmt.Errorf("g%d is not done", g)
	}
	return nil
}

// (C5)
func (r *replay) takes(i int32) error {
	start := r.about[i]
	for k := start; k >= 0 && !r.chains[k]; k = r.about[k] {
		if !r.done(k) {
			return fmt.Errorf("release %d of its object comes before", k)
		}
		if r.evs[k].Kind.Spec().Resets {
			break
		}
	}
	for k := start; k >= 0 && !r.chains[k]; k = r.about[k] {
		r.chains[k] = true
		if r.evs[k].Kind.Spec().Resets {
			break
		}
	}
	return nil
}
