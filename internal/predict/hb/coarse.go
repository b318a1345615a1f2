package hb

import "github.com/racepred/racepred/internal/vclock"

// (H4) The memory for clocks and objects is bounded. When it is full, objects that have not been
// used for an age are forgotten (predict.Cells). A goroutine that uses the address of a forgotten
// object learns all that had happened when that age began, which includes what the object held. If
// that does not free enough memory, goroutines that did nothing for an age learn all that, too:
// then they share one clock.
//
// This adds order, and never takes any away, so no race is made up. A race goes unnoticed if its
// first access was before the age and its second after the use of a forgotten object. In such a
// race the run certainly did the first access first: its epoch had ended when the age began, so its
// goroutine had taken a ticket by then, and the other goroutine took one when it used the object.
// So reads of these bytes are not uncertain (racy.go).

// clocks is about how many bytes objects, goroutines and their clocks take.
func (p *Predictor) clocks() int {
	return p.pool.Live + p.cells.Len()*cellBytes + p.threads.Len()*goroutineBytes
}

// NewAge begins an age, and forgets what was not used in the one that ends, or everything. It is
// for tests.
func (p *Predictor) NewAge(all bool) { p.cells.NewAge(all) }

// happened adds all that has happened to a clock.
func (p *Predictor) happened(to *vclock.Clock) { p.threads.Happened(&p.pool, to) }

// forgetGoroutines makes goroutines that did nothing since before an age know what is forgotten,
// and no more.
func (p *Predictor) forgetGoroutines(before uint32) {
	v := p.cells.Forgotten.Vec()
	p.threads.All(func(g *goroutine) bool {
		if g.Used < before && !g.Shared && g.Known.Vec() != nil && g.Known.Vec() != v {
			g.Known.Set(&p.pool, v.Hold())
			g.learned, g.told = true, 0
			if g.Used != 0 { // for the first time since it went on
				g.Used = 0
				p.cells.Merged++
			}
		}
		return true
	})
}

// revive makes an object that holds nothing hold what is forgotten.
func (p *Predictor) revive(c *cell) {
	c.more = p.freeLists.sums.Get()
	c.more.Set(&p.pool, p.cells.Forgotten.Share())
}
