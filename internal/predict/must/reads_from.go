package must

import (
	"github.com/racepred/racepred/internal/predict/shadow"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

// writer is the last store of some bytes of a word.
type writer struct {
	vec  *vclock.Vec
	slot vclock.Slot
	time vclock.Time
	mask shadow.Mask
}

// writers has the last store of every byte: the records of a word have no bytes in common, and are newer than those of its page
// as a whole, of which there is one at most. A store that is forgotten orders nothing, so there may be more candidates.
type writers struct {
	shadow.Table[writer]
}

// maxWriters bounds the stores that are remembered, by words.
const maxWriters = 1 << 20

// store notes g's present event as the last store of its bytes.
func (p *Order) store(g *Goroutine, ev *trace.Event) {
	if ev.Size == 0 {
		return
	}
	for w, last := shadow.WordOf(ev.Addr), shadow.WordOf(ev.Addr+trace.Addr(ev.Size)-1); w <= last; w++ {
		if shadow.Covers(w, ev.Addr, ev.Size) {
			p.writers.Clear(trace.Addr(w)<<3, shadow.PageWords<<3, func(*writer, shadow.Mask) bool { return false }, nil)
			p.writers.Add(shadow.Whole(w), writer{g.p.Share(), g.slot, g.now, 0xff})
			w += shadow.PageWords - 1
			continue
		}
		p.storeWord(g, w, shadow.MaskOf(w, ev.Addr, ev.Size))
	}
}

func (p *Order) storeWord(g *Goroutine, w shadow.Word, m shadow.Mask) {
	list, _ := p.writers.Lists(w)
	var mine *writer
	for at := list; at != nil && *at != 0; {
		old, next := p.writers.At(*at)
		old.mask &^= m
		switch {
		case old.mask != 0:
		case mine == nil:
			mine = old
		default:
			p.pool.Drop(old.vec)
			p.writers.Remove(w, at)
			continue
		}
		at = next
	}
	if mine == nil {
		p.writers.Add(w, writer{g.p.Share(), g.slot, g.now, m})
		return
	}
	if mine.vec != g.p.Vec() {
		p.pool.Drop(mine.vec)
		mine.vec = g.p.Share()
	}
	mine.slot, mine.time, mine.mask = g.slot, g.now, m
}

// readsFrom is (M3).
func (p *Order) readsFrom(g *Goroutine, ev *trace.Event) {
	if ev.Size == 0 {
		return
	}
	for w, last := shadow.WordOf(ev.Addr), shadow.WordOf(ev.Addr+trace.Addr(ev.Size)-1); w <= last; w++ {
		list, wide := p.writers.Lists(w)
		if list == nil { // nor has the page's rest
			w |= shadow.PageWords - 1
			continue
		}
		missing := shadow.MaskOf(w, ev.Addr, ev.Size)
		for at := list; *at != 0 && missing != 0; {
			s, next := p.writers.At(*at)
			if s.mask&missing != 0 {
				p.learn(g, ruleReadsFrom, s.vec, s.slot, s.time)
				missing &^= s.mask
			}
			at = next
		}
		if wide != nil && missing != 0 {
			s, _ := p.writers.At(*wide)
			p.learn(g, ruleReadsFrom, s.vec, s.slot, s.time)
		}
	}
}
