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
	for k := r.aux[i]; k >= 0 && !e.Unseen(); k = r.aux[k] {
		if !r.edge(k, i) {
			return false
		}
		if r.evs[k].Kind.Spec().Resets {
			break
		}
	}
	return true
}

func (d *depthFirst) takes(i int32, e *trace.Event) bool {
	for k := d.aux[i]; k >= 0 && !e.Unseen(); k = d.aux[k] {
		if !d.done(k) {
			return false
		}
		if d.evs[k].Kind.Spec().Resets {
			break
		}
	}
	return true
}
