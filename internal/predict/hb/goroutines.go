package hb

import (
	"github.com/racepred/racepred/internal/predict/threads"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

// of is the goroutine's state.
func (p *Predictor) of(id trace.G) *goroutine {
	if g := p.threads.Latest; g.G == id && !g.Ended {
		return g
	}
	return p.threads.Find(id, p.cells.Age)
}

func (p *Predictor) begin(g *goroutine) { g.told, g.learned = 0, false }

func (p *Predictor) resume(g, ended *goroutine) { g.Known.JoinStamp(&p.pool, ended.final(), order) }

func (p *Predictor) merge(into, g *goroutine) {
	into.Known.Join(&p.pool, g.Known.Vec(), order)
	into.learned = true
}

func (p *Predictor) forgetClock(g *goroutine) { g.Known.Reset(&p.pool) }

// acts takes in the first access of g's present epoch, and returns g, or the state of a shared
// slot.
func (p *Predictor) acts(g *goroutine) *goroutine {
	if g.Slot == threads.NoSlot {
		g = p.threads.Slot(g)
	}
	g.Acted = g.Now
	return g
}

// order is the one order of this predictor's clocks. A vector's origin is the first edge with a
// time that passed it on.
const order vclock.Orders = 1

// stamp is the clock of g's present event, for an edge out of it. It ends the epoch if that has an
// access; an epoch without one is never looked up. The caller owns the stamp.
//
// All stamps with one time include the same. After g has learned something since the first of them,
// the next ones are whole.
func (p *Predictor) stamp(g *goroutine) vclock.Stamp {
	if g.EndEpoch() {
		g.learned = false
	}
	if g.learned {
		return vclock.Stamp{Vec: p.whole(g)}
	}
	g.Known.Vec().Sign(order, g.Slot, g.Acted)
	return vclock.Stamp{Vec: g.Known.Share(), Slot: g.Slot, Time: g.Acted}
}

// whole is the clock of g's present event as one vector without a time. The caller owns it.
// Goroutines without accesses pass it on as it is, so that all share one vector.
func (p *Predictor) whole(g *goroutine) *vclock.Vec {
	g.EndEpoch()
	if g.Acted != 0 {
		if g.told != g.Acted {
			g.told = g.Acted
			g.Known.Raise(&p.pool, g.Slot, g.Acted)
		}
		g.learned = true
	}
	return g.Known.Share()
}

// final is the clock of a goroutine's End. The goroutine keeps owning it.
func (g *goroutine) final() vclock.Stamp {
	return vclock.Stamp{Vec: g.Known.Vec(), Slot: g.Slot, Time: g.Acted}
}

// learn adds what a stamp includes to the clock of g.
func (p *Predictor) learn(g *goroutine, s vclock.Stamp) {
	if s.Time == 0 {
		p.learnAll(g, s.Vec)
	} else if !p.knowsAt(g, s) {
		p.learned++
		g.learned = true
		g.Known.JoinStamp(&p.pool, s, order)
	}
}

// learnAll adds v to the clock of g.
func (p *Predictor) learnAll(g *goroutine, v *vclock.Vec) {
	if g.Known.Join(&p.pool, v, order) {
		p.learned++
		g.learned = true
	}
}

// knows reports whether the clock of g includes the stamp.
func (p *Predictor) knows(g *goroutine, s vclock.Stamp) bool {
	if s.Time == 0 {
		return g.Known.Vec().CoversIn(&p.pool, s.Vec, order)
	}
	return p.knowsAt(g, s)
}

// knowsAt is knows for a stamp with a time: a goroutine that knows the time knows all that its
// stamps include. It may return false though g does.
func (p *Predictor) knowsAt(g *goroutine, s vclock.Stamp) bool {
	return s.Slot == g.Slot && !p.slots.Stale(s.Slot, s.Time) || p.slots.Knows(g.Known.Vec(), s)
}

// (H1)
func (p *Predictor) fork(ev *trace.Event) {
	g, id := p.of(ev.G), trace.G(ev.Other)
	v := p.whole(g)
	if p.threads.Get(id) == nil { // else it ran before its Fork: this is no trace of one run
		p.threads.Start(id, p.cells.Age).Known.Set(&p.pool, v)
		return
	}
	p.pool.Drop(v)
}

func (p *Predictor) end(id trace.G) { p.threads.End(id, p.of(id)) }

// (H1)
func (p *Predictor) join(ev *trace.Event) {
	g, child := p.of(ev.G), p.threads.Get(trace.G(ev.Other))
	if child == nil {
		if p.threads.Gone {
			p.joinGone(g)
		}
		return
	}
	g.Known.JoinStamp(&p.pool, child.final(), order)
	g.learned = true
	if !child.Ended {
		p.end(trace.G(ev.Other))
	}
}

// joinGone is a Join of a goroutine whose End clock may be no longer kept: g learns all that has
// happened.
func (p *Predictor) joinGone(g *goroutine) {
	var all vclock.Clock
	p.threads.Everything(&p.pool, &all)
	p.learnAll(g, all.Vec())
	all.Reset(&p.pool)
}
