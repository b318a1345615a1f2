package witness

import (
	"slices"

	"github.com/racepred/racepred/internal/goal"
)

// refute looks for a contradiction between the orders that every schedule keeps (as in the
// universal causality graph, Kahlon and Wang, CAV 2010). It computes the set of events that every
// schedule has:
//
//	(I1) the closure, without (P9)
//	(I2) if a section of the set cannot end without one of the goal's next events, and another
//	     section of the set excludes it, then all sections of the set that exclude it end before it
//	     begins: their releases are in the set. Two such sections that exclude each other are a
//	     contradiction
//
// Then it closes the order of these events under (R1) to (R4). If repeats were dropped, it leaves
// out (R4), since a dropped store may be the last one.
//
// With Options.Before or Options.After the run has more events than the trace. Then a contradiction
// is a proof only if it follows from facts that hold in the run as well. These facts do not:
//
//	(I3) a section that began before the trace may begin after the schedule; a TryFail may have seen
//	     such a section; a Read without a store before it in the trace may have one in the run; a
//	     release in read mode of a section that another goroutine opened may end a section of its
//	     own goroutine
//	(I4) a section that does not end in the trace may end after it
//
// If a contradiction needs one of these facts, no schedule of the trace's events reaches the goal.
// One with more events of the run may.
func (f *Finder) refute(g goal.Goal) (a Answer, refuted bool) {
	f.sure, f.used = false, 0
	if !f.contradiction(g) {
		return Answer{}, false
	}
	used := f.used
	if used == 0 {
		return Answer{Verdict: Infeasible}, true
	}
	f.sure = true
	switch {
	case f.contradiction(g):
		return Answer{Verdict: Infeasible}, true
	case used&lacksAfter != 0:
		return Answer{Reason: UnknownAfter}, true
	}
	return Answer{Reason: UnknownBefore}, true
}

// lack is a part of the run that the trace does not have.
type lack uint8

const (
	lacksBefore lack = 1 << iota
	lacksAfter
)

// byTrace reports whether to use a fact that holds in the trace, and perhaps not in a run that has
// more events there. It notes that the fact was asked for.
func (f *Finder) byTrace(there lack) bool {
	if there == lacksBefore && !f.opts.Before || there == lacksAfter && !f.opts.After {
		return true
	}
	f.used |= there
	return !f.sure
}

// contradiction reports whether the orders that every schedule keeps contradict each other. If
// f.sure is set, it uses only facts that hold in the run as well.
func (f *Finder) contradiction(g goal.Goal) bool {
	p := f.set
	p.end()
	p.begin(g, true)
	if !p.close() {
		return p.why == hit
	}
	stayOpen := map[int32]bool{}
	enough := p.looked + 16*f.opts.States*EventsPerState
	for size := -1; size != p.size(); { // with more events in the set, more sections may have to stay open
		size = p.size()
		for _, s := range f.wanted() {
			if p.looked > enough {
				return false
			}
			c := &f.sections[s]
			if stayOpen[s] || c.rel >= 0 && p.has(c.rel) || c.acq < 0 && !f.byTrace(lacksBefore) || !f.endless(s) {
				continue
			}
			stayOpen[s] = true
			if f.exclusive(stayOpen) {
				return true
			}
			if p.why != "" {
				return false
			}
		}
	}
	if len(stayOpen) == 0 && len(p.executed) < 2 {
		return false
	}
	all := p.inTraceOrder()
	r := newSaturation(f, all, stayOpen)
	if r == nil {
		return false
	}
	defer r.countSteps()
	r.proof = true
	return !r.close(all) && r.steps >= 0 && !r.unsure
}

// EventsPerState is how many events cost about as much as one state of a search.
const EventsPerState = 20

// endless reports whether the section's release cannot be in the set without one of the goal's next
// events. The set stays as it is.
func (f *Finder) endless(s int32) bool {
	p := f.set
	if f.sections[s].rel < 0 {
		return f.byTrace(lacksAfter)
	}
	p.try()
	p.include(f.sections[s].rel)
	endless := !p.close() && p.why == hit
	p.takeBack()
	return endless
}

// exclusive applies (I2) to the sections that stay open, until nothing more comes into the set. It
// reports a contradiction. If there is no such set for another reason, f.set.why is the reason.
func (f *Finder) exclusive(stayOpen map[int32]bool) (contradiction bool) {
	p := f.set
	for more := true; more; {
		more = false
		for _, s := range sorted(stayOpen) {
			for _, o := range f.excludedBy(s) {
				if stayOpen[o] {
					return true
				}
				r := f.sections[o].rel
				if r < 0 {
					if f.byTrace(lacksAfter) {
						return true
					}
					continue
				}
				if p.has(r) {
					continue
				}
				more = true
				if p.include(r); !p.close() {
					return p.why == hit
				}
			}
		}
	}
	return false
}

// excludedBy lists the sections that have begun in the set and cannot overlap s.
func (f *Finder) excludedBy(s int32) (list []int32) {
	p, me := f.set, &f.sections[s]
	for _, o := range f.locks[me.lock].sections {
		c := &f.sections[o]
		if o == s || c.shared && me.shared {
			continue
		}
		switch {
		case c.acq >= 0 && !p.has(c.acq):
		case c.acq < 0 && !(c.rel >= 0 && p.has(c.rel)) && !f.byTrace(lacksBefore):
		default:
			list = append(list, o)
		}
	}
	return list
}

// sorted lists sections in the order of their numbers.
func sorted(sections map[int32]bool) (list []int32) {
	for s := range sections {
		list = append(list, s)
	}
	slices.Sort(list)
	return list
}

// strange reports whether the section's release may end another section in the run (I3).
func (f *Finder) strange(s *section) bool {
	return s.shared && s.acq >= 0 && s.rel >= 0 && f.gnum[s.acq] != f.gnum[s.rel] && !f.byTrace(lacksBefore)
}
