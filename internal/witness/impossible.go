package witness

// impossible reports whether the orders that every schedule keeps contradict each other (as in the universal causality graph, Kahlon
// and Wang, CAV 2010). It makes the set what every schedule has:
//
//	(I1) the past, without (P9)
//	(I2) of a section that another section of the set excludes, and that cannot end without one of the two accesses in the set: all
//	     sections of its lock that it cannot overlap end, before it begins; two such sections are a contradiction
//
// and closes their order under (R1) to (R4); when repeats were dropped without (R4), since another store may then be the last one.
func (f *Finder) impossible(first, second int32) bool {
	p := f.set
	p.end()
	p.begin(first, second)
	p.certain = true
	if !p.close() {
		return p.why == hit
	}
	stay, tried := map[int32]bool{}, map[int32]bool{}
	for enough := p.looked + 64*f.opts.States*EventsPerState; ; {
		s := f.unended(tried, stay)
		if s < 0 {
			break
		}
		if p.looked += p.size() / EventsPerState; p.looked > enough {
			return false
		}
		tried[s] = true
		if !f.endless(s) {
			continue
		}
		stay[s] = true
		for _, o := range f.excludedBy(s) {
			if stay[o] {
				return true
			}
			if r := f.sections[o].rel; r >= 0 {
				if p.include(r); !p.close() {
					return p.why == hit
				}
			} else {
				return true
			}
		}
		clear(tried) // there may be more now that s, or another, excludes
		for s := range stay {
			tried[s] = true
		}
	}
	if len(stay) == 0 {
		return false
	}
	all := p.inTraceOrder()
	r := newReversal(f, all, stay)
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
		return true
	}
	before := p.try()
	p.include(f.sections[s].rel)
	if p.close() {
		p.takeBack(before)
		return false
	}
	endless := p.why == hit
	p.takeBack(before)
	return endless
}

// excludedBy lists the sections that have begun in the set and cannot overlap s.
func (f *Finder) excludedBy(s int32) (list []int32) {
	p, me := f.set, &f.sections[s]
	for o := range f.sections {
		if c := &f.sections[o]; int32(o) != s && c.lock == me.lock && !(c.shared && me.shared) && (c.acq < 0 || p.has(c.acq)) {
			list = append(list, int32(o))
		}
	}
	return list
}
