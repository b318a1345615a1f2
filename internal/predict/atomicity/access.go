package atomicity

import (
	"slices"

	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/trace"
)

// access takes in an access.
func (p *Predictor) access(seq trace.Seq, ev *trace.Event) {
	if ev.Flags&trace.FlagAppend != 0 && !ev.Unseen() {
		return // a part of an append is where that one is
	}
	g := p.gs.Get(ev.G)
	held := p.held.Of(ev.G)
	watched := g != nil && g.watched(held)
	if g != nil && ev.Addr != g.wait.lock {
		g.wait.lock = 0 // (T6)
	}
	if watched {
		p.words.watch(ev)
	}
	found := p.words.of(ev)
	if len(found) == 0 {
		return
	}
	a := access{Event: predict.Event{Seq: seq, Ev: *ev}}
	if g != nil {
		a.span, a.unit, a.of, a.held = g.span, g.unit(), g.of, g.keep(held)
	}
	for _, w := range found {
		if watched {
			w.mine = slices.DeleteFunc(w.mine, func(o access) bool { return o.Ev.G == ev.G && !g.goesOn(&o) })
			p.ends(g, w, &a)
		}
		for i := range w.pairs {
			if u := &w.pairs[i]; u.splitBy(&a) {
				p.propose(u, &a.Event)
			}
		}
		at := positionOf(ev)
		w.accesses = put(w.accesses, keepAccesses, a, func(o *access) bool { return o.Ev.G == ev.G && positionOf(&o.Ev) == at })
		if watched {
			w.mine = put(w.mine, keepMine, a, func(o *access) bool {
				return o.Ev.G == ev.G && positionOf(&o.Ev) == at && o.unit == a.unit && o.span == a.span
			})
		}
	}
}

// goesOn reports whether the unit of an access of the goroutine may have more.
func (g *goroutine) goesOn(a *access) bool {
	if a.unit != 0 && g.in(a.unit) != nil {
		return true
	}
	return slices.ContainsFunc(a.held.list(), func(s section) bool { return s.call != 0 && g.in(s.call) != nil })
}

// ends makes pairs of earlier accesses of the unit and the access c of goroutine g.
func (p *Predictor) ends(g *goroutine, w *word, c *access) {
	for i := range w.mine {
		a := &w.mine[i]
		if a.Ev.G != c.Ev.G || a.span == c.span || !trace.Overlap(&a.Ev, &c.Ev) {
			continue
		}
		u := pair{first: a.Event, last: c.Event}
		no := c.unit
		if no == 0 || a.unit != no {
			s := w.sections(a, c)
			if s == nil {
				continue
			}
			u.lock, no = s.lock, s.call
		}
		u.unit, u.no = g.in(no).begun, no
		p.pairs++
		u.through = common(nil, a, c)
		for j := range w.mine {
			if r := &w.mine[j]; r.Ev.G == c.Ev.G && r.Ev.Kind == trace.Read && r.Seq > a.Seq && trace.Overlap(&r.Ev, &c.Ev) {
				u.read = common(u.read, r, c)
			}
		}
		for j := range w.accesses {
			if b := &w.accesses[j]; u.splitBy(b) {
				p.propose(&u, &b.Event)
			}
		}
		w.pairs = put(w.pairs, keepPairs, u, func(o *pair) bool {
			return positionOf(&o.first.Ev) == positionOf(&u.first.Ev) && positionOf(&o.last.Ev) == positionOf(&u.last.Ev) && o.first.Ev.G == u.first.Ev.G
		})
	}
}

// common adds the sections that both accesses of a goroutine are in.
func common(list []section, a, b *access) []section {
	for _, h := range a.held.list() {
		if slices.ContainsFunc(b.held.list(), func(s section) bool { return s.begun == h.begun }) {
			list = append(list, h)
		}
	}
	return list
}

// sections is (T2): the section that a is in, if c is in the next one of the same call.
func (w *word) sections(a, c *access) *section {
	if a.Ev.Kind != trace.Read || a.Ev.Site == 0 || c.Ev.Site == 0 || (a.Ev.Flags|c.Ev.Flags)&trace.FlagAtomic != 0 {
		return nil
	}
	for i := range a.held.list() {
		s := &(*a.held)[i]
		if s.call == 0 {
			continue
		}
		for j := range c.held.list() {
			n := &(*c.held)[j]
			if n.lock != s.lock || n.call != s.call || n.number != s.number+1 {
				continue
			}
			if c.Ev.Kind == trace.Read && !(s.shared && n.shared) || w.again(c, s, n) {
				return nil
			}
			return s
		}
	}
	return nil
}

// again reports whether the unit wrote bytes of c in section s, or read some in section n before c,
// which writes them.
func (w *word) again(c *access, s, n *section) bool {
	for i := range w.mine {
		o := &w.mine[i]
		if o.Ev.G != c.Ev.G || !trace.Overlap(&o.Ev, &c.Ev) {
			continue
		}
		in := func(s *section) bool {
			return slices.ContainsFunc(o.held.list(), func(h section) bool { return h.begun == s.begun })
		}
		if o.Ev.Kind == trace.Write && in(s) || o.Ev.Kind == trace.Read && c.Ev.Kind == trace.Write && in(n) {
			return true
		}
	}
	return false
}

// splitBy is (T4).
func (u *pair) splitBy(b *access) bool {
	x, y, z := &u.first.Ev, &b.Ev, &u.last.Ev
	if x.G == y.G || slices.Contains(b.of, u.no) || y.Kind != trace.Write && (x.Kind != trace.Write || z.Kind != trace.Write) {
		return false
	}
	lo := max(x.Addr, y.Addr, z.Addr)
	if hi := min(x.Addr+trace.Addr(x.Size), y.Addr+trace.Addr(y.Size), z.Addr+trace.Addr(z.Size)); lo >= hi {
		return false
	}
	guarded := u.lock == 0
	for i := range b.held.list() {
		h := &(*b.held)[i]
		excluded := func(s section) bool { return s.excludes(h) }
		if slices.ContainsFunc(u.through, excluded) || y.Kind == trace.Write && slices.ContainsFunc(u.read, excluded) {
			return false
		}
		guarded = guarded || h.lock == u.lock && !h.shared
	}
	return guarded
}
