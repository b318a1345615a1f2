package witness

import (
	"slices"
)

// The search goes over the schedules of a box of events, depth first, and remembers the states it has been in.
//
//	(B1) The box has the events that every schedule has, and what it takes to end their sections where another
//	     goroutine of the box wants the lock; sections that cannot end without one of the two accesses stay open.
//	(B2) What lies before the first acquire of a section that stays open goes in the trace's order.
//	(B3) A section that stays open begins when no other section of the box wants its lock any more.
//	(B4) When repeats were dropped, a goroutine goes from one end of a span to the next without a break.

func (f *Finder) search(first, second int32) Answer {
	stay, ok := f.box(first, second)
	p := f.set
	if !ok {
		return f.depends(p.why)
	}
	all := p.inTraceOrder()
	cut := int32(len(f.evs)) // (B2)
	for s := range stay {
		cut = min(cut, max(0, f.sections[s].acq))
	}
	n, _ := slices.BinarySearch(all, cut)
	if n == len(all) {
		if f.accept(all, first, second) {
			return Answer{Verdict: Feasible, Schedule: all}
		}
		return Answer{Verdict: Unknown, Reason: Rejected}
	}
	if len(all)-n > f.opts.Box {
		return Answer{Verdict: Unknown, Reason: TooLarge}
	}
	if schedule := f.reverse(all, stay); schedule != nil && f.accept(schedule, first, second) {
		return Answer{Verdict: Feasible, Schedule: schedule, States: 1}
	}
	d := newDive(f, all, n, stay, first, second)
	found := d.dive()
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

// box makes the set the box of (B1) and returns the sections that stay open.
func (f *Finder) box(first, second int32) (stay map[int32]bool, ok bool) {
	p := f.set
	p.end()
	p.begin(first, second)
	if !p.close() {
		return nil, false
	}
	stay = map[int32]bool{}
	tried := map[int32]bool{}
	for {
		s := f.unended(tried, stay)
		if s < 0 {
			return stay, true
		}
		tried[s] = true
		r := f.sections[s].rel
		if r < 0 {
			stay[s] = true
			continue
		}
		before := p.try()
		if p.include(r); !p.close() {
			stay[s] = true
			p.takeBack(before)
		}
	}
}

// unended finds a section in the set that does not end in it, has not been tried yet, and
// whose lock another section in the set wants; -1 when there is none.
func (f *Finder) unended(tried, stay map[int32]bool) int32 {
	p := f.set
	byLock := map[int32][]int32{}
	for _, g := range p.touched {
		for _, i := range p.list[g][:p.need[g]] {
			if !p.evs[i].Kind.Spec().Opens {
				continue
			}
			s := p.aux[i]
			l := p.sections[s].lock
			if byLock[l] == nil {
				byLock[l] = append([]int32(nil), p.facts.locks[l].before...)
			}
			byLock[l] = append(byLock[l], s)
		}
	}
	best := int32(-1)
	for _, list := range byLock {
		for _, s := range list {
			c := &p.sections[s]
			if tried[s] || c.rel >= 0 && p.has(c.rel) || best >= 0 && best < s {
				continue
			}
			for _, o := range list {
				if o != s && !(c.shared && p.sections[o].shared) {
					best = s
					break
				}
			}
		}
	}
	return best
}

// statesPerStop is how many states lie between two questions of Options.Stop.
const statesPerStop = 256
