package wcp

import (
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

// (W15) Clocks, objects, pins and locks have a bound. When they reach it, those are forgotten that have not been used for an age (predict.Room). Of their addresses one bit
// each remains. Whoever uses such an address again comes after all that had happened when that age began, by H, P and W, which includes what was forgotten. If that is
// not enough, goroutines that have not done anything for as long know all that from then on.
//
// H, P and W only grow, and what they get is the same and closed under happens-before, so W is still closed under (W3), and what rules (a) and (b) would say of the
// forgotten sections they know already. A lock that is held is not forgotten. So there are fewer candidates and no others, but for pairs
// that (W13) excluded: which locks the writes of a forgotten variable had is not known any more.

// coarse is what (W15) needs.
type coarse struct {
	began     vclock.Clock // what had happened when the present age began
	forgotten vclock.Clock // what comes before whoever uses a forgotten address
	merged    uint64       // forgotten objects that were used again, and goroutines that (W15) is about
}

// clocks is about how many bytes objects, pins, locks, goroutines and their clocks take.
func (p *Predictor) clocks() int {
	return p.pool.Live + p.locks*lockBytes + (p.cells.Len()+p.pins)*objectBytes + p.updated.Len()*updatedBytes + p.gs.Len()*goroutineBytes
}

// makeRoom begins a new age.
func (p *Predictor) makeRoom() {
	p.latest = nobody // so that a goroutine that goes on is seen to be in use
	old := p.began.Share()
	p.begin()
	p.room.Make(p.clocks, func(before uint32) { p.forgetOld(before, old) })
	p.pool.Drop(old)
}

// begin notes all that has happened.
func (p *Predictor) begin() {
	p.slots.Ended(&p.pool, &p.began)
	for _, g := range p.live {
		if g.Slot != noSlot {
			p.began.Raise(&p.pool, g.Slot, g.Now-1)
		}
	}
}

// forgetOld forgets what was last used before an age: the new one, or else the one before it, when what is in old had happened.
func (p *Predictor) forgetOld(before uint32, old *vclock.Vec) {
	if before == p.room.Age {
		old = p.began.Vec()
	}
	p.forgotten.Set(&p.pool, old.Hold())
	p.cells.Sweep(func(a trace.Addr, c *cell) bool {
		if c.used >= before || c.lock != nil && len(c.lock.open) > 0 {
			return false
		}
		p.faint.Add(a)
		return p.forget(c)
	})
	if !p.room.High(p.clocks()) {
		return
	}
	p.updated.Sweep(func(a trace.Addr, u *updated) bool {
		p.faint.Add(a)
		return p.forgetUpdated(u)
	})
	v := p.forgotten.Vec()
	p.gs.All(func(g *goroutine) bool {
		if g.used < before && !g.Shared && g.h.Vec() != nil && (g.h.Vec() != v || g.Known.Vec() != v || g.w.Vec() != v) {
			g.h.Set(&p.pool, v.Hold())
			g.Known.Set(&p.pool, v.Hold())
			g.w.Set(&p.pool, v.Hold())
			g.learned, g.told = true, 0
			if g.used != 0 { // for the first time since it went on
				g.used = 0
				p.merged++
			}
		}
		return true
	})
}

// stamp is the clock of all that was forgotten. The caller owns it.
func (c *coarse) stamp() stamp {
	return stamp{vclock.Stamp{Vec: c.forgotten.Share()}, c.forgotten.Share(), c.forgotten.Share(), 0}
}

// revive makes an object that was forgotten, one that holds nothing yet, hold what comes before whoever uses it.
func (p *Predictor) revive(o *object) {
	p.merged++
	o.one = p.coarse.stamp()
}

// revivePin is revive for a pin.
func (p *Predictor) revivePin(o *pin) { o.change = p.coarse.stamp() }

// takeCoarse makes g come after all that was forgotten with a lock.
func (p *Predictor) takeCoarse(g *goroutine, l *lock) { p.must(g, l.coarse, l.coarse, l.coarse) }

func (p *Predictor) dropCoarse(l *lock) {
	p.pool.Drop(l.coarse)
	l.coarse = nil
}

func (p *Predictor) forgetUpdated(u *updated) bool {
	p.freeLists.updated.Put(u)
	return true
}
