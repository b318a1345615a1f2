package witness

import (
	"slices"

	"github.com/racepred/racepred/internal/trace"
)

// section is a critical section. acq is -1 if it began before the trace, and rel is -1 if it does
// not end in the trace.
type section struct {
	acq, rel     int32
	lock         int32
	g            int32
	shared, hard bool
}

// lockHistory is the sections and releases of a lock.
type lockHistory struct {
	sections []int32 // all of them
	before   []int32 // those that began before the trace
	releases []int32 // all releases in the trace's order
	hard     []int32 // releases of hard sections, and of sections that began before the trace, which may be hard
	surely   []int32 // those of hard without the latter
}

func (b *builder) lock(a trace.Addr) int32 {
	l, ok := b.lockOf[a]
	if !ok {
		l = int32(len(b.locks))
		b.lockOf[a] = l
		b.locks = append(b.locks, lockHistory{})
		b.open = append(b.open, nil)
	}
	return l
}

func (b *builder) opens(i int32, e *trace.Event) {
	s, l := int32(len(b.sections)), b.lock(e.Addr)
	b.sections = append(b.sections, section{
		acq: i, rel: -1, lock: l, g: b.gnum[i], shared: e.Kind == trace.RAcquire, hard: e.Flags&trace.FlagHard != 0,
	})
	b.aux[i] = s
	b.locks[l].sections = append(b.locks[l].sections, s)
	b.open[l] = append(b.open[l], s)
	b.around[b.gnum[i]] = append(b.around[b.gnum[i]], s)
}

// closes matches a release with a section of its lock and mode: the newest open one of the
// release's goroutine, else the oldest open one of any goroutine, else one that began before the
// trace.
func (b *builder) closes(i int32, e *trace.Event) {
	l, shared := b.lock(e.Addr), e.Kind == trace.RRelease
	b.locks[l].releases = append(b.locks[l].releases, i)
	at := -1
	for k, s := range b.open[l] {
		if c := &b.sections[s]; c.shared == shared && (at < 0 || c.g == b.gnum[i]) {
			at = k
		}
	}
	if at < 0 {
		s := int32(len(b.sections))
		b.sections = append(b.sections, section{acq: -1, rel: i, lock: l, g: b.gnum[i], shared: shared, hard: true}) // it may be hard
		b.locks[l].sections = append(b.locks[l].sections, s)
		b.locks[l].before = append(b.locks[l].before, s)
		b.aux[i] = s
		return
	}
	s := b.open[l][at]
	b.open[l] = slices.Delete(b.open[l], at, at+1)
	b.sections[s].rel = i
	b.aux[i] = s
	g := b.sections[s].g
	if k := slices.Index(b.around[g], s); k >= 0 {
		b.around[g] = slices.Delete(b.around[g], k, k+1)
	}
}

// waitsFor lists releases of the lock that come before an acquire (P5): in order, all that do,
// without those that come before the acquire of a hard section which ended before. If sure is set,
// it leaves out those of sections that nobody knows to be hard, unless the acquire's own is.
func (f *facts) waitsFor(acquire int32, sure bool) []int32 {
	c := &f.sections[f.aux[acquire]]
	l := &f.locks[c.lock]
	list := l.hard
	switch {
	case c.hard:
		list = l.releases
	case sure:
		list = l.surely
	}
	n, _ := slices.BinarySearch(list, acquire)
	last, _ := slices.BinarySearch(l.surely, acquire)
	for k := last - 1; k >= max(last-fewHard, 0); k-- {
		if s := &f.sections[f.aux[l.surely[k]]]; !s.shared || f.gnum[s.acq] == f.gnum[s.rel] { // else see (I3)
			from, _ := slices.BinarySearch(list[:n], s.acq)
			return list[from:n]
		}
	}
	return list[:n]
}

// takesLock reports whether event i only takes a lock, or is part of that. (P5) of such an acquire
// begins with a later event, see owed.
func (f *facts) takesLock(i int32) bool {
	return trace.TakesLock(f.evs, f.list[f.gnum[i]], int(f.place[i]))
}

// owed calls each with the earlier acquires whose (P5) begins with event i: if i is no such acquire
// itself, those that its goroutine has done since it last did more. It stops when each returns
// false, and returns what each returned.
func (f *facts) owed(i int32, each func(acquire int32) bool) bool {
	list, k := f.list[f.gnum[i]], f.place[i]-1
	if k < 0 || !f.evs[list[k]].Kind.Spec().Opens || f.takesLock(i) {
		return true
	}
	for ; k >= 0 && f.takesLock(list[k]); k-- {
		if f.evs[list[k]].Kind.Spec().Opens && !each(list[k]) {
			return false
		}
	}
	return true
}

// fewHard is how many hard sections waitsFor looks at. Mostly the last one will do.
const fewHard = 4

// afterHard is (P5) for the acquires before event i, which is in the set or one of the goal's next.
func (p *closure) afterHard(i int32) {
	p.owed(i, func(acquire int32) bool {
		p.includeAll(p.waitsFor(acquire, p.certain))
		return true
	})
}

// acquire is (P5) for the acquire's own event, and (P9).
func (p *closure) acquire(i int32) {
	if !p.takesLock(i) {
		p.includeAll(p.waitsFor(i, p.certain))
	}
	if p.locks {
		p.enter(p.aux[i])
	}
}

// release is (P6).
func (p *closure) release(i int32) {
	if s := &p.sections[p.aux[i]]; s.acq >= 0 && !(p.certain && p.f.strange(s)) {
		p.include(s.acq)
	}
}

func (r *saturation) afterHard(i int32) bool {
	return r.owed(i, func(acquire int32) bool { return r.edges(r.waitsFor(acquire, r.proof), i) })
}

func (r *saturation) acquire(i int32) bool {
	me := &r.sections[r.aux[i]]
	if !r.takesLock(i) && !r.edges(r.waitsFor(i, r.proof), i) {
		return false
	}
	for _, s := range r.facts.locks[me.lock].before {
		c := &r.sections[s]
		if c.shared && me.shared || r.proof && (!r.ended(c) || !r.fromBefore()) {
			continue
		}
		if !r.ended(c) || !r.edge(c.rel, i) {
			return r.stayOpen[r.aux[i]] // (R2) orders it
		}
	}
	return true
}

func (r *saturation) release(i int32) bool {
	if s := &r.sections[r.aux[i]]; s.acq >= 0 && !(r.proof && r.strange(s)) {
		return r.edge(s.acq, i)
	}
	return true
}

func (d *depthFirst) acquire(i int32) bool {
	s := d.aux[i]
	c := &d.sections[s]
	for _, o := range d.open[c.lock] {
		if !(c.shared && d.sections[o].shared) {
			return false
		}
	}
	if d.stayOpen[s] { // (B3)
		for _, o := range d.wants[c.lock] {
			w := &d.sections[o]
			if o != s && !(c.shared && w.shared) && !d.stayOpen[o] && !d.done(w.rel) {
				return false
			}
		}
	}
	return d.takesLock(i) || d.allDone(d.waitsFor(i, false))
}

func (d *depthFirst) afterHard(i int32) bool {
	return d.owed(i, func(acquire int32) bool { return d.allDone(d.waitsFor(acquire, false)) })
}
