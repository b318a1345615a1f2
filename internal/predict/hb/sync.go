package hb

import (
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

func (p *Predictor) object(a trace.Addr) *object { return &p.cells.Of(a).object }

func (p *Predictor) lock(a trace.Addr) *lock {
	at := p.cells.Of(a)
	if at.lock == nil {
		at.lock = p.freeLists.locks.Get()
		if p.cells.Faint.Has(a) { // (H4)
			at.lock.old.Set(&p.pool, p.cells.Forgotten.Share())
		}
	}
	return at.lock
}

// (H2)
func (p *Predictor) acquire(ev *trace.Event, write bool) {
	g, l := p.of(ev.G), p.lock(ev.Addr)
	n := p.learned
	p.learn(g, l.w)
	p.byLock += p.learned - n
	p.learnAll(g, l.old.Vec())
	if write {
		p.learnAll(g, l.r.Vec())
		l.owner = ev.G
	}
}

func (p *Predictor) release(ev *trace.Event) {
	g, l := p.of(ev.G), p.lock(ev.Addr)
	if l.owner == ev.G { // its acquire has learned all that the lock had
		l.old.Reset(&p.pool)
		l.r.Reset(&p.pool)
	} else {
		l.old.JoinStamp(&p.pool, l.w, order)
	}
	l.owner = 0
	l.w.Drop(&p.pool)
	l.w = p.stamp(g)
}

func (p *Predictor) rrelease(ev *trace.Event) {
	g, l := p.of(ev.G), p.lock(ev.Addr)
	s := p.stamp(g)
	l.r.JoinStamp(&p.pool, s, order)
	s.Drop(&p.pool)
}

// object is what a synchronization object holds: nothing, one release, or one and more.
type object struct {
	one  vclock.Stamp
	more *vclock.Sum // nil mostly: there are very many objects
}

func (p *Predictor) reset(o *object) {
	o.one.Drop(&p.pool)
	p.resetMore(o)
}

func (p *Predictor) resetMore(o *object) {
	if o.more != nil {
		o.more.Reset(&p.pool)
		p.freeLists.sums.Put(o.more)
		o.more = nil
	}
}

// Hard takes in a hard edge of goroutine id with the object at a. (H3)
func (p *Predictor) Hard(k trace.Kind, id trace.G, a trace.Addr) {
	g := p.of(id)
	if k == trace.HardAcquire {
		if at := p.cells.Known(a); at != nil {
			p.take(g, &at.object)
		}
		return
	}
	o := p.object(a)
	switch k {
	case trace.HardRelease:
		p.reset(o)
		o.one = p.stamp(g)
	case trace.HardMerge:
		if p.knows(g, o.one) {
			if o.more != nil && g.Known.Vec().CoversIn(&p.pool, o.more.Vec(), order) {
				p.resetMore(o)
			}
			o.one.Drop(&p.pool)
			o.one = p.stamp(g)
			return
		}
		s := p.stamp(g)
		if o.more == nil {
			o.more = p.freeLists.sums.Get()
		}
		o.more.JoinStamp(&p.pool, s, order)
		s.Drop(&p.pool)
	case trace.HardSwap:
		held := o.one
		o.one = p.stamp(g)
		p.learn(g, held)
		held.Drop(&p.pool)
		if o.more != nil {
			p.learnAll(g, o.more.Vec())
			p.resetMore(o)
		}
	}
}

func (p *Predictor) take(g *goroutine, o *object) {
	p.learn(g, o.one)
	if o.more != nil {
		p.learnAll(g, o.more.Vec())
	}
}
