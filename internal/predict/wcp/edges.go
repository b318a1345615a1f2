package wcp

import "github.com/racepred/racepred/internal/trace"

// object is what an edge comes from: no event, one, or several.
type object struct {
	one  stamp // the latest event. Its goroutine comes after it by the goroutine's own order, so it is kept by itself
	more *sum  // the others. Mostly nil, since there are very many objects
}

func (p *Predictor) reset(o *object) {
	o.one.drop(&p.pool)
	p.resetMore(o)
}

func (p *Predictor) resetMore(o *object) {
	if o.more != nil {
		o.more.reset(&p.pool)
		p.freeLists.sums.Put(o.more)
		o.more = nil
	}
}

// put makes s all that o holds. It takes over the stamp.
func (p *Predictor) put(o *object, s stamp) {
	p.reset(o)
	o.one = s
}

// take is (W4) from the events of o.
func (p *Predictor) take(g *goroutine, o *object) {
	if o.one.Vec != nil || o.one.Time != 0 || o.more != nil {
		p.takeAll(g, o)
	}
}

func (p *Predictor) takeAll(g *goroutine, o *object) {
	p.mustStamp(g, &o.one)
	if m := o.more; m != nil {
		for i := range m.n {
			p.mustStamp(g, &m.few[i])
		}
		p.mustOrder(g, m.h.Vec(), m.known(), m.w.Vec())
	}
}

// merge adds g's present event to o.
func (p *Predictor) merge(g *goroutine, o *object) {
	if o.more == nil && p.same(g, &o.one) {
		g.edges++
		return
	}
	p.add(g, o, p.stamp(g))
}

// add adds a stamp of g's present event to o, and takes it over. It drops events of o that g comes
// after.
func (p *Predictor) add(g *goroutine, o *object, s stamp) {
	known := p.own(g, &o.one) || p.knows(g, &o.one)
	if m := o.more; m != nil {
		for i := m.n - 1; i >= 0; i-- {
			if p.own(g, &m.few[i]) {
				m.drop(&p.pool, i)
			}
		}
		if known && m.n == 0 && p.covers(g, m.h.Vec(), m.known(), m.w.Vec()) {
			p.resetMore(o)
		}
	}
	switch {
	case known:
		o.one.drop(&p.pool)
	case o.one != (stamp{}):
		if o.more == nil {
			o.more = p.freeLists.sums.Get()
		}
		o.more.add(&p.pool, o.one)
	}
	o.one = s
}

func (p *Predictor) hard(ev *trace.Event) {
	g := p.of(ev.G)
	if ev.Kind == trace.HardAcquire {
		if !ev.Unseen() { // (W9)
			if at := p.cells.Known(ev.Addr); at != nil {
				p.take(g, &at.object)
			}
		}
		return
	}
	o := &p.cells.Of(ev.Addr).object
	switch ev.Kind {
	case trace.HardRelease:
		p.put(o, p.stamp(g))
	case trace.HardMerge:
		p.merge(g, o)
	case trace.HardSwap:
		held := *o
		*o = object{one: p.stamp(g)}
		if !ev.Unseen() { // (W9)
			p.take(g, &held)
		}
		p.reset(&held)
	}
}
