package hb

import (
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

// Clocks remembers the clocks of goroutines, to check that none of them shrinks. The zero Clocks is
// ready to use.
type Clocks struct {
	at    map[trace.G]*vclock.Vec
	Count uint64 // how many clocks were compared with an earlier one
}

// Regressed reports whether the clock of a goroutine has less than when Regressed was last called
// with c, and which goroutine.
func (p *Predictor) Regressed(c *Clocks) (id trace.G, regressed bool) {
	now := map[trace.G]*vclock.Vec{}
	p.threads.All(func(g *goroutine) bool {
		if g.Shared {
			return true
		}
		now[g.G] = g.Known.Share()
		if old := c.at[g.G]; old != nil {
			c.Count++
			if !now[g.G].Covers(old) {
				id, regressed = g.G, true
			}
		}
		return true
	})
	for _, v := range c.at {
		p.pool.Drop(v)
	}
	c.at = now
	return id, regressed
}
