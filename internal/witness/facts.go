package witness

import (
	"slices"

	"github.com/racepred/racepred/internal/trace"
)

// facts is what a trace says about its events, gathered once.
type facts struct {
	evs     []trace.Event
	dropped bool

	gnum  []int32   // each event's goroutine, numbered by first appearance
	place []int32   // each event's place among its goroutine's
	list  [][]int32 // each goroutine's events
	fork  []int32   // each goroutine's Fork, -1 none
	byG   map[trace.G]int32

	// aux is one fact about an event, by its kind: of lock events the section; of hard events the newest release
	// the object held before, -1 none; of an Observe or Change an index into pins; of TryFail and Opaque one into lists; of
	// a Join the goroutine's Fork, -1 none.
	aux    []int32
	lists  [][]int32 // sections open at a TryFail; Opaques that come before an Opaque
	pins   []pin
	epochs []epoch

	sections []section
	locks    []lockHistory
	lockOf   map[trace.Addr]int32
	stores   stores
	header   map[int32]int32 // of a part of an append to a list the append, if the trace has it
}

// section is a critical section: acq -1 when it began before the trace, rel -1 when it does not end in it.
type section struct {
	acq, rel     int32
	lock         int32
	g            int32
	shared, hard bool
}

// lockHistory is a lock's history.
type lockHistory struct {
	sections []int32 // all
	before   []int32 // those that began before the trace
	releases []int32 // all releases in the trace's order
	hard     []int32 // those of hard sections, and of sections that began before the trace, which may be
}

func gather(evs []trace.Event, dropped bool) *facts {
	f := &facts{
		evs: evs, dropped: dropped,
		gnum: make([]int32, len(evs)), place: make([]int32, len(evs)), aux: make([]int32, len(evs)),
		byG: map[trace.G]int32{}, lockOf: map[trace.Addr]int32{}, stores: storesOf(evs), header: map[int32]int32{},
	}
	b := builder{
		facts: f, object: map[trace.Addr]int32{}, epoch: map[trace.Addr]int32{},
		forks: map[trace.G]int32{}, around: map[int32][]int32{}, opaque: map[int32]int32{}, latest: map[int32]int32{},
	}
	for i := range evs {
		b.event(int32(i), &evs[i])
	}
	for s := range f.sections {
		if c := &f.sections[s]; c.rel >= 0 && c.hard {
			f.locks[c.lock].hard = append(f.locks[c.lock].hard, c.rel)
		}
	}
	for l := range f.locks {
		slices.Sort(f.locks[l].hard)
	}
	return f
}

// builder is what gathering needs on its way.
type builder struct {
	*facts
	object map[trace.Addr]int32 // newest release held, plus one
	epoch  map[trace.Addr]int32 // the present one, plus one
	forks  map[trace.G]int32    // first Fork
	around map[int32][]int32    // goroutine to its open sections
	open   [][]int32            // lock to its open sections
	opaque map[int32]int32      // lock to its last Opaque in write mode, plus one
	latest map[int32]int32      // goroutine to an append whose parts come next
}

func (b *builder) event(i int32, e *trace.Event) {
	g, ok := b.byG[e.G]
	if !ok {
		g = int32(len(b.list))
		b.byG[e.G] = g
		b.list = append(b.list, nil)
		b.fork = append(b.fork, -1)
		if f, ok := b.forks[e.G]; ok {
			b.fork[g] = f
		}
	}
	b.gnum[i], b.place[i] = g, int32(len(b.list[g]))
	b.list[g] = append(b.list[g], i)

	b.noteParts(i, e, g)
	spec := e.Kind.Spec()
	switch {
	case spec.Opens:
		b.opens(i, e)
	case spec.Closes:
		b.closes(i, e)
	case spec.Takes || spec.Gives:
		b.aux[i] = b.object[e.Addr] - 1
		if spec.Gives {
			b.object[e.Addr] = i + 1
		}
	case spec.Pin:
		b.pin(i, e)
	}
	switch e.Kind {
	case trace.Fork:
		if _, ok := b.forks[trace.G(e.Other)]; !ok {
			b.forks[trace.G(e.Other)] = i
		}
	case trace.Join:
		b.aux[i] = -1
		if f, ok := b.forks[trace.G(e.Other)]; ok {
			b.aux[i] = f
		}
	case trace.TryFail:
		b.note(i, slices.Clone(b.open[b.lock(e.Addr)]))
	case trace.Opaque:
		var before []int32
		for _, s := range b.around[g] {
			l := b.sections[s].lock
			if o := b.opaque[l]; o > 0 {
				before = append(before, o-1)
			}
			if !b.sections[s].shared {
				b.opaque[l] = i + 1
			}
		}
		b.note(i, before)
	}
}

func (b *builder) note(i int32, list []int32) {
	b.aux[i] = int32(len(b.lists))
	b.lists = append(b.lists, list)
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

// closes matches a release: with the goroutine's newest open section of the mode, else with the oldest, else
// with one from before the trace.
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
		b.sections = append(b.sections, section{acq: -1, rel: i, lock: l, g: b.gnum[i], shared: shared, hard: true}) // it may be
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

// spanEnd is the place among its goroutine's events of the first event after i that ends a span.
func (f *facts) spanEnd(i int32) int32 {
	list := f.list[f.gnum[i]]
	p := f.place[i] + 1
	for int(p) < len(list) && !f.evs[list[p]].Kind.Spec().EndsSpan {
		p++
	}
	return p
}

// perhapsHard reports whether nobody knows if the section that ends with that release is a hard one, since it began before the trace.
func (f *facts) perhapsHard(rel int32) bool { return f.sections[f.aux[rel]].acq < 0 }
