package witness

import (
	"slices"

	"github.com/racepred/racepred/internal/trace"
)

func (d *depthFirst) done(i int32) bool {
	k, ok := d.index[d.gnum[i]]
	return ok && d.pos[k] > d.place[i]
}

// possible reports whether event i can be next, as far as the search looks.
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
	if d.ofList(i) {
		return !e.Append() || d.listReady(i)
	}
	switch e.Kind {
	case trace.Read:
		r, found := d.contents.read(i)
		return slices.Equal(d.holds[r.Lo:r.Hi], found)
	case trace.Acquire, trace.RAcquire:
		s := d.aux[i]
		c := &d.sections[s]
		for _, o := range d.open[c.lock] {
			if !(c.shared && d.sections[o].shared) {
				return false
			}
		}
		if d.stay[s] { // (B3)
			for _, o := range d.wants[c.lock] {
				w := &d.sections[o]
				if o != s && !(c.shared && w.shared) && !d.stay[o] && !d.done(w.rel) {
					return false
				}
			}
		}
		if c.hard {
			return d.releasedBefore(d.facts.locks[c.lock].releases, i)
		}
		return d.releasedBefore(d.facts.locks[c.lock].hard, i)
	case trace.Release, trace.RRelease:
		a := d.sections[d.aux[i]].acq
		return a < 0 || d.done(a)
	case trace.Join:
		g, ok := d.byG[trace.G(e.Other)]
		return (d.aux[i] < 0 || d.done(d.aux[i])) && (!ok || d.done(d.list[g][len(d.list[g])-1]))
	case trace.HardAcquire, trace.HardSwap:
		for k := d.aux[i]; k >= 0 && !e.Unseen(); k = d.aux[k] {
			if !d.done(k) {
				return false
			}
			if d.evs[k].Kind.Spec().Resets {
				break
			}
		}
	case trace.Observe, trace.Change:
		return d.pinned(i, e)
	case trace.Opaque:
		for _, o := range d.lists[d.aux[i]] {
			if !d.done(o) {
				return false
			}
		}
	case trace.TryFail:
		for _, s := range d.lists[d.aux[i]] {
			if c := &d.sections[s]; !d.done(c.acq) || c.rel >= 0 && d.done(c.rel) {
				return false
			}
		}
	}
	return true
}

func (d *depthFirst) releasedBefore(list []int32, i int32) bool {
	for _, r := range list {
		if r > i {
			break
		}
		if !d.done(r) {
			return false
		}
	}
	return true
}
