package wcp

import (
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

// What goroutines know, and what of it leaves them.
//
// (C1) An epoch is a time that others can ask for: of accesses, for races; of a soft section's acquire, for rule (b); of its release, for rules (a)
// and (b) and for those that need not learn the lock's P. Nobody asks for anything else by its time. So an epoch ends with the first edge out of the goroutine after
// one of these, and not with every edge: until another one, edges say the same time again. To know of a time, by H or by P, is still to know of all that was
// done in it, since every edge that says it comes after the last of that.
//
// (C2) To know of a time is also to know all that was known at it, H, P and W: edges that say the same time must say the same of these. What a goroutine
// learns after the first of them goes out as vectors without a time, the goroutine's own included, and whoever gets them compares vectors. The edges of
// locks have no P: a goroutine that knows a release by H has its W by (W3).
//
// (C3) A goroutine that only has hard edges, and sections that are hard, so needs no epochs and no slot. What it passes on is the very vector that it has.
//
// (C4) Where there are no edges of locks, as in goroutines that know each other by channels, H and P are the same times. Then they are one vector,
// and what one learns costs no more than under happens-before. Soft sections make them two; a hard edge from somebody whose two are one and who knew all that H does
// makes them one again.

// stamp is the clock of an event and whose it is. Its vector is H; what P and W include beside the event itself is in p and w.
type stamp struct {
	vclock.Stamp
	p, w *vclock.Vec
	by   trace.G // the name of the shared slot, where one is shared
}

// drop gives up what the stamp holds and makes it nobody's.
func (s *stamp) drop(pool *vclock.Pool) {
	s.Stamp.Drop(pool)
	pool.Drop(s.p)
	pool.Drop(s.w)
	*s = stamp{}
}

// hold returns s with a count of its own.
func (s stamp) hold() stamp {
	s.Vec.Hold()
	s.p.Hold()
	s.w.Hold()
	return s
}

// sum is a stamp of many events. As long as H and P of all were one vector, h is P, too.
type sum struct {
	h, p  vclock.Sum
	w     vclock.Clock
	apart bool
}

// join adds a stamp, which the caller keeps.
func (s *sum) join(pool *vclock.Pool, st *stamp) {
	if st.Vec != st.p && !s.apart {
		s.apart = true
		s.p.Set(pool, s.h.Share())
	}
	s.h.JoinStamp(pool, st.Stamp)
	if s.apart {
		s.p.JoinStamp(pool, vclock.Stamp{Vec: st.p, Slot: st.Slot, Time: st.Time})
	}
	s.w.Join(pool, st.w)
}

// known is P.
func (s *sum) known() *vclock.Vec {
	if s.apart {
		return s.p.Vec()
	}
	return s.h.Vec()
}

func (s *sum) reset(pool *vclock.Pool) {
	s.h.Reset(pool)
	s.p.Reset(pool)
	s.w.Reset(pool)
	s.apart = false
}

// own reports whether the stamp is g's, or of an earlier owner of its slot, and so known by the goroutine's order.
func (p *Predictor) own(g *goroutine, s *stamp) bool {
	return s.by == g.g || p.ownSlot(g, &s.Stamp)
}

// ownSlot is own for a stamp with a time, if it has one.
func (p *Predictor) ownSlot(g *goroutine, s *vclock.Stamp) bool {
	return s.Slot == g.Slot && s.Time != 0 && !p.slots.Stale(s.Slot, s.Time)
}

// stamp is the clock of g's present event, for others to learn, and ends the epoch if there is something in it that others ask for. The caller owns it.
func (p *Predictor) stamp(g *goroutine) stamp {
	if g.acted == g.Now {
		g.learned = false
		if g.Now < vclock.MaxTime {
			g.Now++
		}
	}
	if g.learned { // (C2)
		return p.whole(g)
	}
	g.edges++
	return stamp{vclock.Stamp{Vec: g.h.Share(), Slot: g.Slot, Time: g.acted}, g.Known.Share(), g.w.Share(), g.g}
}

// whole is the clock of g's present event without a time, in vectors with the goroutine's own one. The caller owns it.
func (p *Predictor) whole(g *goroutine) stamp {
	g.edges++
	if g.acted == g.Now && g.Now < vclock.MaxTime {
		g.Now++
	}
	if g.acted != 0 {
		g.learned = true // who gets the next edge may get the same vectors
		if g.told != g.acted {
			g.told = g.acted
			p.both(g, func(c *vclock.Clock) bool { // nobody asks H or P for the own time
				c.Raise(&p.pool, g.Slot, g.acted)
				return true
			})
		}
	}
	return stamp{vclock.Stamp{Vec: g.h.Share()}, g.Known.Share(), g.w.Share(), g.g}
}

// both changes H and P in the same way, and keeps them one vector if they are. (C4)
func (p *Predictor) both(g *goroutine, change func(*vclock.Clock) bool) bool {
	if g.h.Vec() != g.Known.Vec() {
		h, all := change(&g.h), change(&g.Known)
		return h || all
	}
	g.Known.Reset(&p.pool) // so that H may change in place
	more := change(&g.h)
	g.Known.Set(&p.pool, g.h.Share())
	return more
}

// must is (W4) from all that is in h, known and w, which are H, P and W of one or more events. It reports false when all that was known.
func (p *Predictor) must(g *goroutine, h, known, w *vclock.Vec) bool {
	if h == nil || h == g.h.Vec() && known == g.Known.Vec() && (w == nil || w == g.w.Vec()) {
		return false
	}
	var more bool
	if h == known {
		more = p.both(g, func(c *vclock.Clock) bool { return c.Join(&p.pool, h) })
	} else {
		inH, inP := g.h.Join(&p.pool, h), g.Known.Join(&p.pool, known)
		more = inH || inP
	}
	if g.w.Join(&p.pool, w) {
		more = true
	}
	g.learned = g.learned || more
	return more
}

// raise makes g know, by H and P, of one time, of which it knows what every reordering keeps before it.
func (p *Predictor) raise(g *goroutine, s vclock.Slot, t vclock.Time) {
	if g.Known.At(s) >= t && g.h.At(s) >= t {
		return
	}
	g.learned = true
	p.both(g, func(c *vclock.Clock) bool {
		c.Raise(&p.pool, s, t)
		return true
	})
}

// knows reports whether g knows all that the stamp knows, each by the same order. It may say false when g does.
func (p *Predictor) knows(g *goroutine, s *stamp) bool {
	if s.Time == 0 {
		return g.h.Vec().Covers(s.Vec) && g.Known.Vec().Covers(s.p) && g.w.Vec().Covers(s.w)
	}
	return p.slots.Knows(g.Known.Vec(), s.Stamp)
}

// mustStamp is (W4): an edge that no reordering breaks, from the stamp to g's present event.
func (p *Predictor) mustStamp(g *goroutine, s *stamp) {
	switch {
	case p.own(g, s):
	case s.Time == 0:
		if p.must(g, s.Vec, s.p, s.w) {
			p.fired.edges++
		}
	case !p.slots.Knows(g.Known.Vec(), s.Stamp):
		p.fired.edges++
		p.must(g, s.Vec, s.p, s.w)
		p.raise(g, s.Slot, s.Time)
	}
}

// mustAll makes g come after all that happened before an event, whose H v is.
func (p *Predictor) mustAll(g *goroutine, v *vclock.Vec) { p.must(g, v, v, nil) }
