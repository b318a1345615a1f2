package witness

import (
	"slices"
)

func (d *depthFirst) done(i int32) bool {
	k, ok := d.index[d.gnum[i]]
	return ok && d.pos[k] > d.place[i]
}

// possible reports whether event i can be next, as far as the search can tell: package check knows
// more about appends and dropped repeats.
func (d *depthFirst) possible(i int32) bool {
	e := &d.evs[i]
	if f := d.fork[d.gnum[i]]; d.place[i] == 0 && f >= 0 && !d.done(f) {
		return false
	}
	if f := d.firstBefore(i); f >= 0 && !d.done(f) {
		return false
	}
	if n := slices.Index(d.set.executed, i); n > 0 && !d.done(d.set.executed[n-1]) {
		return false
	}
	if !d.afterHard(i) {
		return false
	}
	if d.ofList(i) {
		return !e.Append() || d.listReady(i)
	}
	return d.ready(i, e)
}

func (d *depthFirst) allDone(list []int32) bool {
	for _, i := range list {
		if !d.done(i) {
			return false
		}
	}
	return true
}
