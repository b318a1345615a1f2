package witness

import (
	"slices"

	"github.com/racepred/racepred/internal/goal"
)

// refute looks for a contradiction between the orders that every schedule keeps (as in the universal causality graph, Kahlon
// and Wang, CAV 2010). It makes the set what every schedule has:
//
//	(I1) the closure, without (P9)
//	(I2) of a section that another section of the set excludes, and that cannot end without one of the goal's events in the set: all
//	     sections of its lock that it cannot overlap end, before it begins, and so do those that come into the set with them; two such
//	     sections are a contradiction
//
// and closes their order under (R1) to (R4); when repeats were dropped without (R4), since another store may then be the last one.
//
// With Options.Before or Options.After the run has more events than the trace. A contradiction is a proof then only if it comes of what
// holds in the run as well:
//
//	(I3) a section that began before the trace may begin after the schedule; a TryFail may have seen one; a Read that no store of the
//	     trace comes before has one all the same; and a release in read mode, of a section that another goroutine opened, may
//	     belong to one of its own goroutine's
//	(I4) a section that does not end in the trace may end after it
//
// Where it comes of other facts, no schedule of the trace's events has the goal, but one of more events may.
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

// lack is what part of the run the trace does not have.
type lack uint8

const (
	lacksBefore lack = 1 << iota
	lacksAfter
)

// byTrace reports whether to go by a fact that holds in the trace, but perhaps not in a run that has more events there.
func (f *Finder) byTrace(there lack) bool {
	if there == lacksBefore && !f.opts.Before || there == lacksAfter && !f.opts.After {
		return true
	}
	f.used |= there
	return !f.sure
}

func (f *Finder) contradiction(g goal.Goal) bool {
	p := f.set
	p.end()
	p.begin(g)
	p.certain = true
	if !p.close() {
		return p.why == hit
	}
	stay := map[int32]bool{}
	enough := p.looked + 16*f.opts.States*EventsPerState
	for size := -1; size != p.size(); { // where more came in, more may have to stay open
		size = p.size()
		for _, s := range f.wanted() {
			if p.looked > enough {
				return false
			}
			c := &f.sections[s]
			if stay[s] || c.rel >= 0 && p.has(c.rel) || c.acq < 0 && !f.byTrace(lacksBefore) || !f.endless(s) {
				continue
			}
			stay[s] = true
			if f.exclusive(stay) {
				return true
			}
			if p.why != "" {
				return false
			}
		}
	}
	if len(stay) == 0 && len(p.executed) < 2 {
		return false
	}
	all := p.inTraceOrder()
	r := newSaturation(f, all, stay)
	if r == nil {
		return false
	}
	defer r.spent()
	r.proof = true
	return !r.close(all) && r.steps >= 0 && !r.unsure
}

// EventsPerState is how many events cost about as much to look at as one state of a search.
const EventsPerState = 20

// endless reports whether the section's release cannot come into the set, which stays as it is.
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

// exclusive is (I2) for the sections that stay open, until nothing more comes into the set. It reports a contradiction; otherwise the
// closure says why when the set cannot be had.
func (f *Finder) exclusive(stay map[int32]bool) (contradiction bool) {
	p := f.set
	for more := true; more; {
		more = false
		for _, s := range sorted(stay) {
			for _, o := range f.excludedBy(s) {
				if stay[o] {
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

// strange reports whether the release may be that of another section, as (I3) says.
func (f *Finder) strange(s *section) bool {
	return s.shared && s.acq >= 0 && s.rel >= 0 && f.gnum[s.acq] != f.gnum[s.rel] && !f.byTrace(lacksBefore)
}
