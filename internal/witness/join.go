package witness

import "github.com/racepred/racepred/internal/trace"

// forked notes a goroutine's first Fork; a valid trace has only one.
func (b *builder) forked(i int32, e *trace.Event) {
	if _, ok := b.forks[trace.G(e.Other)]; !ok {
		b.forks[trace.G(e.Other)] = i
	}
}

func (b *builder) joins(i int32, e *trace.Event) {
	b.aux[i] = -1
	if f, ok := b.forks[trace.G(e.Other)]; ok {
		b.aux[i] = f
	}
}

// join is (P2).
func (p *closure) join(i int32, e *trace.Event) {
	if p.f.opts.Midway {
		p.uncertain(i)
	}
	if p.aux[i] >= 0 {
		p.include(p.aux[i])
	}
	if g, ok := p.byG[trace.G(e.Other)]; ok {
		p.want(g, int32(len(p.list[g])))
	}
}

func (r *saturation) join(i int32, e *trace.Event) bool {
	if r.aux[i] >= 0 && !r.edge(r.aux[i], i) {
		return false
	}
	if g, in := r.byG[trace.G(e.Other)]; in {
		return r.edge(r.list[g][len(r.list[g])-1], i)
	}
	return true
}

func (d *depthFirst) join(i int32, e *trace.Event) bool {
	g, ok := d.byG[trace.G(e.Other)]
	return (d.aux[i] < 0 || d.done(d.aux[i])) && (!ok || d.done(d.list[g][len(d.list[g])-1]))
}
