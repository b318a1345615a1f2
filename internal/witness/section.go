package witness

import (
	"slices"

	"github.com/racepred/racepred/internal/trace"
)

// section is a critical section. acq is -1 if it began before the trace, and rel is -1 if it does not end in the trace.
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

// closes matches a release with a section of its lock and mode: the newest open one of the release's goroutine, else the oldest open one of any goroutine, else
// one that began before the trace.
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

// perhapsHard reports whether the release ends a section that began before the trace, so that nobody knows whether the section is hard.
func (f *facts) perhapsHard(rel int32) bool { return f.sections[f.aux[rel]].acq < 0 }

// acquire is (P5).
func (p *closure) acquire(i int32) {
	s := &p.sections[p.aux[i]]
	if s.hard {
		p.releasesBefore(s.lock, i)
	} else {
		p.firstBefore(^s.lock, p.facts.locks[s.lock].hard, i, func(r int32) bool { return !p.certain || !p.f.perhapsHard(r) })
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

// releasesBefore puts all releases of the lock before event i into the set.
func (p *closure) releasesBefore(lock, i int32) {
	p.firstBefore(lock, p.facts.locks[lock].releases, i, func(int32) bool { return true })
}

// firstBefore puts the events of the list before event i into the set, those for which in is true. key names the list in prefix.
func (p *closure) firstBefore(key int32, list []int32, i int32, in func(int32) bool) {
	if len(list) == 0 || list[0] > i {
		return
	}
	if p.trial != nil {
		p.trial.prefix = append(p.trial.prefix, was[int32]{key, int(p.prefix[key])})
	}
	for n := p.prefix[key]; int(n) < len(list) && list[n] < i; n++ {
		if in(list[n]) {
			p.include(list[n])
		}
		p.prefix[key] = n + 1
	}
}

// without returns the part of a list of the lock's releases, up to event i, that is left without those which are before a hard section that ended before i: they come before its acquire.
func (f *facts) without(l *lockHistory, list []int32, i int32) []int32 {
	n, _ := slices.BinarySearch(list, i)
	last, _ := slices.BinarySearch(l.hard, i)
	for k := last - 1; k >= max(last-fewHard, 0); k-- {
		if s := &f.sections[f.aux[l.hard[k]]]; s.hard && s.acq >= 0 && !(s.shared && f.gnum[s.acq] != f.gnum[s.rel]) { // (I3)
			from, _ := slices.BinarySearch(list[:n], s.acq)
			return list[from:n]
		}
	}
	return list[:n]
}

// fewHard is how many hard sections without looks at. Mostly the last one will do.
const fewHard = 4

func (r *saturation) acquire(i int32) bool {
	me := &r.sections[r.aux[i]]
	l := &r.facts.locks[me.lock]
	list := l.hard
	if me.hard {
		list = l.releases
	}
	for _, rel := range r.without(l, list, i) {
		if perhaps := !me.hard && r.perhapsHard(rel); !(perhaps && r.proof) && !r.edge(rel, i) {
			return false
		}
	}
	for _, s := range l.before {
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
	l := &d.facts.locks[c.lock]
	if c.hard {
		return d.allDone(d.without(l, l.releases, i))
	}
	return d.allDone(d.without(l, l.hard, i))
}
