package mustorder

import (
	"slices"

	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

// tag names a lock and a mode of holding it: the lock's number times two, plus one in read mode. 0
// is no lock.
type tag uint32

// maxLocks is how many held locks, the outermost, count for (M8). If a goroutine holds more, there
// may be more candidates.
const maxLocks = 4

// Locks are the locks around an access, the outermost ones.
type Locks [maxLocks]tag

// Protects is (M8).
func Protects(a, b *Locks) bool {
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

// Section is an open critical section.
type Section struct {
	lk     *lock
	g      trace.G // which acquired it
	id     uint64  // never used again
	tag    tag
	shared bool  // read mode
	hard   bool  // (M4)
	enter  stamp // of the acquire
}

// lock is what the later sections of a lock depend on.
type lock struct {
	num    uint64       // never used again for another lock
	id     tag          // never used again for another lock
	hw, hr vclock.Clock // happens-before of its releases, and of its read sections' since the last one in write mode
	all    vclock.Clock // the releases, (M4) and (M5)
	hard   vclock.Clock // those of hard sections, (M4)
	pw, pr vclock.Clock // the same in this order, (M7)
	opaque stamp        // the last Opaque in a write section, (M6)
	open   []*Section   // oldest first
}

func (p *Order) lock(a trace.Addr) *lock {
	l := p.locks.Get(a)
	if l == nil {
		p.lockIDs++
		p.numbers++
		l = &lock{num: p.numbers, id: p.lockIDs}
		p.locks.Put(a, l)
	}
	return l
}

func (p *Order) dropLock(l *lock) {
	for _, c := range []*vclock.Clock{&l.hw, &l.hr, &l.all, &l.hard, &l.pw, &l.pr} {
		c.Reset(&p.pool)
	}
	l.opaque.drop(&p.pool)
}

func (p *Order) acquire(g *Goroutine, ev *trace.Event) {
	l := p.lock(ev.Addr)
	shared, hard := ev.Kind.Spec().Shared, ev.Flags&trace.FlagHard != 0
	g.h.Join(&p.pool, l.hw.Vec(), vclock.NoOrders)
	if !shared {
		g.h.Join(&p.pool, l.hr.Vec(), vclock.NoOrders)
	}
	p.joinAll(g, ruleHardSection, l.hard.Vec()) // (M4)
	if hard {
		p.joinAll(g, ruleHardSection, l.all.Vec()) // (M4)
	}
	if p.cfg.InTurn { // (M7)
		p.joinAll(g, ruleInTurn, l.pw.Vec())
		if !shared {
			p.joinAll(g, ruleInTurn, l.pr.Vec())
		}
	}
	var s *Section
	if n := len(p.closed); n > 0 {
		s, p.closed = p.closed[n-1], p.closed[:n-1]
	} else {
		s = &Section{}
	}
	p.sections++
	*s = Section{lk: l, id: p.sections, g: g.g, tag: l.id << 1, shared: shared, hard: hard, enter: g.stamp()}
	if shared {
		s.tag |= 1
	}
	l.open = append(l.open, s)
	g.held = append(g.held, s)
	g.count()
	if p.Opened != nil {
		p.Opened(g, s)
	}
}

// ID names the section: a number that is never used again.
func (s *Section) ID() uint64 { return s.id }

// Lock names the section's lock: a number that is never used again for another one.
func (s *Section) Lock() uint64 { return s.lk.num }

// Shared reports whether it is in read mode.
func (s *Section) Shared() bool { return s.shared }

// Hard reports whether it is flagged hard, so that it keeps its place among all sections of its
// lock (M4).
func (s *Section) Hard() bool { return s.hard }

// G is the goroutine that acquired the lock.
func (s *Section) G() trace.G { return s.g }

// count sets around to the locks of held.
func (g *Goroutine) count() {
	clear(g.around[:])
	for i, s := range g.held[:min(maxLocks, len(g.held))] {
		g.around[i] = s.tag
	}
}

// ends is the index of the open section that a release by g ends: the newest one of g in that mode,
// or else the oldest; -1 if there is none.
func (l *lock) ends(g trace.G, shared bool) int {
	found := -1
	for i, s := range l.open {
		if s.shared == shared && (found < 0 || s.g == g) {
			found = i
		}
	}
	return found
}

// Ends reports whether g has begun the section that its release ends.
func (p *Order) Ends(g *Goroutine, ev *trace.Event) bool {
	shared := ev.Kind.Spec().Shared
	l := p.locks.Get(ev.Addr)
	return l != nil && slices.ContainsFunc(l.open, func(s *Section) bool { return s.g == g.g && s.shared == shared })
}

func (p *Order) release(g *Goroutine, ev *trace.Event) {
	l, shared, own, hard := p.lock(ev.Addr), ev.Kind.Spec().Shared, false, false
	if i := l.ends(g.g, shared); i >= 0 {
		s := l.open[i]
		own, hard = s.g == g.g, s.hard
		if p.Closed != nil {
			p.Closed(g, s)
		}
		l.open = slices.Delete(l.open, i, i+1)
		p.leave(g, s)
	}
	r := vclock.Stamp{Vec: g.h.Vec(), Slot: g.slot, Time: g.now}
	switch {
	case shared:
		l.hr.JoinStamp(&p.pool, r, vclock.NoOrders)
	case own: // its acquire has learned what the lock had
		l.hr.Reset(&p.pool)
		l.hw.Reset(&p.pool)
		fallthrough
	default:
		l.hw.JoinStamp(&p.pool, r, vclock.NoOrders)
	}
	r.Vec = g.p.Vec()
	if p.cfg.InTurn {
		p.inTurn(l, r, shared, own)
	}
	l.all.JoinStamp(&p.pool, r, vclock.NoOrders)
	if hard {
		l.hard.JoinStamp(&p.pool, r, vclock.NoOrders)
	}
}

// inTurn is (M7) at a release: it keeps pw and pr for this order as hw and hr are kept for
// happens-before.
func (p *Order) inTurn(l *lock, r vclock.Stamp, shared, own bool) {
	if shared {
		l.pr.JoinStamp(&p.pool, r, vclock.NoOrders)
		return
	}
	if own {
		l.pr.Reset(&p.pool)
		l.pw.Reset(&p.pool)
	}
	l.pw.JoinStamp(&p.pool, r, vclock.NoOrders)
}

// leave ends an open section by g.
func (p *Order) leave(g *Goroutine, s *Section) {
	holder := g
	if s.g != g.g { // a hand-over
		p.learn(g, ruleHandOver, s.enter.p, s.enter.slot, s.enter.time) // (M5)
		p.lockIDs++                                                     // (M8): the earlier sections count as another lock's
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

// tryFail is (M5).
func (p *Order) tryFail(g *Goroutine, ev *trace.Event) {
	l := p.lock(ev.Addr)
	for _, s := range l.open {
		p.learn(g, ruleTryFail, s.enter.p, s.enter.slot, s.enter.time)
	}
	if len(l.open) == 0 {
		p.joinAll(g, ruleTryFail, l.all.Vec())
	}
}
