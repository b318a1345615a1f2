package wcp

import (
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

// What goroutines know, and what of it leaves them.
//
// (C1) An epoch is a time that others can ask for: of accesses, for races; of a soft section's acquire, for rule (b); of its release, for rules (a)
// and (b) and for who need not learn the lock's P. Nobody asks for anything else by its time. So an epoch ends with the first edge out of the goroutine after
// one of these, and not with every edge: until another one, edges say the same time again. To know of a time, by H or by P, is still to know of all that was
// done in it, since every edge that says it comes after the last of that.
//
// (C2) To know of a time is also to know all that was known at it, H: edges that say the same time must say the same H. What a goroutine
// learns after the first of them goes out as a vector without a time, the goroutine's own included, and whoever gets it compares vectors. P is in edges
// of locks only, beside H: a release has an epoch of its own, and who knows that by H has the release's P by (W3).
//
// (C3) A goroutine that only has hard edges, and sections that are hard, so needs no epochs and no slot. What it passes on is the very vector that it has.
//
// (C4) A hard edge gives the same to H and P, (W4). As long as there were no others, as in goroutines that know each other by channels, both are
// the same times, the goroutine's own ones included: those that came back to it came by hard edges. Then they are one vector, and what one learns costs no more than under
// happens-before. Soft sections make them two; a hard edge from somebody who knew all that H does makes them one again. That is why a goroutine's own
// time is not put into its H when it passes that on, but into a vector beside (out).

// stamp is the clock of an event and whose it is.
type stamp struct {
	vclock.Stamp
	by trace.G // not of the crowd, but who stands for it
}

// drop gives up what the stamp holds and makes it nobody's.
func (s *stamp) drop(p *vclock.Pool) {
	s.Stamp.Drop(p)
	s.by = 0
}

// hold returns s with a count of its own.
func (s stamp) hold() stamp {
	s.Vec.Hold()
	return s
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
		return stamp{vclock.Stamp{Vec: p.whole(g)}, g.g}
	}
	g.edges++
	return stamp{vclock.Stamp{Vec: g.h.Share(), Slot: g.Slot, Time: g.acted}, g.g}
}

// whole is the H of g's present event as one vector, with a count for the caller.
func (p *Predictor) whole(g *goroutine) *vclock.Vec {
	g.edges++
	if g.acted == g.Now && g.Now < vclock.MaxTime {
		g.Now++
	}
	if g.acted == 0 {
		return g.h.Share()
	}
	g.learned = true // who gets the next edge may get the same vector
	if g.h.At(g.Slot) >= g.acted {
		return g.h.Share()
	}
	if g.h.Vec() != g.Known.Vec() { // nobody asks H for the own time
		g.h.Raise(&p.pool, g.Slot, g.acted)
		return g.h.Share()
	}
	if g.out.Vec() == nil { // (C4)
		g.out.Set(&p.pool, g.h.Share())
		g.out.Raise(&p.pool, g.Slot, g.acted)
	}
	return g.out.Share()
}

// unsaid is called when whole is going to be another one.
func (p *Predictor) unsaid(g *goroutine) {
	if g.out.Vec() != nil {
		g.out.Reset(&p.pool)
	}
}

// must is (W4) from all that v includes. It reports false when all that was known by WCP.
func (p *Predictor) must(g *goroutine, v *vclock.Vec) bool {
	return v != nil && v != g.Known.Vec() && p.mustAll(g, v)
}

func (p *Predictor) mustAll(g *goroutine, v *vclock.Vec) bool {
	p.unsaid(g)
	var more bool
	if g.h.Vec() == g.Known.Vec() { // (C4)
		g.Known.Reset(&p.pool) // so that H may change in place
		more = g.h.Join(&p.pool, v)
		g.Known.Set(&p.pool, g.h.Share())
	} else {
		h, all := g.h.Join(&p.pool, v), g.Known.Join(&p.pool, v)
		more = h || all
	}
	g.learned = g.learned || more
	return more
}

// raise makes g know, by H and P, of one time, all before which it knows.
func (p *Predictor) raise(g *goroutine, s vclock.Slot, t vclock.Time) {
	if g.Known.At(s) >= t {
		return
	}
	p.unsaid(g)
	g.learned = true
	if g.h.Vec() == g.Known.Vec() {
		g.Known.Reset(&p.pool)
		g.h.Raise(&p.pool, s, t)
		g.Known.Set(&p.pool, g.h.Share())
		return
	}
	g.h.Raise(&p.pool, s, t)
	g.Known.Raise(&p.pool, s, t)
}

// knows reports whether g knows by WCP all that the stamp knows. It may say false when g does.
func (p *Predictor) knows(g *goroutine, s vclock.Stamp) bool {
	if s.Time == 0 {
		return g.Known.Vec().Covers(s.Vec)
	}
	return p.slots.Knows(g.Known.Vec(), s)
}

// mustStamp is (W4): an edge that no reordering breaks, from the stamp to g's present event.
func (p *Predictor) mustStamp(g *goroutine, s *stamp) {
	switch {
	case p.own(g, s):
	case s.Time == 0:
		if p.must(g, s.Vec) {
			p.fired.edges++
		}
	case !p.slots.Knows(g.Known.Vec(), s.Stamp):
		p.fired.edges++
		p.must(g, s.Vec)
		p.raise(g, s.Slot, s.Time)
	}
}
