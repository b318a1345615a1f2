package wcp

import (
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

// (W15) The memory for clocks, objects and locks is bounded. When it is full, those that have not
// been used for an age are forgotten (predict.Cells). A goroutine that uses the address of a
// forgotten one comes after all that had happened when that age began, by H, P and W, which
// includes what was forgotten. If that does not free enough memory, goroutines that did nothing for
// an age come after all that, too: then they share one clock.
//
// H, P and W only grow. All three get the same, which is closed under happens-before, so W is still
// closed under (W3), and has what rules (a) and (b) would add for the forgotten sections. A lock
// that is held is not forgotten. So there are fewer candidates and no new ones, except for pairs
// that (W13) excluded: the locks of the writes of a forgotten variable are not known any more.

// clocks is about how many bytes objects, locks, goroutines and their clocks take.
func (p *Predictor) clocks() int {
	return p.pool.Live + p.locks*lockBytes + p.cells.Len()*objectBytes + p.updated.Len()*updatedBytes + p.threads.Len()*goroutineBytes
}

// NewAge begins an age, and forgets what was not used in the one that ends, or everything. It is
// for tests.
func (p *Predictor) NewAge(all bool) { p.cells.NewAge(all) }

// happened adds all that has happened to a clock.
func (p *Predictor) happened(to *vclock.Clock) { p.threads.Happened(&p.pool, to) }

// held reports whether the cell has a lock that is held.
func held(c *cell) bool { return c.lock != nil && len(c.lock.open) > 0 }

// forgetRest forgets which locks are held at all unseen writes (W13), and makes goroutines that did
// nothing since before an age know what is forgotten, and no more.
func (p *Predictor) forgetRest(before uint32) {
	p.updated.Sweep(func(a trace.Addr, u *updated) bool {
		p.cells.Faint.Add(a)
		return p.forgetUpdated(u)
	})
	v := p.cells.Forgotten.Vec()
	p.threads.All(func(g *goroutine) bool {
		if g.Used < before && !g.Shared && g.h.Vec() != nil && (g.h.Vec() != v || g.Known.Vec() != v || g.w.Vec() != v) {
			g.h.Set(&p.pool, v.Hold())
			g.Known.Set(&p.pool, v.Hold())
			g.w.Set(&p.pool, v.Hold())
			g.learned, g.told = true, 0
			if g.Used != 0 { // for the first time since it went on
				g.Used = 0
				p.cells.Merged++
			}
		}
		return true
	})
}

// revive makes an object that holds nothing hold what is forgotten, as the clock of a release.
func (p *Predictor) revive(c *cell) {
	f := &p.cells.Forgotten
	c.one = stamp{vclock.Stamp{Vec: f.Share()}, f.Share(), f.Share(), 0}
}

// takeCoarse makes g come after all that was forgotten with a lock.
func (p *Predictor) takeCoarse(g *goroutine, l *lock) { p.mustOrder(g, l.coarse, l.coarse, l.coarse) }

func (p *Predictor) dropCoarse(l *lock) {
	p.pool.Drop(l.coarse)
	l.coarse = nil
}

func (p *Predictor) forgetUpdated(u *updated) bool {
	p.freeLists.updated.Put(u)
	return true
}
