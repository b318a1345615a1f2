package witness

import (
	"slices"

	"github.com/racepred/racepred/internal/goal"
)

// The search tries schedules of a box of events, depth first, and remembers the states it has been
// in.
//
//	(B1) The box has the events that every schedule has. If a section has begun in the box and
//	     cannot overlap another one there, the box also has the events up to its release. A section
//	     stays open if its release cannot be in the box without one of the goal's next events.
//	(B2) The events before the first acquire of a section that stays open keep the trace's order,
//	     unless the goal asks for one of them to come after a later event.
//	(B3) A section that stays open begins when no other section of the box still needs its lock.
//	(B4) If repeats were dropped, a goroutine goes from one end of a span to the next without a
//	     break.
//	(B5) If no section stays open, the trace's order is tried. If repeats were dropped, that order
//	     may break spans that others write into (check/C12 and check/C13). Then (B4) is tried, and
//	     then all of the box is searched.
//	(B6) A saturation without (B4) is tried, too: a goroutine that gives back a lock and sets a flag
//	     does both in one span, and another one may have to look at the flag under the lock in
//	     between. Package check knows whether a repeat may be missing there.

// search tries schedules of the goal's box: the order of the trace if no section stays open, a
// saturation, and a depth-first search.
func (f *Finder) search(g goal.Goal) Answer {
	stayOpen, ok := f.box(g)
	p := f.set
	if !ok {
		return f.depends(p.why)
	}
	all := p.inTraceOrder()
	fixed := int32(len(f.evs)) // (B2)
	for s := range stayOpen {
		fixed = min(fixed, max(0, f.sections[s].acq))
	}
	fixed = min(fixed, f.reordered())
	n, _ := slices.BinarySearch(all, fixed)
	if n == len(all) {
		if f.accept(all, g) {
			return Answer{Verdict: Feasible, Schedule: all}
		}
		if !f.opts.Dropped {
			return Answer{Verdict: Unknown, Reason: Rejected}
		}
		if schedule := f.wholeSpans(all); f.accept(schedule, g) {
			return Answer{Verdict: Feasible, Schedule: schedule, States: 1}
		}
		n = 0
	}
	if len(all)-n > f.opts.Box {
		return Answer{Verdict: Unknown, Reason: TooLarge}
	}
	for _, spans := range []bool{true, false} { // (B6)
		if spans && !f.dropped {
			continue
		}
		if schedule := f.saturated(all, stayOpen, spans); schedule != nil && f.accept(schedule, g) {
			return Answer{Verdict: Feasible, Schedule: schedule, States: 1}
		}
	}
	d := newDepthFirst(f, all, n, stayOpen, g)
	found := d.depthFirst()
	a := Answer{States: len(d.been)}
	switch {
	case found:
		a.Verdict, a.Schedule = Feasible, d.path
	case d.full:
		a.Reason = Budget
	case d.refused:
		a.Reason = Rejected
	default:
		a.Reason = NotFound
	}
	return a
}

// reordered is the first place of the trace that cannot keep its order, because of the goal's
// executed events. It is an event that has to come after a later one, or the acquire of the
// outermost section around that event. If there is none, it is the trace's end.
func (f *Finder) reordered() int32 {
	at := int32(len(f.evs))
	done := f.set.executed
	for n := 1; n < len(done); n++ {
		if i := done[n]; i < done[n-1] {
			at = min(at, f.outermost(i))
		}
	}
	return at
}

// outermost is the acquire of the outermost section around an event, or the event if there is no
// section.
func (f *Finder) outermost(i int32) int32 {
	at := i
	for s := range f.sections {
		if c := &f.sections[s]; c.g == f.gnum[i] && c.acq < i && (c.rel < 0 || c.rel > i) {
			at = min(at, max(0, c.acq))
		}
	}
	return at
}

// wholeSpans is the trace's order with each span in one piece, at the place of its first event.
// (B5)
func (f *Finder) wholeSpans(all []int32) []int32 {
	p := f.set
	next := make(map[int32]int32, len(p.touched)) // by goroutine, the place of its next event
	order := make([]int32, 0, len(all))
	for _, i := range all {
		g := f.gnum[i]
		list := p.list[g][:p.need[g]]
		at := next[g]
		if at < int32(len(list)) && list[at] == i {
			order = append(order, i)
			for at++; at < int32(len(list)) && !f.evs[list[at]].Kind.Spec().EndsSpan; at++ {
				order = append(order, list[at])
			}
			next[g] = at
		}
	}
	return order
}

// box collects the box of (B1) in the set and returns the sections that stay open.
func (f *Finder) box(g goal.Goal) (stayOpen map[int32]bool, ok bool) {
	p := f.set
	p.end()
	p.begin(g, false)
	if !p.close() {
		return nil, false
	}
	stayOpen = map[int32]bool{}
	for size := -1; size != p.size(); {
		size = p.size()
		for _, s := range f.wanted() {
			r := f.sections[s].rel
			if stayOpen[s] || r >= 0 && p.has(r) {
				continue
			}
			if r < 0 {
				stayOpen[s] = true
				continue
			}
			p.try()
			if p.include(r); p.close() {
				p.keep()
				continue
			}
			p.takeBack()
			stayOpen[s] = true
		}
	}
	return stayOpen, true
}

// wanted lists the sections that have begun in the set, do not end in it, and cannot overlap another section of the set, in the order of their numbers.
func (f *Finder) wanted() (list []int32) {
	p := f.set
	type begun struct {
		open  []int32 // those that do not end
		modes [2]int  // how many begin, in write and in read mode
	}
	byLock := map[int32]*begun{}
	note := func(b *begun, s int32) {
		c := &p.sections[s]
		if c.rel < 0 || !p.has(c.rel) {
			b.open = append(b.open, s)
		}
		b.modes[mode(c)]++
	}
	for _, g := range p.touched {
		p.looked += int(p.need[g]) / EventsPerState
		for _, i := range p.list[g][:p.need[g]] {
			if !p.evs[i].Kind.Spec().Opens {
				continue
			}
			s := p.aux[i]
			l := p.sections[s].lock
			b := byLock[l]
			if b == nil {
				b = &begun{}
				byLock[l] = b
				for _, s := range p.facts.locks[l].before {
					note(b, s)
				}
			}
			note(b, s)
		}
	}
	for _, b := range byLock {
		for _, s := range b.open {
			others := b.modes[0] // how many sections it cannot overlap
			if !p.sections[s].shared {
				others += b.modes[1] - 1
			}
			if others > 0 {
				list = append(list, s)
			}
		}
	}
	slices.Sort(list)
	return list
}

// mode is 0 for a section in write mode, 1 for one in read mode.
func mode(c *section) int {
	if c.shared {
		return 1
	}
	return 0
}

// statesPerStop is how many states lie between two questions of Options.Stop.
const statesPerStop = 256
