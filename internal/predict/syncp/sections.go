package syncp

import (
	"slices"

	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/mustorder"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

// sections remembers the sections of every lock, by goroutine and mode. The oldest go when there
// are too many: then closures are smaller, and there may be more candidates.
type sections struct {
	pool    *vclock.Pool
	most    int       // how many are remembered
	seq     trace.Seq // of the acquire at hand
	locks   predict.Index[uint64, history]
	several []*history // those that more than one goroutine has to do with
	open    map[uint64]place
	queue   []*log // of each section the log, oldest acquire first
	head    int
	evicted uint64
}

// maxSections is how many are remembered when there is memory for more; a variable for tests.
var maxSections = 1 << 20

// entryBytes is what a section takes, with its place in the queue and, while it is open, in open.
const entryBytes = 120

func (s *sections) stats() predict.Stats {
	n := (len(s.queue)-s.head)*entryBytes + s.locks.Bytes()
	return predict.Stats{Evicted: s.evicted, Memory: n, Heap: n}
}

// place is where a section that is open is.
type place struct {
	*log
	*history
	n int
}

// history has the sections of a lock.
type history struct {
	by      []*log
	several bool
}

// log has a goroutine's sections of a lock in one mode by their acquires. Entries are numbered from
// 0, gone ones included.
type log struct {
	lock   uint64
	slot   vclock.Slot
	shared bool
	gone   int
	list   []entry
}

// entry is one section.
type entry struct {
	seq   uint64       // of the acquire
	acq   vclock.Time  // epoch of the acquire
	end   vclock.Stamp // of the release
	open  bool
	own   bool // released by the goroutine that acquired
	loose int  // the newest section before it that the goroutine had not ended itself at its acquire; -1 none
}

func (l *log) at(n int) *entry { return &l.list[n-l.gone] }

func (l *log) mode() int {
	if l.shared {
		return 1
	}
	return 0
}

func (s *sections) opened(g *mustorder.Goroutine, sec *mustorder.Section) {
	h := s.locks.Get(sec.Lock())
	if h == nil {
		h = &history{}
		s.locks.Put(sec.Lock(), h)
	}
	l := h.log(sec, g.Slot())
	if slices.ContainsFunc(h.by, func(o *log) bool { return o.slot != h.by[0].slot }) {
		s.matters(h)
	}
	n := l.gone + len(l.list)
	e := entry{seq: uint64(s.seq), acq: g.Now(), open: true, loose: n - 1}
	if e.loose >= l.gone && l.at(e.loose).own {
		e.loose = l.at(e.loose).loose
	}
	l.list = append(l.list, e)
	if s.open == nil {
		s.open = map[uint64]place{}
	}
	s.open[sec.ID()] = place{l, h, n}
	s.queue = append(s.queue, l)
	if len(s.queue)-s.head > s.most {
		s.dropOldest()
	}
}

// matters has closures look at the sections of h.
func (s *sections) matters(h *history) {
	if !h.several {
		h.several = true
		s.several = append(s.several, h)
	}
}

func (s *sections) closed(g *mustorder.Goroutine, sec *mustorder.Section) {
	at, ok := s.open[sec.ID()]
	if !ok {
		return
	}
	delete(s.open, sec.ID())
	if at.n < at.gone {
		return
	}
	e := at.at(at.n)
	e.open, e.own = false, g.Slot() == at.slot
	if !e.own {
		s.matters(at.history)
	}
	e.end = vclock.Stamp{Vec: g.Known().Hold(), Slot: g.Slot(), Time: g.Now()}
}

// dropOldest forgets a section, and now and then the locks of which nothing is left.
func (s *sections) dropOldest() {
	l := s.queue[s.head]
	s.queue[s.head] = nil
	if s.head++; s.head*2 > len(s.queue) {
		s.queue = s.queue[:copy(s.queue, s.queue[s.head:])]
		s.head = 0
		s.sweep()
	}
	l.list[0].end.Drop(s.pool)
	l.list = l.list[1:]
	l.gone++
	s.evicted++
}

func (s *sections) sweep() {
	empty := func(h *history) bool {
		return !slices.ContainsFunc(h.by, func(l *log) bool { return len(l.list) > 0 })
	}
	s.several = slices.DeleteFunc(s.several, empty)
	var gone []uint64
	s.locks.All(func(h *history) bool {
		if empty(h) {
			gone = append(gone, h.by[0].lock)
		}
		return true
	})
	for _, k := range gone {
		s.locks.Delete(k)
	}
}

// log is the log of the section's mode and of the slot.
func (h *history) log(sec *mustorder.Section, slot vclock.Slot) *log {
	for _, l := range h.by {
		if l.slot == slot && l.shared == sec.Shared() {
			return l
		}
	}
	l := &log{lock: sec.Lock(), slot: slot, shared: sec.Shared()}
	h.by = append(h.by, l)
	return l
}
