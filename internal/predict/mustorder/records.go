package mustorder

import (
	"github.com/racepred/racepred/internal/predict/shadow"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

// class is what two accesses of a word have in common if only their places in the order decide with
// which accesses they race.
type class struct {
	slot   vclock.Slot
	pos    uint32 // the source position, or the stack if there is none
	around Locks
	mask   shadow.Mask
	kind   trace.Kind
	flags  trace.Flags
}

// record is what Check reads of an access; the rest is in Records.rest.
type record struct {
	class
	time vclock.Time
	vec  *vclock.Vec // what came before the access; nil unless Records.Vectors
}

type rest struct {
	seq trace.Seq
	ev  trace.Event
}

// Found is an access that makes a candidate together with the present one.
type Found struct {
	Seq  trace.Seq
	Ev   trace.Event
	Slot vclock.Slot
	Time vclock.Time
	Vec  *vclock.Vec // what came before the access, without its own slot; only if Records.Vectors is set
}

// Records remembers, per byte, accesses with which a later one may race. Unlike in shadow.Accesses,
// an access does not replace an earlier one that comes before it in the order: whether both
// accesses of a pair can be next to each other depends on all that comes before the two. So
//
//	(R1) of each class the newest perClass are kept
//	(R2) of a class's accesses in one epoch the first is kept: no event is ordered after it and not
//	     after the others
//	(R3) a word keeps perWord; the oldest goes, and is counted as lost
type Records struct {
	shadow.Table[record]
	Lost uint64
	// Vectors says that every record has the vector of what came before the access.
	Vectors bool

	order    *Order
	pool     *vclock.Pool
	perClass int
	perWord  int
	rest     [][]rest // by the records' names
	found    []Found
}

const (
	// DefaultPerClass is the number of (R1) in the zero Config. TestPerClass counts what is lost by it: nothing in 2461 pairs of positions.
	DefaultPerClass = 1
	// DefaultPerWord is the number of (R3) in the zero Config.
	DefaultPerWord = 64

	maxAccesses = 2 << 20 // of all words

	restBits = 10
	restLen  = 1 << restBits
)

// NewRecords returns empty Records with the numbers of Config.
func (p *Order) NewRecords() *Records {
	t := &Records{order: p, pool: &p.pool, perClass: p.cfg.PerClass, perWord: p.cfg.PerWord}
	if t.perClass <= 0 {
		t.perClass = DefaultPerClass
	}
	if t.perWord <= 0 {
		t.perWord = DefaultPerWord
	}
	t.Record, t.Limit, t.Arena = recordBytes, maxAccesses, p.cfg.Arena
	if p.cfg.Memory > 0 {
		t.Limit = min(maxAccesses, p.AccessMemory()/recordBytes)
	}
	t.Drop, t.Materialize = func(_ shadow.Word, r *record) { t.pool.Drop(r.vec) }, t.materialize
	return t
}

func (t *Records) restOf(r shadow.Ref) *rest { return &t.rest[r>>restBits][r%restLen] }

func (t *Records) setRest(r shadow.Ref, v rest) {
	for int(r>>restBits) >= len(t.rest) {
		t.rest = append(t.rest, make([]rest, restLen))
	}
	t.rest[r>>restBits][r%restLen] = v
}

// looker goes through the lists of records for one access.
type looker struct {
	*Records
	me    record
	seq   trace.Seq
	ev    *trace.Event
	known *vclock.Vec
	slots *vclock.Slots

	n    int // records of the list
	same int // of these, in the access's class
	old  shadow.Ref
	dup  bool // (R2)
}

// Check takes in an access that g is about to do. It returns the earlier accesses in the trace that
// are in conflict with it, are not ordered before it and hold no common lock (M8), each once. The
// result is valid until the next call.
func (t *Records) Check(seq trace.Seq, ev *trace.Event, p *Order, g *Goroutine) []Found {
	for i := range t.found {
		t.pool.Drop(t.found[i].Vec)
	}
	t.found = t.found[:0]
	if ev.Size == 0 {
		return nil
	}
	t.Extra = t.order.excess(recordBytes)
	l := looker{Records: t, seq: seq, ev: ev, known: g.p.Vec(), slots: &p.slots}
	l.me = record{class{slot: g.slot, pos: uint32(ev.Site), around: g.around, mask: 0xff, kind: ev.Kind, flags: ev.Flags & trace.FlagAtomic}, g.now, nil}
	if t.Vectors {
		l.me.vec = g.p.Vec()
	}
	if ev.Site == 0 {
		l.me.pos = uint32(ev.Stack) | 1<<31
	}
	for w, last := shadow.WordOf(ev.Addr), shadow.WordOf(ev.Addr+trace.Addr(ev.Size)-1); w <= last; w++ {
		if shadow.Covers(w, ev.Addr, ev.Size) {
			l.page(w)
			w += shadow.PageWords - 1
			continue
		}
		l.me.mask = shadow.MaskOf(w, ev.Addr, ev.Size)
		list, wide := t.Lists(w)
		if wide != nil {
			l.look(wide)
		}
		l.keep(w, list)
		l.me.mask = 0xff
	}
	return t.found
}

// page is word for all words of the page that begins with w.
func (l *looker) page(w shadow.Word) {
	words, whole, narrow := l.Page(w)
	if narrow {
		for i := range words {
			l.look(&words[i])
		}
	}
	l.keep(shadow.Whole(w), whole)
}

// look compares the access with the records of a list.
func (l *looker) look(at *shadow.Ref) {
	l.n, l.same, l.old, l.dup = 0, 0, 0, false
	var oldest vclock.Time
	for *at != 0 {
		ref := *at
		r, next := l.At(ref)
		l.n++
		switch {
		case r.slot == l.me.slot:
			if r.class == l.me.class {
				l.dup = l.dup || r.time == l.me.time
				if l.same++; l.same == 1 || r.time < oldest {
					l.old, oldest = ref, r.time
				}
			}
		case r.mask&l.me.mask == 0, r.kind != trace.Write && l.me.kind != trace.Write, r.flags&l.me.flags != 0:
		case r.time <= l.known.At(r.slot), r.time == vclock.MaxTime, l.slots.Stale(r.slot, r.time):
		case Protects(&r.around, &l.me.around):
		default:
			l.candidate(ref, r)
		}
		at = next
	}
}

// candidate notes a record once per check, though its access may come up in several words.
func (l *looker) candidate(ref shadow.Ref, r *record) {
	v := l.restOf(ref)
	for i := range l.found {
		if l.found[i].Seq == v.seq {
			return
		}
	}
	l.found = append(l.found, Found{v.seq, v.ev, r.slot, r.time, r.vec.Hold()})
}

// keep is look for w's list, and adds the access to it.
func (l *looker) keep(w shadow.Word, list *shadow.Ref) {
	if list != nil {
		l.look(list)
	} else {
		l.n, l.same, l.dup = 0, 0, false
	}
	switch {
	case l.dup: // (R2)
		return
	case l.same >= l.perClass: // (R1)
		r, _ := l.At(l.old)
		r.time = l.me.time
		if r.vec != l.me.vec {
			l.pool.Drop(r.vec)
			r.vec = l.me.vec.Hold()
		}
		l.setRest(l.old, rest{l.seq, *l.ev})
		return
	case l.n >= l.perWord: // (R3)
		l.dropOldest(w, list)
	}
	l.me.vec.Hold()
	l.setRest(l.Add(w, l.me), rest{l.seq, *l.ev})
}

func (l *looker) dropOldest(w shadow.Word, at *shadow.Ref) {
	for {
		r, next := l.At(*at)
		if *next == 0 {
			l.Lost++
			l.pool.Drop(r.vec)
			l.Remove(w, at)
			return
		}
		at = next
	}
}

// Forget drops the accesses of the bytes [addr, addr+size), which are allocated anew.
func (t *Records) Forget(addr trace.Addr, size uint32) {
	t.Clear(addr, size, func(_ shadow.Word, r *record, m shadow.Mask) bool {
		r.mask &^= m
		return r.mask != 0
	})
}

// materialize is Table.Materialize.
func (t *Records) materialize(from shadow.Ref, to shadow.Word) {
	r, _ := t.At(from)
	r.vec.Hold()
	t.setRest(t.Add(to, *r), *t.restOf(from))
}
