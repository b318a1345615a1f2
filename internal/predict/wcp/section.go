package wcp

import (
	"slices"

	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

// section is one critical section. It lives as long as something refers to it: the goroutine that holds it, the lock's log, the lock's list of
// opaque sections, a mark. The first three are counted; whether there are marks is found out by sweep.
type section struct {
	id     uint32 // names it in sections
	lk     *lock
	g      trace.G // who acquired
	slot   vclock.Slot
	shared bool // read mode
	asked  bool // somebody knows its acquire, but not its release (W7)
	hard   bool // (W6)
	open   bool
	marked bool // there was a mark
	caught bool // its goroutine knew all releases of the lock by others; write mode

	acq   vclock.Time  // epoch of the acquire
	enter vclock.Stamp // H of the acquire; zero once closed
	leave vclock.Stamp // H of the release; zero while open
	fails vclock.Clock // H of the TryFails that saw it open; (W7)
	guard guarded      // what it did to its lock's guard

	group  uint64 // read mode: how many write sections were logged before it
	logged int    // what it counts against the budget
}

// sections has all sections, and the queue of those in a log, oldest release first.
type sections struct {
	// Budget is about how many bytes logged sections may take; 0 means DefaultBudget. Then the oldest go,
	// first those that no live goroutine can learn anything from, and if need be others: rule (b)
	// finds fewer orders, so there are more candidates.
	Budget  int
	Evicted uint64 // of the others

	pool  *vclock.Pool
	all   []*[sectionChunk]section
	refs  []int32       // by id, marks not counted; negative for free ones
	left  []vclock.Time // by id, leave's, apart from the sections since marks ask for nothing else when it is known
	free  []uint32
	idle  int      // without a reference, but perhaps with marks
	kept  int      // of these, after the last sweep
	found []uint64 // bits by id, sweep
	queue []*section
	head  int
	most  int // that the queue ever had
	bytes int
	next  int // how many bytes there are when it is time to look for what can go
}

const sectionChunk = 256

// at is a section by its id.
func (s *sections) at(id uint32) *section { return &s.all[id/sectionChunk][id%sectionChunk] }

// hold counts one more reference.
func (s *sections) hold(id uint32) { s.refs[id]++ }

// DefaultBudget bounds the logs of all locks together.
const DefaultBudget = 64 << 20

func (s *sections) get() *section {
	if n := len(s.free); n > 0 {
		id := s.free[n-1]
		s.free = s.free[:n-1]
		s.refs[id], s.left[id] = 1, 0
		sec := s.at(id)
		sec.open = true
		return sec
	}
	id := uint32(len(s.refs))
	if id%sectionChunk == 0 {
		s.all = append(s.all, new([sectionChunk]section))
	}
	s.refs = append(s.refs, 1)
	s.left = append(s.left, 0)
	sec := s.at(id)
	sec.id, sec.open = id, true
	return sec
}

// drop gives up one reference.
func (s *sections) drop(id uint32) {
	if s.refs[id]--; s.refs[id] > 0 {
		return
	}
	if s.at(id).marked {
		s.idle++
		return
	}
	s.release(id)
}

// release makes a section free.
func (s *sections) release(id uint32) {
	s.refs[id] = -1
	sec := s.at(id)
	sec.enter.Drop(s.pool)
	sec.leave.Drop(s.pool)
	sec.fails.Reset(s.pool)
	*sec = section{id: id}
	s.free = append(s.free, id)
}

// Sections without a reference may be idle up to half as many as the last sweep kept, or to one for so many lists and marks that a sweep
// looks at, so that sweeping costs little for each.
const (
	minIdle  = 1 << 10
	perSweep = 64
)

// due reports whether it is time for a sweep of so many lists and marks.
func (s *sections) due(marks int) bool {
	return s.idle-s.kept > max(minIdle, s.kept/2, marks/perSweep)
}

// sweep frees the sections that nothing refers to; each gives all that have marks.
func (s *sections) sweep(each func(found []uint64)) {
	if n := len(s.refs)/64 + 1; n > len(s.found) {
		s.found = make([]uint64, 2*n)
	}
	clear(s.found)
	each(s.found)
	s.idle = 0
	for id, n := range s.refs {
		switch {
		case n != 0:
		case s.found[id/64]>>(id%64)&1 != 0:
			s.idle++
		default:
			s.release(uint32(id))
		}
	}
	s.kept = s.idle
}

// quiet reports whether no edge left a closed section's goroutine between its acquire and its release. Then who knows the acquire
// knows the release as well, rule (b) adds nothing, and the section need not be logged: what it would have said of
// sections before it, its release says.
func (sec *section) quiet() bool { return !sec.asked && sec.leave.Time == sec.acq+1 }

// log puts a closed section into its lock's log.
func (s *sections) log(sec *section) {
	s.hold(sec.id)
	sec.logged = 160 + sec.leave.Vec.Size()
	s.bytes += sec.logged
	s.queue = append(s.queue, sec)
	s.most = max(s.most, len(s.queue)-s.head)
	sec.lk.append(sec)
}

// trim keeps to the budget. It is called when full says so; known tells whether all live goroutines know an event.
func (s *sections) trim(known func(vclock.Stamp) bool) {
	for s.head < len(s.queue) {
		if old := s.queue[s.head]; old.logged > 0 && !known(old.leave) {
			break
		}
		s.pop()
	}
	if budget := s.budget(); s.bytes > budget {
		for s.bytes > budget-budget/8 && s.head < len(s.queue)-1 {
			s.Evicted++
			s.pop()
		}
	}
	s.next = s.bytes + s.budget()/8
}

func (s *sections) budget() int {
	if s.Budget > 0 {
		return s.Budget
	}
	return DefaultBudget
}

// full reports whether it is time to trim.
func (s *sections) full() bool { return s.bytes > max(s.next, s.budget()/8) }

// pop takes the oldest section out of the queue and its lock's log.
func (s *sections) pop() {
	old := s.queue[s.head]
	s.queue[s.head] = nil
	s.head++
	if old.logged > 0 {
		old.lk.pop(old)
		s.unlog(old)
	}
	s.drop(old.id)
	if s.head > 1024 && s.head*2 > len(s.queue) {
		n := copy(s.queue, s.queue[s.head:])
		clear(s.queue[n:])
		s.queue = s.queue[:n]
		s.head = 0
	}
}

// unlog takes the section off the budget; the queue's reference stays.
func (s *sections) unlog(sec *section) {
	s.bytes -= sec.logged
	sec.logged = 0
}

// lock is what the next sections of a lock depend on.
type lock struct {
	id   uint32 // never used again for another lock
	addr trace.Addr
	hw   vclock.Stamp // H of the last Release; the paper's H_l
	hx   vclock.Stamp // of a Release, without its vector, that includes all before by other slots than that of hw; at MaxTime when there is none
	pw   *vclock.Vec  // P of the last Release; the paper's P_l
	hr   vclock.Clock // H of all RReleases since
	pr   vclock.Clock // P of all RReleases since
	hard vclock.Clock // H of all hard sections' releases, (W6)

	guard pin // trace.GuardBit

	loose bool // a Release came without its Acquire: what was released before need not be part of hw

	open   []*section // oldest first
	opaque []*section // those that a later Opaque may depend on, (W8)

	writes fifo // closed write sections; each happens before the next
	reads  fifo // closed read sections, in the order of their releases
}

// fifo is a list of sections whose oldest may be gone. Items are numbered from 1, gone ones included.
type fifo struct {
	gone uint64
	at   []logged
	head int
}

// logged is a section in a log, with what is asked of it most.
type logged struct {
	acq  vclock.Time
	slot vclock.Slot
	*section
}

func (f *fifo) end() uint64            { return f.gone + uint64(len(f.at)-f.head) } // number of the last
func (f *fifo) push(s *section)        { f.at = append(f.at, logged{s.acq, s.slot, s}) }
func (f *fifo) live() []logged         { return f.at[f.head:] }
func (f *fifo) oldest(s *section) bool { return f.head < len(f.at) && f.at[f.head].section == s }

func (f *fifo) pop() {
	f.at[f.head] = logged{}
	f.head++
	f.gone++
	if f.head > 32 && f.head*2 > len(f.at) {
		n := copy(f.at, f.at[f.head:])
		clear(f.at[n:])
		f.at = f.at[:n]
		f.head = 0
	}
}

func (l *lock) append(s *section) {
	if s.shared {
		s.group = l.writes.end()
		l.reads.push(s)
		return
	}
	l.writes.push(s)
}

func (l *lock) pop(s *section) {
	switch {
	case l.writes.oldest(s):
		l.writes.pop()
	case l.reads.oldest(s):
		l.reads.pop()
	default:
		panic("internal error: wcp: the oldest logged section is not its lock's oldest")
	}
}

// section is the open section that a release by g ends: its own newest one of that mode, or else the oldest.
func (l *lock) section(g trace.G, shared bool) *section {
	var found *section
	for _, s := range l.open {
		if s.shared == shared && (found == nil || s.g == g) {
			if found == nil || found.g != g || s.g == g {
				found = s
			}
		}
	}
	return found
}

func (l *lock) close(s *section) {
	s.open = false
	if i := slices.Index(l.open, s); i >= 0 {
		l.open = slices.Delete(l.open, i, i+1)
	}
}

func (p *Predictor) lock(a trace.Addr) *lock {
	l := p.locks.Get(a)
	if l == nil {
		p.lockIDs++
		l = &lock{id: p.lockIDs, addr: a}
		p.locks.Put(a, l)
	}
	return l
}

// forgetLock lets go of a lock whose memory is used anew, unless it is held.
func (p *Predictor) forgetLock(l *lock) bool {
	if len(l.open) > 0 {
		return false
	}
	l.hw.Drop(&p.pool)
	p.pool.Drop(l.pw)
	l.pw = nil
	l.hr.Reset(&p.pool)
	l.pr.Reset(&p.pool)
	l.hard.Reset(&p.pool)
	l.guard.reset(&p.pool)
	for _, s := range l.opaque {
		p.sections.drop(s.id)
	}
	l.opaque = nil
	for _, f := range []*fifo{&l.writes, &l.reads} {
		for _, s := range f.live() {
			p.sections.unlog(s.section) // the queue still has its reference
		}
		*f = fifo{}
	}
	return true
}
