package witness

import (
	"slices"

	"github.com/racepred/racepred/internal/trace"
)

// tryFail is (P8).
func (p *closure) tryFail(i int32, e *trace.Event) {
	open := p.lists[p.aux[i]]
	for _, s := range open {
		p.include(p.sections[s].acq)
	}
	if len(open) == 0 && (!p.certain || p.f.byTrace(lacksBefore)) {
		list := p.facts.locks[p.lockOf[e.Addr]].releases
		n, _ := slices.BinarySearch(list, i)
		p.includeAll(list[:n])
	}
}

func (r *saturation) tryFail(all []int32, i int32, e *trace.Event) bool {
	saw := r.lists[r.aux[i]]
	for _, s := range saw {
		c := &r.sections[s]
		if c.acq >= 0 && !r.edge(c.acq, i) || r.ended(c) && !r.edge(i, c.rel) {
			return false
		}
	}
	if len(saw) > 0 || r.proof && !r.byTrace(lacksBefore) {
		return true
	}
	r.steps -= len(all) / 8
	for _, j := range all {
		if f := &r.evs[j]; f.Addr != e.Addr {
			continue
		} else if spec := f.Kind.Spec(); spec.Closes && j < i && !r.edge(j, i) || spec.Opens && j > i && !r.edge(i, j) {
			return false
		}
	}
	return true
}

func (d *depthFirst) tryFail(i int32) bool {
	for _, s := range d.lists[d.aux[i]] {
		if c := &d.sections[s]; !d.done(c.acq) || c.rel >= 0 && d.done(c.rel) {
			return false
		}
	}
	return true
}
