package mustorder

import (
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

// hard is (M2). A schedule executes a HardSwap only after what it acquires. So, unlike in
// happens-before, its release includes that.
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
	if spec.Takes && (!ev.Unseen() || p.cfg.InTurn) {
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
	unseen := ev.Kind == trace.Change && ev.Unseen()
	if c != nil {
		p.learn(g, rulePin, c.seen.p, c.seen.slot, c.seen.time)
		if v := c.unseen.Vec(); !unseen && v != nil {
			p.fired[rulePin]++
			g.p.Join(&p.pool, v, vclock.NoOrders)
		}
	}
	if ev.Kind == trace.Observe {
		return
	}
	if c == nil {
		c = &changes{}
		p.changes.Put(ev.Addr, c)
	}
	s := g.stamp()
	if unseen {
		c.unseen.JoinStamp(&p.pool, vclock.Stamp{Vec: s.p, Slot: s.slot, Time: s.time}, vclock.NoOrders)
		s.drop(&p.pool)
		return
	}
	c.reset(&p.pool)
	c.seen = s
}

// changes are an object's last seen Change, and the unseen Changes since then.
type changes struct {
	seen   stamp
	unseen vclock.Clock
}

func (c *changes) reset(pool *vclock.Pool) {
	c.seen.drop(pool)
	c.unseen.Reset(pool)
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
