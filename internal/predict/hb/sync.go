package hb

import (
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

func (p *Predictor) lock(a trace.Addr) *lock {
	l := p.locks.Get(a)
	if l == nil {
		l = &lock{}
		p.locks.Put(a, l)
	}
	return l
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
		l.old.JoinStamp(&p.pool, l.w)
	}
	l.owner = 0
	l.w.Drop(&p.pool)
	l.w = p.stamp(g)
}

func (p *Predictor) rrelease(ev *trace.Event) {
	g, l := p.of(ev.G), p.lock(ev.Addr)
	s := p.stamp(g)
	l.r.JoinStamp(&p.pool, s)
	s.Drop(&p.pool)
}

// object is what a synchronization object holds: nothing, one release, or one and more.
type object struct {
	one  vclock.Stamp
	more vclock.Clock
}

// (H3)
func (p *Predictor) hard(ev *trace.Event) {
	g, o := p.of(ev.G), p.objects.Get(ev.Addr)
	if o == nil {
		if ev.Kind == trace.HardAcquire {
			return
		}
		o = &object{}
		p.objects.Put(ev.Addr, o)
	}
	switch ev.Kind {
	case trace.HardAcquire:
		p.take(g, o)
	case trace.HardRelease:
		o.one.Drop(&p.pool)
		o.more.Reset(&p.pool)
		o.one = p.stamp(g)
	case trace.HardMerge:
		switch {
		case o.one.Time == 0:
			o.one = p.stamp(g)
		case p.knows(g, o.one):
			o.one.Drop(&p.pool)
			o.one = p.stamp(g)
		default:
			s := p.stamp(g)
			o.more.JoinStamp(&p.pool, s)
			s.Drop(&p.pool)
		}
	case trace.HardSwap:
		own, held := p.stamp(g), *o
		*o = object{one: own}
		p.take(g, &held)
		held.one.Drop(&p.pool)
		held.more.Reset(&p.pool)
	}
}

func (p *Predictor) take(g *goroutine, o *object) {
	p.learn(g, o.one)
	p.learnAll(g, o.more.Vec())
}
