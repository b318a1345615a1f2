package wcp

import (
	"slices"

	"github.com/racepred/racepred/internal/trace"
)

// Sections that add to one variable, and whose accesses commute, are in no order by rule (a) (W9).
// Their accesses are no race all the same:
//
//	(W13) Two plain unseen writes of the same bytes exclude each other, if all such writes of these
//	      bytes lie in write sections of one lock. Such a pair is no candidate.
//
//	(W14) Two parts of appends to lists are no candidate: of two appends to one list, one moves the
//	      list to another array. Two lists may share an array, but then happens-before finds the
//	      race in runs in which nothing orders the appends.
//
// (W13) is known by variable, as in Eraser (Savage and others, TOCS 1997), and only for variables
// with such writes.

// maxCommon is how many locks are remembered that all updates of a variable hold. If a goroutine
// holds more, the outer ones do not count.
const maxCommon = 4

// updated is what is known of the plain unseen writes of the bytes at an address.
type updated struct {
	size   uint32
	n      uint32            // of locks
	common [maxCommon]uint32 // locks that all of them hold
}

func updates(ev *trace.Event) bool {
	return ev.Kind == trace.Write && ev.Unseen() && ev.Flags&trace.FlagAtomic == 0
}

// update takes in a plain unseen write of g.
func (p *Predictor) update(g *goroutine, ev *trace.Event) {
	u := p.updated.Get(ev.Addr)
	if u == nil {
		u = p.freeLists.updated.Get()
		*u = updated{size: ev.Size}
		for i := len(g.held) - 1; i >= 0 && u.n < maxCommon && !p.cells.Faint.Has(ev.Addr); i-- { // (W15)
			if s := g.held[i]; !s.shared && !s.hard {
				u.common[u.n] = s.lk.id
				u.n++
			}
		}
		p.updated.Put(ev.Addr, u)
		return
	}
	if u.size != ev.Size {
		u.n = 0
	}
	left := u.common[:0]
	for _, id := range u.common[:u.n] {
		if g.excludes(id) {
			left = append(left, id)
		}
	}
	u.n = uint32(len(left))
}

// excludes reports whether g holds the lock with that id in write mode.
func (g *goroutine) excludes(id uint32) bool {
	return slices.ContainsFunc(g.held, func(s *section) bool { return !s.shared && !s.hard && s.lk.id == id })
}

// excluded is (W13) and (W14).
func (p *Predictor) excluded(old, ev *trace.Event) bool {
	if old.AppendPart() && ev.AppendPart() {
		return true
	}
	if !updates(old) || !updates(ev) || old.Addr != ev.Addr || old.Size != ev.Size {
		return false
	}
	u := p.updated.Get(ev.Addr)
	return u != nil && u.n > 0 && u.size == ev.Size
}
