package check

import (
	"errors"
	"fmt"

	"github.com/racepred/racepred/internal/trace"
)

// section is a critical section. acq is -1 if it began before the trace, and rel is -1 if it does
// not end in the trace.
type section struct {
	acq, rel     int32
	g, lock      int32
	shared, hard bool
}

// lockHistory is the sections and the releases of a lock, each in the trace's order.
type lockHistory struct {
	sections []int32 // by their acquires
	before   []int32 // those that began before the trace
	releases []int32
	hard     bool // one of the sections is hard, or may be
}

func (b *building) lock(a trace.Addr) int32 {
	l, ok := b.lockOf[a]
	if !ok {
		l = int32(len(b.locks))
		b.lockOf[a] = l
		b.locks = append(b.locks, lockHistory{})
		b.open = append(b.open, nil)
		b.opaque = append(b.opaque, 0)
	}
	return l
}

func (b *building) opens(i int32, e *trace.Event) {
	s, l := int32(len(b.sections)), b.lock(e.Addr)
	c := section{acq: i, rel: -1, g: b.g[i], lock: l, shared: e.Kind.Spec().Shared, hard: e.Flags&trace.FlagHard != 0}
	b.sections = append(b.sections, c)
	b.locks[l].sections = append(b.locks[l].sections, s)
	b.locks[l].hard = b.locks[l].hard || c.hard
	b.open[l] = append(b.open[l], s)
	b.about[i] = s
	b.held[c.g] = append(b.held[c.g], s)
}

// closes matches a release with a section of its lock and mode: the newest open one of the
// release's goroutine, else the oldest open one of any goroutine (a hand-over), else one that began
// before the trace, which may be hard.
func (b *building) closes(i int32, e *trace.Event) {
	l, shared := b.lock(e.Addr), e.Kind.Spec().Shared
	b.locks[l].releases = append(b.locks[l].releases, i)
	at := -1
	for k, s := range b.open[l] {
		if b.sections[s].shared == shared && (at < 0 || b.sections[s].g == b.g[i]) {
			at = k
		}
	}
	if at < 0 {
		s := int32(len(b.sections))
		b.sections = append(b.sections, section{acq: -1, rel: i, g: b.g[i], lock: l, shared: shared, hard: true})
		b.locks[l].hard = true
		b.locks[l].before = append(b.locks[l].before, s)
		b.about[i] = s
		return
	}
	s := b.open[l][at]
	b.open[l] = append(b.open[l][:at], b.open[l][at+1:]...)
	b.sections[s].rel = i
	b.about[i] = s
	mine := b.held[b.sections[s].g]
	for k := range mine {
		if mine[k] == s {
			b.held[b.sections[s].g] = append(mine[:k], mine[k+1:]...)
			break
		}
	}
}

// holding lists the open sections of a lock.
func (r *replay) holding(lock int32) *[]int32 {
	if !r.opened[lock] {
		r.opened[lock] = true
		r.open[lock] = append([]int32(nil), r.locks[lock].before...)
	}
	return &r.open[lock]
}

// acquire is (C3) and (C6).
func (r *replay) acquire(i int32) error {
	me := &r.sections[r.about[i]]
	for _, k := range *r.holding(me.lock) {
		if s := &r.sections[k]; !(s.shared && me.shared) {
			return fmt.Errorf("the lock is held by g%d", r.evs[r.list[s.g][0]].G)
		}
	}
	if trace.TakesLock(r.evs, r.list[r.g[i]], int(r.place[i])) {
		return nil // begun asks, before the next event that does more
	}
	return r.afterHard(i)
}

// afterHard is (C6) for the section that acquire i begins.
func (r *replay) afterHard(i int32) error {
	me := &r.sections[r.about[i]]
	l := &r.locks[me.lock]
	if !l.hard {
		return nil
	}
	for _, rel := range l.releases[r.passed[me.lock]:] {
		if rel > i {
			break
		}
		if (me.hard || r.sections[r.about[rel]].hard) && !r.done(rel) {
			return fmt.Errorf("release %d comes before section %d, because one of the sections is hard", rel, i)
		}
	}
	return nil
}

// begun is (C6) before event i, for the sections that i's goroutine has begun since its last event
// that took no lock.
func (r *replay) begun(i int32) error {
	list := r.list[r.g[i]]
	k := int(r.place[i])
	if trace.TakesLock(r.evs, list, k) {
		return nil
	}
	for k--; k >= 0 && trace.TakesLock(r.evs, list, k); k-- {
		if !r.evs[list[k]].Kind.Spec().Opens {
			continue
		}
		if err := r.afterHard(list[k]); err != nil {
			return err
		}
	}
	return nil
}

// release is (C3).
func (r *replay) release(i int32) error {
	if a := r.sections[r.about[i]].acq; a >= 0 && !r.done(a) {
		return errors.New("the section it ends has not begun")
	}
	return nil
}

func (r *replay) entered(i int32) {
	s := r.about[i]
	open := r.holding(r.sections[s].lock)
	*open = append(*open, s)
}

func (r *replay) left(i int32) {
	s := r.about[i]
	l := r.sections[s].lock
	open := r.holding(l)
	for k := range *open {
		if (*open)[k] == s {
			*open = append((*open)[:k], (*open)[k+1:]...)
			break
		}
	}
	for list := r.locks[l].releases; int(r.passed[l]) < len(list) && r.done(list[r.passed[l]]); {
		r.passed[l]++
	}
}
