package must

import "github.com/racepred/racepred/internal/trace"

// hard is (M2). A HardSwap can only be executed after what it acquires; so, unlike in happens-before, its own release
// includes that.
func (p *Order) hard(g *Goroutine, ev *trace.Event) {
	o := p.objects.Get(ev.Addr)
	if o == nil {
		if ev.Kind == trace.HardAcquire {
			return
		}
		o = &object{}
		p.objects.Put(ev.Addr, o)
	}
	spec := ev.Kind.Spec()
	s := g.stamp()
	if spec.Takes {
		p.take(g, ruleHard, o)
		p.pool.Drop(s.p)
		s.p = g.p.Share()
	}
	if spec.Resets {
		o.reset(&p.pool)
	}
	if spec.Gives {
		o.add(&p.pool, s)
	}
	s.drop(&p.pool)
}

// pinned is (M6) for Observe and Change.
func (p *Order) pinned(g *Goroutine, ev *trace.Event) {
	c := p.changes.Get(ev.Addr)
	if c != nil {
		p.learn(g, rulePin, c.p, c.slot, c.time)
	}
	if ev.Kind == trace.Observe {
		return
	}
	if c == nil {
		c = &stamp{}
		p.changes.Put(ev.Addr, c)
	}
	c.drop(&p.pool)
	*c = g.stamp()
}

// opaque is (M6) for Opaque.
func (p *Order) opaque(g *Goroutine) {
	for _, s := range g.held {
		o := &s.lk.opaque
		p.learn(g, ruleOpaque, o.p, o.slot, o.time)
	}
	for _, s := range g.held {
		if !s.shared {
			s.lk.opaque.drop(&p.pool)
			s.lk.opaque = g.stamp()
		}
	}
}
