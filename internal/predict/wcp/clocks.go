package wcp

import (
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

// This file has the clocks of goroutines, and what their edges pass on.
//
// (C1) Rules look up the epochs of some events only: of accesses, for races; of a soft section's
// acquire, for rule (b); of its release, for rules (a) and (b) and to see that a goroutine need not
// learn the lock's P. So an epoch ends with the first edge out of the goroutine after such an
// event, and not with every edge. Until the next such event, later edges have the same time. A
// goroutine that knows a time, by H or by P, still knows all that was done in the epoch, since
// every edge with that time comes after the epoch's last such event.
//
// (C2) A goroutine that knows a time also knows the H, P and W of that time. So edges with the same
// time must pass on the same H, P and W. If a goroutine has learned something since the first of
// these edges, the later ones have vectors without a time, which include the goroutine's own time,
// and receivers compare vectors. The edges of locks have no P: a goroutine that knows a release by
// H has its W by (W3).
//
// (C3) So a goroutine that only has hard edges and hard sections needs no epochs and no slot. Its
// edges pass on the vector that it has.
//
// (C4) Without edges of locks, as between goroutines that only use channels, H and P have the same
// times. Then they are one vector, and an edge costs no more than under happens-before. Soft
// sections make them two vectors. A hard edge from a goroutine whose H and P are one vector that
// includes the receiver's H makes them one again. So does (C4) whenever they have the same times
// after such an edge (unite): where locks and channels take turns that is after most edges.

// (C5) A vector's origin is the first edge with a time that passed it on, by (C2): goroutines that
// know that edge by P have its P and W, and those that know it by H or by W have its H as well.
const (
	orderH vclock.Orders = 1 << iota // of H, and of W, which is closed under happens-before (W3)
	orderP
)

// stamp is the clock of an event, and its goroutine. The vector is H; p and w are P and W without
// the event itself.
type stamp struct {
	vclock.Stamp
	p, w *vclock.Vec
	by   trace.G // of a goroutine with a shared slot, the slot's name
}

// drop drops the vectors and makes the stamp zero.
func (s *stamp) drop(pool *vclock.Pool) {
	s.Stamp.Drop(pool)
	pool.Drop(s.p)
	pool.Drop(s.w)
	*s = stamp{}
}

// hold returns a copy of s with counts of its own.
func (s stamp) hold() stamp {
	s.Vec.Hold()
	s.p.Hold()
	s.w.Hold()
	return s
}

// sum is the clock of many events: the clocks of a few goroutines' latest, as they are, and of the
// others as one clock. An atomic variable that several goroutines load in turn has a few until it
// is changed: to replace a goroutine's last one costs much less than a join. As long as H and P of
// each of the others are one vector, h is P, too.
type sum struct {
	few   [fewEvents]stamp
	n     int // how many of few there are
	h, p  vclock.Sum
	w     vclock.Clock
	apart bool // p is P
}

const fewEvents = 6

// add adds a stamp, and takes it over.
func (s *sum) add(pool *vclock.Pool, st stamp) {
	if s.n == fewEvents {
		for i := range s.few {
			s.join(pool, &s.few[i])
			s.few[i].drop(pool)
		}
		s.n = 0
	}
	s.few[s.n] = st
	s.n++
}

// drop drops one of the few.
func (s *sum) drop(pool *vclock.Pool, i int) {
	s.few[i].drop(pool)
	s.n--
	s.few[i], s.few[s.n] = s.few[s.n], stamp{}
}

// join adds a stamp, which the caller keeps.
func (s *sum) join(pool *vclock.Pool, st *stamp) {
	if st.Vec != st.p && !s.apart {
		s.apart = true
		s.p.Set(pool, s.h.Share())
	}
	s.h.JoinStamp(pool, st.Stamp, orderH)
	if s.apart {
		s.p.JoinStamp(pool, vclock.Stamp{Vec: st.p, Slot: st.Slot, Time: st.Time}, orderP)
	}
	s.w.Join(pool, st.w, orderH)
}

// known is P.
func (s *sum) known() *vclock.Vec {
	if s.apart {
		return s.p.Vec()
	}
	return s.h.Vec()
}

func (s *sum) reset(pool *vclock.Pool) {
	for s.n > 0 {
		s.drop(pool, s.n-1)
	}
	s.h.Reset(pool)
	s.p.Reset(pool)
	s.w.Reset(pool)
	s.apart = false
}

// own reports whether the stamp is g's, or of an earlier owner of its slot. Then g knows it without
// an edge.
func (p *Predictor) own(g *goroutine, s *stamp) bool {
	return s.by == g.G || p.ownSlot(g, &s.Stamp)
}

// ownSlot is own for a stamp with a time, if it has one.
func (p *Predictor) ownSlot(g *goroutine, s *vclock.Stamp) bool {
	return s.Slot == g.Slot && s.Time != 0 && !p.slots.Stale(s.Slot, s.Time)
}

// stamp is the clock of g's present event, for an edge out of it. It ends the epoch if the epoch
// has an event that rules look up (C1). The caller owns the stamp.
func (p *Predictor) stamp(g *goroutine) stamp {
	if g.EndEpoch() {
		g.learned = false
	}
	if g.learned { // (C2)
		return p.whole(g)
	}
	g.edges++
	g.Known.Vec().Sign(orderH|orderP, g.Slot, g.Acted) // (C5)
	g.w.Vec().Sign(orderH|orderP, g.Slot, g.Acted)
	g.h.Vec().Sign(orderH, g.Slot, g.Acted)
	return stamp{vclock.Stamp{Vec: g.h.Share(), Slot: g.Slot, Time: g.Acted}, g.Known.Share(), g.w.Share(), g.G}
}

// same reports whether the stamp of an earlier event is that of g's present event, too.
func (p *Predictor) same(g *goroutine, s *stamp) bool {
	return s.by == g.G && g.Acted != g.Now && s.Vec == g.h.Vec() && s.p == g.Known.Vec() && s.w == g.w.Vec() && (s.Time == g.Acted || s.Time == 0 && g.told == g.Acted)
}

// whole is the clock of g's present event without a time: its vectors include the goroutine's own
// time. The caller owns it.
func (p *Predictor) whole(g *goroutine) stamp {
	g.edges++
	g.EndEpoch()
	if g.Acted != 0 {
		g.learned = true // the next edge then has the same vectors
		if g.told != g.Acted {
			g.told = g.Acted
			p.both(g, func(c *vclock.Clock, _ vclock.Orders) bool { // no rule looks up the own time in H or P
				c.Raise(&p.pool, g.Slot, g.Acted)
				return true
			})
		}
	}
	return stamp{vclock.Stamp{Vec: g.h.Share()}, g.Known.Share(), g.w.Share(), g.G}
}

// both changes H and P in the same way, and keeps them one vector if they are. (C4)
func (p *Predictor) both(g *goroutine, change func(*vclock.Clock, vclock.Orders) bool) bool {
	if g.h.Vec() != g.Known.Vec() {
		h, all := change(&g.h, orderH), change(&g.Known, orderP)
		return h || all
	}
	g.Known.Reset(&p.pool) // so that H may change in place
	more := change(&g.h, orderH)
	g.Known.Set(&p.pool, g.h.Share())
	return more
}

// mustOrder is (W4) from events whose H, P and W are h, known and w. It returns false if g knew all
// of them.
func (p *Predictor) mustOrder(g *goroutine, h, known, w *vclock.Vec) bool {
	if h == nil || h == g.h.Vec() && known == g.Known.Vec() && (w == nil || w == g.w.Vec()) {
		return false
	}
	var more bool
	apart := g.h.Vec() != g.Known.Vec()
	if h == known {
		more = p.both(g, func(c *vclock.Clock, o vclock.Orders) bool { return c.Join(&p.pool, h, o) })
	} else {
		inH, inP := g.h.Join(&p.pool, h, orderH), g.Known.Join(&p.pool, known, orderP)
		more = inH || inP
	}
	if g.w.Join(&p.pool, w, orderH) {
		more = true
	}
	g.learned = g.learned || more
	if more && apart {
		p.unite(g)
	}
	return more
}

// maxApart is how many edges unite leaves out at most.
const maxApart = 31

// unite makes H and P one vector if they have the same times. It looks less often the longer they
// do not. With one vector an edge takes one join, also for those whom the goroutine gives it to: of
// the 2.8 million joins of two vectors in a trace of 23 million events (a multiplexed connection
// with 2000 streams) 0.13 million are left, and all of the analysis takes 0.83 of the time.
func (p *Predictor) unite(g *goroutine) {
	if g.uniteIn > 0 {
		g.uniteIn--
		return
	}
	if g.Known.Vec().Covers(g.h.Vec()) { // P is never more than H
		g.h.Set(&p.pool, g.Known.Share())
		g.uniteAfter = 0
		return
	}
	g.uniteAfter = min(2*g.uniteAfter+1, maxApart)
	g.uniteIn = g.uniteAfter
}

// raise adds one time to H and P of g, which already knows what every reordering keeps before it.
func (p *Predictor) raise(g *goroutine, s vclock.Slot, t vclock.Time) {
	if g.Known.At(s) >= t && g.h.At(s) >= t {
		return
	}
	g.learned = true
	p.both(g, func(c *vclock.Clock, _ vclock.Orders) bool {
		c.Raise(&p.pool, s, t)
		return true
	})
}

// knows reports whether H, P and W of g include those of the stamp. It may return false though they
// do.
func (p *Predictor) knows(g *goroutine, s *stamp) bool {
	if s.Time == 0 {
		return p.covers(g, s.Vec, s.p, s.w)
	}
	return p.slots.Knows(g.Known.Vec(), s.Stamp)
}

// covers reports whether H, P and W of g are at least h, known and w.
func (p *Predictor) covers(g *goroutine, h, known, w *vclock.Vec) bool {
	one := h == known && g.h.Vec() == g.Known.Vec() // (C4)
	return g.Known.Vec().CoversIn(&p.pool, known, orderP) && (one || g.h.Vec().CoversIn(&p.pool, h, orderH)) && g.w.Vec().CoversIn(&p.pool, w, orderH)
}

// mustStamp is (W4): an edge that no reordering breaks, from the stamp to g's present event.
func (p *Predictor) mustStamp(g *goroutine, s *stamp) {
	switch {
	case p.own(g, s):
	case s.Time == 0:
		if p.mustOrder(g, s.Vec, s.p, s.w) {
			p.fired.edges++
		}
	case !p.slots.Knows(g.Known.Vec(), s.Stamp):
		p.fired.edges++
		p.mustOrder(g, s.Vec, s.p, s.w)
		p.raise(g, s.Slot, s.Time)
	}
}

// mustAll makes g come after all that happened before an event with H v.
func (p *Predictor) mustAll(g *goroutine, v *vclock.Vec) { p.mustOrder(g, v, v, nil) }
