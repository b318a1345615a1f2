package syncp

import (
	"slices"

	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

// tag names a lock and a mode of holding it: the lock's number times two, plus one in read mode. 0 is no lock.
type tag uint32

// maxLocks is how many held locks, the outermost, count for (S7); when more are held there may be more candidates.
const maxLocks = 4

// protects is (S7).
func protects(a, b *[maxLocks]tag) bool {
	for _, x := range a {
		if x == 0 {
			return false
		}
		for _, y := range b {
			if y == 0 {
				break
			}
			if x>>1 == y>>1 && x&y&1 == 0 {
				return true
			}
		}
	}
	return false
}

// section is an open critical section.
type section struct {
	lk     *lock
	g      trace.G // who acquired
	tag    tag
	shared bool  // read mode
	hard   bool  // (S4)
	enter  stamp // of the acquire
}

// lock is what the next sections of a lock depend on.
type lock struct {
	id     tag          // never used again for another lock
	hw, hr vclock.Clock // happens-before of its releases, and of its read sections' since the last one in write mode
	all    vclock.Clock // the releases, (S4) and (S5)
	hard   vclock.Clock // those of hard sections, (S4)
	opaque stamp        // the last Opaque in a write section, (S6)
	open   []*section   // oldest first
}

func (p *Predictor) lock(a trace.Addr) *lock {
	l := p.locks.Get(a)
	if l == nil {
		p.lockIDs++
		l = &lock{id: p.lockIDs}
		p.locks.Put(a, l)
	}
	return l
}

func (p *Predictor) dropLock(l *lock) {
	for _, c := range []*vclock.Clock{&l.hw, &l.hr, &l.all, &l.hard} {
		c.Reset(&p.pool)
	}
	l.opaque.drop(&p.pool)
}

func (p *Predictor) acquire(g *goroutine, ev *trace.Event) {
	l := p.lock(ev.Addr)
	shared, hard := ev.Kind.Spec().Shared, ev.Flags&trace.FlagHard != 0
	g.h.Join(&p.pool, l.hw.Vec())
	if !shared {
		g.h.Join(&p.pool, l.hr.Vec())
	}
	g.p.Join(&p.pool, l.hard.Vec()) // (S4)
	if hard {
		g.p.Join(&p.pool, l.all.Vec()) // (S4)
	}
	var s *section
	if n := len(p.closed); n > 0 {
		s, p.closed = p.closed[n-1], p.closed[:n-1]
	} else {
		s = &section{}
	}
	*s = section{lk: l, g: g.g, tag: l.id << 1, shared: shared, hard: hard, enter: g.stamp()}
	if shared {
		s.tag |= 1
	}
	l.open = append(l.open, s)
	g.held = append(g.held, s)
	g.count()
}

// count makes around what held says.
func (g *goroutine) count() {
	clear(g.around[:])
	for i, s := range g.held[:min(maxLocks, len(g.held))] {
		g.around[i] = s.tag
	}
}

// ends is the open section that a release by g ends: its own newest one of that mode, or else the oldest; -1 is none.
func (l *lock) ends(g trace.G, shared bool) int {
	found := -1
	for i, s := range l.open {
		if s.shared == shared && (found < 0 || s.g == g) {
			found = i
		}
	}
	return found
}

func (p *Predictor) release(g *goroutine, ev *trace.Event) {
	l, shared, own, hard := p.lock(ev.Addr), ev.Kind.Spec().Shared, false, false
	if i := l.ends(g.g, shared); i >= 0 {
		s := l.open[i]
		own, hard = s.g == g.g, s.hard
		l.open = slices.Delete(l.open, i, i+1)
		p.leave(g, s)
	}
	r := vclock.Stamp{Vec: g.h.Vec(), Slot: g.slot, Time: g.now}
	switch {
	case shared:
		l.hr.JoinStamp(&p.pool, r)
	case own: // its acquire has learned what the lock had
		l.hr.Reset(&p.pool)
		l.hw.Reset(&p.pool)
		fallthrough
	default:
		l.hw.JoinStamp(&p.pool, r)
	}
	r.Vec = g.p.Vec()
	l.all.JoinStamp(&p.pool, r)
	if hard {
		l.hard.JoinStamp(&p.pool, r)
	}
}

// leave ends an open section by g.
func (p *Predictor) leave(g *goroutine, s *section) {
	holder := g
	if s.g != g.g { // a hand-over
		p.learn(g, s.enter.p, s.enter.slot, s.enter.time) // (S5)
		p.lockIDs++                                       // (S7): what was in its sections is as if in another lock's
		s.lk.id = p.lockIDs
		holder = p.gs.Get(s.g)
	}
	if holder != nil {
		if i := slices.Index(holder.held, s); i >= 0 {
			holder.held = slices.Delete(holder.held, i, i+1)
			holder.count()
		}
	}
	s.enter.drop(&p.pool)
	p.closed = append(p.closed, s)
}

// tryFail is (S5).
func (p *Predictor) tryFail(g *goroutine, ev *trace.Event) {
	l := p.lock(ev.Addr)
	for _, s := range l.open {
		p.learn(g, s.enter.p, s.enter.slot, s.enter.time)
	}
	if len(l.open) == 0 {
		g.p.Join(&p.pool, l.all.Vec())
	}
}
