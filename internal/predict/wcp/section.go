package wcp

import (
	"slices"

	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

// section is one critical section. It is freed when nothing refers to it: neither the goroutine
// that holds it, nor the lock's log, nor the lock's list of opaque sections. Its id, and what
// sections has of it, is freed when it has no marks either.
type section struct {
	id     uint32 // names it in sections
	users  int32  // how many references there are
	lk     *lock
	g      trace.G // the goroutine that acquired, or the name of its shared slot
	slot   vclock.Slot
	shared bool // read mode
	asked  bool // a goroutine knows its acquire, but not its release: (W7)
	hard   bool // (W6)
	open   bool
	caught bool // its goroutine knew all releases of the lock by others; write mode

	acq   vclock.Time  // epoch of the acquire
	edges uint32       // how many edges left its goroutine before the acquire
	enter stamp        // H of the acquire; zero once closed
	leave stamp        // H of the release; zero while open, and of one that was hard from the beginning
	fails vclock.Clock // H of the TryFails that saw it open; (W7)

	group  uint64 // read mode: how many write sections were logged before it
	run    uint64 // number of the first item of its run in the log: items side by side with one slot and group
	logged int    // its bytes of the budget
}

// sections has what marks look up of sections, by their ids, and the queue of all logged sections,
// the oldest release first.
type sections struct {
	// Budget is about how many bytes logged sections may take; 0 means DefaultBudget. When they take more, the oldest are dropped:
	// first those that no live goroutine can learn anything from, then others. Without these, rule (b)
	// finds fewer orders, so there are more candidates.
	Budget int

	pool   *vclock.Pool
	tables *predict.Tables // where lists of pointers are
	free   predict.FreeList[section]
	refs   []int32                            // by id: how many marks, and one for the section itself; 0 for free ids
	left   []vclock.Time                      // by id: the time of leave; 0 while open
	number []uint64                           // by id: how many sections began before it
	began  uint64                             // how many sections began
	rows   []*[rowChunk][rowSlots]vclock.Time // by id: the vectors of leave that fit in
	wide   []*vclock.Vec                      // by id: the other vectors of leave
	ids    []uint32                           // free ones, the last one first
	queue  []*section                         // the logged ones, from head on
	head   int
	dead   int // how many in the queue are of freed locks
	bytes  int // of the logged ones
	next   int // with so many bytes, trim is due
}

// DefaultBudget bounds the logs of all locks together.
const DefaultBudget = 64 << 20

// A row is one line of the processor's cache. It has room for the goroutines that most programs
// have at a time.
const (
	rowSlots     = 16
	rowChunkBits = 8
	rowChunk     = 1 << rowChunkBits
)

func (s *sections) get() *section {
	sec := s.free.Get()
	if n := len(s.ids); n > 0 {
		sec.id = s.ids[n-1]
		s.ids = s.ids[:n-1]
		s.refs[sec.id], s.left[sec.id], s.number[sec.id] = 1, 0, s.began
	} else {
		sec.id = uint32(len(s.refs))
		s.refs, s.left, s.number = append(s.refs, 1), append(s.left, 0), append(s.number, s.began)
		if int(sec.id)%rowChunk == 0 {
			s.rows = append(s.rows, predict.Make[[rowChunk][rowSlots]vclock.Time](s.free.Arena))
		}
	}
	s.began++
	sec.users, sec.open = 1, true
	return sec
}

// heap is about how much of the Go heap it takes.
func (s *sections) heap() int {
	lists := predict.HeapBytes(s.tables, s.queue) + predict.HeapBytes(s.tables, s.wide)
	return s.free.Bytes() + lists + 8*cap(s.number) + 4*(cap(s.refs)+cap(s.left)+cap(s.ids))
}

// hold adds a mark of a section.
func (s *sections) hold(id uint32) { s.refs[id]++ }

// unmark drops a mark of a section.
func (s *sections) unmark(id uint32) {
	if s.refs[id]--; s.refs[id] == 0 {
		s.forget(id)
	}
}

// forget frees an id.
func (s *sections) forget(id uint32) {
	if int(id) < len(s.wide) {
		s.pool.Drop(s.wide[id])
		s.wide[id] = nil
	}
	s.ids = append(s.ids, id)
}

// join adds H of the release of a section, which is not open, to a clock.
func (s *sections) join(c *vclock.Clock, id uint32, slot vclock.Slot, o vclock.Orders) {
	if int(id) < len(s.wide) && s.wide[id] != nil {
		c.Join(s.pool, s.wide[id], o)
	} else {
		c.JoinTimes(s.pool, s.rows[id>>rowChunkBits][id%rowChunk][:])
	}
	c.Raise(s.pool, slot, s.left[id])
}

// drop drops one reference to a section.
func (s *sections) drop(sec *section) {
	if sec.users--; sec.users > 0 {
		return
	}
	sec.enter.drop(s.pool)
	sec.leave.drop(s.pool)
	sec.fails.Reset(s.pool)
	s.unmark(sec.id)
	*sec = section{}
	s.free.Put(sec)
}

// closed is called when leave of a section is known.
func (s *sections) closed(sec *section) {
	s.left[sec.id] = sec.leave.Time
	if s.refs[sec.id] == 1 || sec.leave.Vec.CopyTo(s.rows[sec.id>>rowChunkBits][sec.id%rowChunk][:]) {
		return // it has no marks, or a row has room for it
	}
	for int(sec.id) >= len(s.wide) {
		s.wide = predict.Append(s.tables, s.wide, nil)
	}
	s.wide[sec.id] = sec.leave.Vec.Hold()
}

// log adds a closed section to its lock's log. A section is not needed there if no edge left its
// goroutine between its acquire and its release: then a goroutine that knows the acquire also knows
// the release, with all that it includes, and rule (b) adds nothing.
func (s *sections) log(sec *section) {
	sec.users++
	sec.logged = 160 + sec.leave.Vec.Size()
	s.bytes += sec.logged
	s.queue = predict.Append(s.tables, s.queue, sec)
	if old := sec.lk.append(s.tables, sec); old != nil {
		s.unlog(old) // the queue still has its reference
		s.dead++
		s.sweep()
	}
}

// trim drops sections until the rest keeps to the budget. It is called when full returns true.
// known says whether all live goroutines know an event.
func (s *sections) trim(known func(vclock.Stamp) bool) {
	for s.head < len(s.queue) {
		if old := s.queue[s.head]; old.logged > 0 && !known(old.leave.Stamp) {
			break
		}
		s.pop()
	}
	if budget := s.budget(); s.bytes > budget {
		for s.bytes > budget-budget/8 && s.head < len(s.queue)-1 {
			s.pop()
		}
	}
	s.next = s.bytes + min(s.bytes/2, s.budget()/8)
}

func (s *sections) budget() int {
	if s.Budget > 0 {
		return s.Budget
	}
	return DefaultBudget
}

// full reports whether trim is due: before the budget is exceeded, too, so that few sections are
// kept that no goroutine needs.
func (s *sections) full() bool { return s.bytes > max(s.next, min(s.budget()/8, trimAt)) }

// trimAt is how many bytes of logs need no trim.
const trimAt = 1 << 19

// pop removes the oldest section from the queue and from its lock's log.
func (s *sections) pop() {
	old := s.queue[s.head]
	s.queue[s.head] = nil
	s.head++
	if old.logged > 0 {
		old.lk.pop(old)
		s.unlog(old)
	} else {
		s.dead--
	}
	s.drop(old)
	if s.head > 1024 && s.head*2 > len(s.queue) {
		n := copy(s.queue, s.queue[s.head:])
		clear(s.queue[n:])
		s.queue = s.queue[:n]
		s.head = 0
	}
}

// unlog subtracts the section from the budget's bytes. The queue still refers to it.
func (s *sections) unlog(sec *section) {
	s.bytes -= sec.logged
	sec.logged = 0
}

// sweep removes the sections of freed locks from the queue when they are most of it. Otherwise
// they, with their clocks, would stay as long as an older section.
func (s *sections) sweep() {
	if s.dead < deadAt || 2*s.dead < len(s.queue)-s.head {
		return
	}
	live := s.queue[:0]
	for _, sec := range s.queue[s.head:] {
		if sec.logged > 0 {
			live = append(live, sec)
		} else {
			s.drop(sec)
		}
	}
	clear(s.queue[len(live):])
	s.queue, s.head, s.dead = live, 0, 0
}

// deadAt is how many sections of freed locks need no sweep.
const deadAt = 1 << 6

// lock is what the later sections of a lock depend on.
type lock struct {
	id     uint32 // never used again for another lock
	addr   trace.Addr
	hw     stamp        // H of the last Release; the paper's H_l. Zero if its section was hard from the beginning
	hx     vclock.Stamp // of a Release, without its vector, that includes all before by other slots than that of hw; at MaxTime when there is none
	pw     *vclock.Vec  // W of the last Release; the paper's P_l
	hr     vclock.Clock // H of all RReleases since
	pr     vclock.Clock // W of all RReleases since
	hard   object       // the hard sections' releases, (W6)
	coarse *vclock.Vec  // what comes before, if the lock was forgotten, (W15); nil once it is part of hard
	unseen *object      // the unseen sections' releases, (W11); nil for none

	loose bool // a Release came without its Acquire: hw need not include earlier releases

	open     []*section // oldest first
	nameless int        // how many open sections of shared slots there are, (W16)
	opaque   []*section // those that a later Opaque may depend on, (W8)

	writes fifo // closed write sections; each happens before the next
	reads  fifo // closed read sections, in the order of their releases
}

// fifo is a list of sections, the oldest of which may have been removed. Items are numbered from 1,
// removed ones included.
type fifo struct {
	gone uint64   // how many were removed
	at   []logged // the items, from head on
	head int
	thin uint64 // how many took the place of the one before since the last that did not
}

// A run of more than longRun items is thinned out, the more the longer it is: a goroutine that uses
// a lock all the time, and alone, would fill the budget. An item is left out for the next one. Rule
// (b) then has an earlier release in its place, so there may be more candidates, but no race is
// lost.
const (
	longRun  = 1 << 6
	thinning = 1 << 4
)

// logged is a section in a log, with its most used fields.
type logged struct {
	acq  vclock.Time
	slot vclock.Slot
	*section
}

func (f *fifo) end() uint64            { return f.gone + uint64(len(f.at)-f.head) } // number of the last
func (f *fifo) live() []logged         { return f.at[f.head:] }
func (f *fifo) oldest(s *section) bool { return f.head < len(f.at) && f.at[f.head].section == s }

// push adds a section, and returns the one whose place it takes, if it does.
func (f *fifo) push(t *predict.Tables, s *section) (old *section) {
	s.run = f.end() + 1
	if n := len(f.at); n > f.head && f.at[n-1].slot == s.slot && f.at[n-1].group == s.group {
		last := &f.at[n-1]
		s.run = last.run
		if length := f.end() - s.run; length > longRun && f.thin < length/thinning {
			f.thin++
			old = last.section
			*last = logged{s.acq, s.slot, s}
			return old
		}
		f.thin = 0
	}
	f.at = predict.Append(t, f.at, logged{s.acq, s.slot, s})
	return nil
}

// beginning is the index among the live items of the first one of the run that item i belongs to.
func (f *fifo) beginning(i int) int {
	if run := f.live()[i].run; run > f.gone {
		return int(run - f.gone - 1)
	}
	return 0
}

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

// append logs a section, and returns the one whose place it takes, if it does.
func (l *lock) append(t *predict.Tables, s *section) (old *section) {
	if s.shared {
		s.group = l.writes.end()
		return l.reads.push(t, s)
	}
	return l.writes.push(t, s)
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

// newest is the newest open section of l in that mode that g acquired; nil if there is none.
func (g *goroutine) newest(l *lock, shared bool) *section {
	for _, s := range slices.Backward(g.held) {
		if s.lk == l && s.shared == shared {
			return s
		}
	}
	return nil
}

// oldest is the oldest open section in that mode: the one that a goroutine ends that has none.
func (l *lock) oldest(shared bool) *section {
	for _, s := range l.open {
		if s.shared == shared {
			return s
		}
	}
	return nil
}

func (l *lock) close(s *section) {
	s.open = false
	if i := slices.Index(l.open, s); i >= 0 {
		l.open = slices.Delete(l.open, i, i+1)
	}
}

// forgetReleases drops H and P of the lock's releases.
func (l *lock) forgetReleases(pool *vclock.Pool) {
	l.hw.drop(pool)
	pool.Drop(l.pw)
	l.pw = nil
	l.hr.Reset(pool)
	l.pr.Reset(pool)
}

func (p *Predictor) lock(a trace.Addr) *lock {
	at := p.cells.Of(a)
	if at.lock == nil {
		p.lockIDs++
		at.lock = p.freeLists.locks.Get()
		at.lock.id, at.lock.addr = p.lockIDs, a
		p.locks++
		if p.cells.Faint.Has(a) { // (W15)
			at.lock.coarse = p.cells.Forgotten.Share()
		}
	}
	return at.lock
}

// forgetLock frees a lock, unless it is held.
func (p *Predictor) forgetLock(l *lock) bool {
	if len(l.open) > 0 {
		return false
	}
	l.forgetReleases(&p.pool)
	p.dropCoarse(l)
	p.reset(&l.hard)
	p.forgetUnseen(l)
	for _, s := range l.opaque {
		p.sections.drop(s)
	}
	for _, f := range []*fifo{&l.writes, &l.reads} {
		for _, s := range f.live() {
			p.sections.unlog(s.section) // the queue still has its reference
			p.sections.dead++
		}
		predict.Drop(&p.tables, f.at)
	}
	predict.Drop(&p.tables, l.opaque)
	p.sections.sweep()
	p.marks.leave(l.id)
	*l = lock{open: l.open[:0]}
	p.freeLists.locks.Put(l)
	return true
}

func (p *Predictor) forgetUnseen(l *lock) {
	if l.unseen != nil {
		p.reset(l.unseen)
		p.freeLists.objects.Put(l.unseen)
		l.unseen = nil
	}
}
