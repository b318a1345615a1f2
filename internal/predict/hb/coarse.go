package hb

import (
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

// (H4) Clocks and objects have a bound. When they reach it, those objects are forgotten that have not been used for an age (predict.Room). Of their addresses one bit each
// remains. Whoever uses such an address again learns all that had happened when that age began, which includes what the object held. If that is not enough, goroutines
// that have not done anything for as long know all that from then on.
//
// This adds order, and never takes any away, so no race is made up. What goes unnoticed are races of an access before the age with one that comes after the use of
// a forgotten object. In such a race the run did the earlier access first for certain: its epoch had ended when the age began, so its goroutine had taken a ticket by then, and
// the other one took one when it used the object. So reads of these bytes are not uncertain (racy.go).

// coarse is what (H4) needs.
type coarse struct {
	began     vclock.Clock // what had happened when the present age began
	forgotten vclock.Clock // what comes before whoever uses a forgotten address
	merged    uint64       // forgotten objects that were used again, and goroutines that (H4) is about
}

// clocks is about how many bytes objects, goroutines and their clocks take.
func (p *Predictor) clocks() int {
	return p.pool.Live + p.cells.Len()*cellBytes + p.gs.Len()*goroutineBytes
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
	p.gs.All(func(g *goroutine) bool {
		if g.Slot != noSlot {
			p.began.Raise(&p.pool, g.Slot, g.Now-1)
		}
		return true
	})
}

// forgetOld forgets what was last used before an age: the new one, or else the one before it, when what is in old had happened.
func (p *Predictor) forgetOld(before uint32, old *vclock.Vec) {
	if before == p.room.Age {
		old = p.began.Vec()
	}
	p.forgotten.Set(&p.pool, old.Hold())
	p.cells.Sweep(func(a trace.Addr, c *cell) bool {
		if c.used >= before {
			return false
		}
		p.faint.Add(a)
		return p.forget(c)
	})
	if !p.room.High(p.clocks()) {
		return
	}
	p.gs.All(func(g *goroutine) bool {
		if g.used < before && !g.Shared && g.Known.Vec() != nil && g.Known.Vec() != p.forgotten.Vec() {
			g.Known.Set(&p.pool, p.forgotten.Share())
			g.learned, g.told = true, 0
			if g.used != 0 { // for the first time since it went on
				g.used = 0
				p.merged++
			}
		}
		return true
	})
}

// revive makes an object that was forgotten, one that holds nothing yet, hold what comes before whoever uses it.
func (p *Predictor) revive(o *object) {
	p.merged++
	o.more = p.freeLists.sums.Get()
	o.more.Set(&p.pool, p.forgotten.Share())
}
