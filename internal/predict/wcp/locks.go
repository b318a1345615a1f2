package wcp

import (
	"slices"
	"sort"

	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

// acquire is the paper's procedure of that name without the queues, which are the lock's log here.
func (p *Predictor) acquire(ev *trace.Event) {
	g, l := p.of(ev.G), p.lock(ev.Addr)
	if ev.Unseen() { // (W11)
		p.take(g, &l.hard)
		p.takeCoarse(g, l)
		return
	}
	shared, hard := ev.Kind == trace.RAcquire, ev.Flags&trace.FlagHard != 0
	if !hard && g.Acted != g.Now { // (C1)
		g = p.acts(g)
	}
	if g.Shared { // (W16)
		p.mustReleases(g, l)
		l.nameless++
		return
	}
	if hard { // (W6)
		p.mustReleases(g, l)
	} else {
		if !p.own(g, &l.hw) && !p.slots.Knows(g.h.Vec(), l.hw.Stamp) { // else W is known as well, by (W3)
			g.h.JoinStamp(&p.pool, l.hw.Stamp, orderH)
			p.learnW(g, l.pw)
		}
		if !shared { // (W5)
			g.h.Join(&p.pool, l.hr.Vec(), orderH)
			p.learnW(g, l.pr.Vec())
		}
		p.take(g, &l.hard)                  // (W6)
		if l.coarse != nil && l.pw == nil { // else it is part of hw and pw
			p.takeCoarse(g, l)
		}
	}
	s := p.sections.get()
	s.lk, s.g, s.slot, s.shared, s.hard = l, g.G, g.Slot, shared, hard
	s.acq = g.Now
	s.enter = p.stamp(g)
	s.edges = g.edges
	l.open = predict.Append(&p.tables, l.open, s)
	g.held = predict.Append(&p.tables, g.held, s)
}

// mustReleases is a hard edge from all releases of a lock so far by other goroutines, and from all
// that happened before them. It uses H, since of soft sections only H includes the releases before
// the last.
func (p *Predictor) mustReleases(g *goroutine, l *lock) {
	if own := p.own(g, &l.hw); !own || l.hx.Time != 0 { // others released it before
		p.mustAll(g, l.hw.Vec)
		if !own && l.hw.Time != 0 {
			p.raise(g, l.hw.Slot, l.hw.Time)
		}
	}
	p.mustAll(g, l.hr.Vec())
	p.take(g, &l.hard)
	p.takeCoarse(g, l)
	if l.unseen != nil {
		p.take(g, l.unseen)
	}
}

// release is the paper's procedure of that name.
func (p *Predictor) release(ev *trace.Event) {
	g, l := p.of(ev.G), p.lock(ev.Addr)
	if ev.Unseen() { // (W11)
		if l.unseen == nil {
			l.unseen = p.freeLists.objects.Get()
		}
		p.merge(g, l.unseen)
		return
	}
	shared := ev.Kind == trace.RRelease
	s := g.newest(l, shared)
	if s == nil && (!g.Shared || l.nameless == 0) { // a hand-over
		s = l.oldest(shared)
	}
	if s == nil && l.nameless > 0 { // (W16)
		l.nameless--
		p.merge(g, &l.hard)
		p.comprised(l, shared)
		return
	}
	if s != nil && s.hard {
		p.releaseHard(g, s)
		return
	}
	if g.Acted != g.Now { // (C1)
		g = p.acts(g)
	}
	if s == nil { // acquired before the trace began: nothing is known of the section
		s = p.sections.get()
		s.lk, s.g, s.slot, s.shared, s.hard = l, g.G, g.Slot, shared, true
		l.loose = true
	} else {
		p.leave(g, s)
	}
	p.mustAll(g, s.fails.Vec()) // (W7)
	n := p.learned
	p.ruleB(g, s)
	p.byB += p.learned - n
	quiet := !s.asked && g.edges == s.edges
	s.leave = p.stamp(g)
	p.sections.closed(s)
	if s.hard { // (W6)
		p.add(g, &l.hard, s.leave.hold())
	}
	if s.shared { // (W5)
		l.hr.JoinStamp(&p.pool, s.leave.Stamp, orderH)
		l.pr.Join(&p.pool, g.w.Vec(), orderH)
	} else {
		switch {
		case l.hr.Vec() != nil:
			l.hx = vclock.Stamp{Time: vclock.MaxTime} // no earlier Release includes those of the read sections
		case l.hw.Slot != s.leave.Slot:
			l.hx = vclock.Stamp{Slot: l.hw.Slot, Time: l.hw.Time}
		}
		l.forgetReleases(&p.pool)
		l.hw = s.leave.hold()
		l.pw = g.w.Share()
	}
	if !s.hard && !quiet { // a hard section is ordered before all later ones anyway
		p.sections.log(s)
		if p.sections.full() {
			p.sections.trim(p.toAll)
		}
	}
	p.close(s)
}

// releaseHard is release for a section that was hard from its beginning (W6).
func (p *Predictor) releaseHard(g *goroutine, s *section) {
	p.leave(g, s)
	p.mustAll(g, s.fails.Vec()) // (W7)
	p.merge(g, &s.lk.hard)
	p.comprised(s.lk, s.shared)
	p.close(s)
}

// comprised is for the release of a section that was hard from its beginning. All later acquires of
// the lock come after it, and so after all releases that its acquire came after. So for those,
// rules (a) and (b), H and P have nothing to add any more.
func (p *Predictor) comprised(l *lock, shared bool) {
	if shared || l.loose {
		return
	}
	l.forgetReleases(&p.pool)
	p.dropCoarse(l)
	p.forgetUnseen(l)
	l.hx = vclock.Stamp{}
}

// close drops a section that was released.
func (p *Predictor) close(s *section) {
	s.lk.close(s)
	s.enter.drop(&p.pool)
	s.fails.Reset(&p.pool)
	p.sections.drop(s)
}

// leave removes s from its goroutine's held sections, and applies (W6) if s turns out to be hard.
// It is too late for hard edges from the lock's releases to the acquire of s. Instead there are
// hard edges from all that happened before that acquire, to the present event.
func (p *Predictor) leave(g *goroutine, s *section) {
	was, holder := s.hard, g
	if s.g != g.G { // a hand-over
		s.hard = true
		p.mustStamp(g, &s.enter)
		if holder = p.threads.Holder(s.g); holder == nil {
			return
		}
	}
	if i := slices.Index(holder.held, s); i >= 0 {
		if i < len(holder.held)-1 { // it ends before a section that began later
			s.hard = true
		}
		holder.held = slices.Delete(holder.held, i, i+1)
	}
	if s.hard && !was {
		p.mustAll(holder, s.enter.Vec)
	}
}

// ruleB is (W2) at g's release of s: the paper's queues. Write sections happen one after the other,
// so those with an acquire that g knows are the beginning of the log, and the release of the last
// of them includes the others. Of g's own acquires, its P includes only those that come before by
// WCP, and not those that come before by the goroutine's order alone.
func (p *Predictor) ruleB(g *goroutine, s *section) {
	writes, reads := s.lk.writes.live(), s.lk.reads.live()
	n := p.known(g, writes)
	if n > 0 {
		p.learnP(g, writes[n-1].leave.Stamp)
	}
	p.apart(g, s, writes)
	if s.shared { // (W5)
		return
	}
	p.apart(g, s, reads)
	// Read sections before the last known write section are known with it, those after the next one cannot be.
	// Of those of one goroutine, the release of the last known one includes the others.
	group := s.lk.writes.gone + uint64(n)
	end := sort.Search(len(reads), func(i int) bool { return reads[i].group > group })
	for runs := 0; end > 0 && reads[end-1].group == group && runs < manyRuns; runs++ {
		begin := s.lk.reads.beginning(end - 1)
		if n := p.known(g, reads[begin:end]); n > 0 {
			p.learnP(g, reads[begin+n-1].leave.Stamp)
		}
		end = begin
	}
}

// manyRuns is how many runs of read sections rule (b) looks at, the latest ones. A goroutine that
// knows an older one mostly knows a later one of the same goroutine, too. Without the others rule
// (b) finds fewer orders, so there are more candidates.
const manyRuns = 256

// manyLogged is how many of the latest sections (W12) looks at.
const manyLogged = 16

// apart is (W12) at g's release of s: a section ends before s begins if every reordering keeps its
// acquire before this release. Mostly there is at most one such section: the one in which g, or the
// goroutine that started g, was started. So it is enough to look at the latest sections.
func (p *Predictor) apart(g *goroutine, s *section, log []logged) {
	for i := len(log) - 1; i >= max(0, len(log)-manyLogged); i-- {
		if o := &log[i]; o.slot != s.slot && o.acq <= g.Known.At(o.slot) && !p.slots.Stale(o.slot, o.acq) && o.g != s.g {
			p.mustStamp(g, &o.leave)
		}
	}
}

// known is how many sections at the beginning of a log have acquires that g knows by WCP. Mostly it
// knows all but a few, so the search begins at the end. Or it knows none: then all may be its own.
func (p *Predictor) known(g *goroutine, log []logged) int {
	if len(log) == 0 || log[0].slot == g.Slot && !p.knowsAcquire(g, &log[0]) {
		return 0
	}
	hi := len(log) // from there on, none is known
	for step := 1; hi > 0; step *= 2 {
		lo := max(hi-step, 0)
		if !p.knowsAcquire(g, &log[lo]) {
			hi = lo
			continue
		}
		for lo++; lo < hi; {
			if m := int(uint(lo+hi) / 2); p.knowsAcquire(g, &log[m]) {
				lo = m + 1
			} else {
				hi = m
			}
		}
		break
	}
	return hi
}

func (p *Predictor) knowsAcquire(g *goroutine, s *logged) bool {
	return s.acq <= g.w.At(s.slot) && !p.slots.Stale(s.slot, s.acq)
}

func (p *Predictor) learnP(g *goroutine, s vclock.Stamp) {
	if !p.slots.Knows(g.w.Vec(), s) {
		p.learned++
		g.learned = true
		g.w.JoinStamp(&p.pool, s, orderH)
		g.Known.JoinStamp(&p.pool, s, orderP)
	}
}

// learnW adds w, from an edge of a lock, to W.
func (p *Predictor) learnW(g *goroutine, w *vclock.Vec) {
	if g.w.Join(&p.pool, w, orderH) {
		g.learned = true
		g.Known.Join(&p.pool, w, orderP)
	}
}

// learnMark is learnP from the release of a mark's section.
func (p *Predictor) learnMark(g *goroutine, m *mark) {
	slot := vclock.Slot(m.slot)
	if !p.slots.Knows(g.w.Vec(), vclock.Stamp{Slot: slot, Time: p.sections.left[m.sec]}) {
		p.learned++
		g.learned = true
		p.sections.join(&g.w, m.sec, slot, orderH)
		p.sections.join(&g.Known, m.sec, slot, orderP)
	}
}

// tryFail is (W7).
func (p *Predictor) tryFail(ev *trace.Event) {
	g, l := p.of(ev.G), p.lock(ev.Addr)
	for _, s := range l.open {
		s.asked = true
		p.mustStamp(g, &s.enter)
	}
	own := p.stamp(g)
	for _, s := range l.open {
		s.fails.JoinStamp(&p.pool, own.Stamp, orderH)
	}
	if len(l.open) == 0 { // it saw a section that the trace has earlier or later, so it keeps its place among all of them
		p.mustReleases(g, l)
		p.add(g, &l.hard, own.hold())
	}
	own.drop(&p.pool)
}
