package wcp

import (
	"github.com/racepred/racepred/internal/predict"
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

func (p *Predictor) begin(g *goroutine) { *g = goroutine{Thread: g.Thread, held: g.held[:0]} }

func (p *Predictor) resume(g, ended *goroutine) {
	g.h.JoinStamp(&p.pool, ended.final(), orderH)
	g.Known.Set(&p.pool, g.h.Share())
}

func (p *Predictor) mergeThreads(into, g *goroutine) {
	into.h.Join(&p.pool, g.h.Vec(), orderH)
	into.Known.Join(&p.pool, g.Known.Vec(), orderP)
	into.w.Join(&p.pool, g.w.Vec(), orderH)
	into.learned = true
	for _, s := range g.held {
		s.g = into.G
		into.held = predict.Append(&p.tables, into.held, s)
	}
}

// forgetClocks drops the vectors of a goroutine.
func (p *Predictor) forgetClocks(g *goroutine) {
	g.h.Reset(&p.pool)
	g.Known.Reset(&p.pool)
	g.w.Reset(&p.pool)
}

// acts takes in the first event of g's present epoch that rules look up (C1), and returns g, or the
// state of a shared slot. The events of a slot's earlier owners count as g's own: so P must include
// them, not just H.
func (p *Predictor) acts(g *goroutine) *goroutine {
	if g.Slot == threads.NoSlot {
		g = p.threads.Slot(g)
	}
	g.Acted = g.Now
	return g
}

// final is the clock of a goroutine's End. The goroutine keeps owning it.
func (g *goroutine) final() vclock.Stamp {
	return vclock.Stamp{Vec: g.h.Vec(), Slot: g.Slot, Time: g.Acted}
}

// fork is (W4) for a Fork.
func (p *Predictor) fork(ev *trace.Event) {
	g, id := p.of(ev.G), trace.G(ev.Other)
	s := p.whole(g)
	if p.threads.Get(id) == nil { // else it ran before its Fork: this is no trace of one run
		started := p.threads.Start(id, p.cells.Age)
		started.h.Set(&p.pool, s.Vec)
		started.Known.Set(&p.pool, s.p)
		started.w.Set(&p.pool, s.w)
		return
	}
	s.drop(&p.pool)
}

func (p *Predictor) end(id trace.G) {
	g := p.of(id)
	if p.threads.End(id, g); g.Ended {
		g.held = g.held[:0] // its sections stay open; another goroutine may release them
	}
}

// join is (W4) for a Join.
func (p *Predictor) join(ev *trace.Event) {
	g, child := p.of(ev.G), p.threads.Get(trace.G(ev.Other))
	if child == nil {
		if p.threads.Gone {
			p.joinGone(g)
		}
		return
	}
	s := child.final()
	if more := p.mustOrder(g, s.Vec, child.Known.Vec(), child.w.Vec()); more || s.Time != 0 && !p.slots.Knows(g.Known.Vec(), s) { // the vector may have more than the time says
		p.fired.edges++
	}
	if s.Time != 0 {
		p.raise(g, s.Slot, s.Time)
	}
	if !child.Ended {
		p.end(trace.G(ev.Other))
	}
}

// toAll reports whether every live goroutine did e itself or comes after it. The goroutine that did
// not know the last such event is looked at first.
func (p *Predictor) toAll(e vclock.Stamp) bool {
	return p.threads.Live(func(g *goroutine) bool { return p.ownSlot(g, &e) || p.slots.Knows(g.Known.Vec(), e) })
}

// joinGone is a Join of a goroutine whose End clock may be no longer kept: g comes after all that
// has happened.
func (p *Predictor) joinGone(g *goroutine) {
	var all vclock.Clock
	p.threads.Everything(&p.pool, &all)
	p.mustAll(g, all.Vec())
	all.Reset(&p.pool)
}
