package mustorder

import (
	"github.com/racepred/racepred/internal/predict/shadow"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

// writer is the last store of some bytes of a word. The vec of an unseen store includes the stores
// that it adds to.
type writer struct {
	vec  *vclock.Vec
	slot vclock.Slot
	time vclock.Time
	mask shadow.Mask
	adds bool // it is unseen, so vec may have more than its own goroutine knows

	addr  trace.Addr // of an unseen store: its bytes,
	size  uint32
	apart bool // and that some of the unseen stores in vec are of others
}

// writers has the last store of every byte. The records of a word have no bytes in common. A page
// as a whole has one record at most, which is older than those of its words. A store that is
// forgotten orders nothing, so there may be more candidates.
type writers struct {
	shadow.Table[writer]
}

// maxWriters bounds the stores that are remembered, by words.
const maxWriters = 1 << 20

// store makes g's present event the last store of its bytes.
func (p *Order) store(g *Goroutine, ev *trace.Event) {
	if ev.Size == 0 {
		return
	}
	p.writers.Extra = p.excess(writerBytes)
	for w, last := shadow.WordOf(ev.Addr), shadow.WordOf(ev.Addr+trace.Addr(ev.Size)-1); w <= last; w++ {
		if shadow.Covers(w, ev.Addr, ev.Size) {
			p.writers.Clear(trace.Addr(w)<<3, shadow.PageWords<<3, func(shadow.Word, *writer, shadow.Mask) bool { return false })
			p.writers.Add(shadow.Whole(w), writer{vec: g.p.Share(), slot: g.slot, time: g.now, mask: 0xff})
			w += shadow.PageWords - 1
			continue
		}
		m := shadow.MaskOf(w, ev.Addr, ev.Size)
		known := vclock.Clock{}
		known.Set(&p.pool, g.p.Share())
		apart := false
		if ev.Unseen() {
			p.eachWriter(w, m, func(s *writer) {
				if s.adds && (s.apart || s.addr != ev.Addr || s.size != ev.Size) {
					apart = true
					p.takeStore(g, s)
				}
				known.JoinStamp(&p.pool, vclock.Stamp{Vec: s.vec, Slot: s.slot, Time: s.time}, vclock.NoOrders)
			})
		}
		p.storeWord(writer{known.Vec().Hold(), g.slot, g.now, m, ev.Unseen(), ev.Addr, ev.Size, apart}, w)
		known.Reset(&p.pool)
	}
}

// storeWord is store for some bytes of a word. It takes over vec.
func (p *Order) storeWord(s writer, w shadow.Word) {
	list, _ := p.writers.Lists(w)
	var mine *writer
	for at := list; at != nil && *at != 0; {
		old, next := p.writers.At(*at)
		old.mask &^= s.mask
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
		p.writers.Add(w, s)
		return
	}
	p.pool.Drop(mine.vec)
	*mine = s
}

// readsFrom is (M3).
func (p *Order) readsFrom(g *Goroutine, ev *trace.Event) {
	if ev.Size == 0 {
		return
	}
	for w, last := shadow.WordOf(ev.Addr), shadow.WordOf(ev.Addr+trace.Addr(ev.Size)-1); w <= last; w++ {
		if list, _ := p.writers.Lists(w); list == nil { // nor has the page's rest
			w |= shadow.PageWords - 1
			continue
		}
		p.eachWriter(w, shadow.MaskOf(w, ev.Addr, ev.Size), func(s *writer) {
			p.takeStore(g, s)
		})
	}
}

// takeStore orders a store, and what it adds to, before g's next event.
func (p *Order) takeStore(g *Goroutine, s *writer) {
	if s.adds {
		g.p.Join(&p.pool, s.vec, vclock.NoOrders)
	}
	p.learn(g, ruleReadsFrom, s.vec, s.slot, s.time)
}

// eachWriter calls f with the last stores of some bytes of word w.
func (p *Order) eachWriter(w shadow.Word, missing shadow.Mask, f func(*writer)) {
	list, wide := p.writers.Lists(w)
	if list == nil {
		return
	}
	for at := list; *at != 0 && missing != 0; {
		s, next := p.writers.At(*at)
		if s.mask&missing != 0 {
			f(s)
			missing &^= s.mask
		}
		at = next
	}
	if wide != nil && missing != 0 {
		s, _ := p.writers.At(*wide)
		f(s)
	}
}
