package wcp

import "github.com/racepred/racepred/internal/trace"

// Sections that add to one variable, and whose accesses commute, are in no order by rule (a) (W9). Their accesses are no race all the same:
//
//	(W13) Two plain unseen writes of the same bytes exclude each other, if all such writes of these bytes lie in write sections of one
//	      lock. Such a pair is no candidate.
//
// That is kept by variable, as Eraser does (Savage and others, TOCS 1997), and only for variables with such writes.

// updated is what is known of the plain unseen writes of the bytes at an address.
type updated struct {
	lock uint32 // that all of them hold, 0 if there is none
	size uint32
}

func updates(ev *trace.Event) bool {
	return ev.Kind == trace.Write && ev.Unseen() && ev.Flags&trace.FlagAtomic == 0
}

// update takes in a plain unseen write of g.
func (p *Predictor) update(g *goroutine, ev *trace.Event) {
	u := p.updated.Get(ev.Addr)
	if u == nil {
		u = &updated{lock: g.exclusive(0), size: ev.Size}
		p.updated.Put(ev.Addr, u)
		return
	}
	if u.size != ev.Size {
		u.lock = 0
	}
	if u.lock != 0 {
		u.lock = g.exclusive(u.lock)
	}
}

// exclusive is the lock with that name, if g has it in write mode; the innermost one that it has when none is asked for.
func (g *goroutine) exclusive(id uint32) uint32 {
	for i := len(g.held) - 1; i >= 0; i-- {
		if s := g.held[i]; !s.shared && !s.hard && (id == 0 || s.lk.id == id) {
			return s.lk.id
		}
	}
	return 0
}

// excluded is (W13).
func (p *Predictor) excluded(old, ev *trace.Event) bool {
	if !updates(old) || !updates(ev) || old.Addr != ev.Addr || old.Size != ev.Size {
		return false
	}
	u := p.updated.Get(ev.Addr)
	return u != nil && u.lock != 0 && u.size == ev.Size
}
