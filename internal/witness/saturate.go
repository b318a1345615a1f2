package witness

import (
	"slices"
)

// saturate closes the order under (R3) and (R4). False means a contradiction, or no more steps.
func (r *saturation) saturate() bool {
	for r.changed = true; r.changed; {
		r.changed = false
		for _, l := range r.used {
			qs := r.locks[l]
			for _, q := range qs {
				if r.stopped() {
					return false
				}
				for _, s := range q.list {
					if !r.lockRule(s, qs) {
						return false
					}
				}
			}
		}
		for i := range r.reads {
			if r.proof && r.dropped {
				break
			}
			if !r.readRule(&r.reads[i]) {
				return false
			}
		}
	}
	return true
}

// stopped asks Options.Stop whether to give up; if so there are no more steps.
func (r *saturation) stopped() bool {
	if r.opts.Stop != nil && r.opts.Stop() {
		r.steps = -1
	}
	return r.steps < 0
}

// lockRule is (R3) for section s and each section of the lock that has to come after it. qs are the
// lock's queues.
func (r *saturation) lockRule(s int32, qs []*queue) bool {
	me := &r.sections[s]
	u := r.of[me.acq]
	comes := func(o int32) bool { // me's acquire before o's release
		c := &r.sections[o]
		return o != s && r.ended(c) && (r.of[c.rel] == u && c.rel > me.acq || r.has(u, r.of[c.rel]))
	}
	for _, q := range qs {
		if q.shared && me.shared {
			continue
		}
		if r.steps--; r.steps < 0 {
			return false
		}
		if q.ordered && r.sections[q.list[0]].g == me.g {
			continue // the goroutine's own order has it
		}
		if q.ordered {
			n, _ := slices.BinarySearchFunc(q.list, true, func(o int32, _ bool) int {
				if comes(o) {
					return 0
				}
				return -1
			})
			if n < len(q.list) && !r.ended(me) && r.proof {
				continue // the section has to end, too; the consequences of that are not computed
			}
			if n < len(q.list) && (!r.ended(me) || !r.edge(me.rel, r.sections[q.list[n]].acq)) {
				return false
			}
			continue
		}
		r.steps -= len(q.list)
		for _, o := range q.list {
			if r.proof && !r.ended(me) {
				break
			}
			if comes(o) && (!r.ended(me) || !r.edge(me.rel, r.sections[o].acq)) {
				return false
			}
		}
	}
	return true
}

// readRule is (R4).
func (r *saturation) readRule(x *reading) bool {
	if x.from < 0 && r.proof && !r.byTrace(lacksBefore) {
		return true
	}
	if !r.others(x, x.stores...) {
		return false
	}
	if x.seen {
		return true
	}
	for _, list := range x.unseen { // the Read finds those in between
		lo, _ := slices.BinarySearch(list, x.from)
		hi, _ := slices.BinarySearch(list, x.read)
		if !r.others(x, list[:lo], list[hi:]) {
			return false
		}
	}
	return true
}

// others is (R4) for stores in lists, each of one goroutine.
func (r *saturation) others(x *reading, lists ...[]int32) bool {
	read := r.of[x.read]
	if r.steps -= len(lists); r.steps < 0 {
		return false
	}
	for _, list := range lists {
		// The last store that comes before the read.
		n, _ := slices.BinarySearchFunc(list, true, func(i int32, _ bool) int {
			if u := r.of[i]; u == read && i < x.read || r.has(u, read) {
				return -1
			}
			return 0
		})
		if n > 0 && list[n-1] != x.from && (x.from < 0 || !r.edge(list[n-1], x.from)) {
			return false
		}
		// The first store that comes after the one it reads from.
		n = 0
		if x.from >= 0 {
			from := r.of[x.from]
			n, _ = slices.BinarySearchFunc(list, true, func(i int32, _ bool) int {
				if u := r.of[i]; u == from && i > x.from || r.has(from, u) {
					return 0
				}
				return -1
			})
		}
		if n < len(list) && list[n] != x.read && !r.edge(x.read, list[n]) {
			return false
		}
	}
	return true
}
