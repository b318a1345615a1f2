package witness

import "github.com/racepred/racepred/internal/trace"

// hard notes the newest release that the object of a hard event held before the event.
func (b *builder) hard(i int32, e *trace.Event) {
	b.aux[i] = b.object[e.Addr] - 1
	if e.Kind.Spec().Gives {
		b.object[e.Addr] = i + 1
	}
}

// takes is (P4).
func (p *closure) takes(i int32, e *trace.Event) {
	if e.Unseen() {
		return
	}
	for k := p.aux[i]; k >= 0 && !p.chained[k]; k = p.aux[k] {
		p.chained[k] = true
		if p.trial != nil {
			p.trial.chained = append(p.trial.chained, k)
		}
		p.include(k)
		if p.evs[k].Kind.Spec().Resets {
			break
		}
	}
}

func (r *saturation) takes(i int32, e *trace.Event) bool {
	return r.held(i, e, func(k int32) bool { return r.edge(k, i) })
}

func (d *depthFirst) takes(i int32, e *trace.Event) bool { return d.held(i, e, d.done) }

// held reports whether is holds for all releases that the object of a hard event held, the newest
// first.
func (f *facts) held(i int32, e *trace.Event, is func(release int32) bool) bool {
	for k := f.aux[i]; k >= 0 && !e.Unseen(); k = f.aux[k] {
		if !is(k) {
			return false
		}
		if f.evs[k].Kind.Spec().Resets {
			break
		}
	}
	return true
}
