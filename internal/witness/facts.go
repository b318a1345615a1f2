package witness

import (
	"slices"

	"github.com/racepred/racepred/internal/trace"
)

// facts are the facts about a trace's events that a search needs, gathered once.
type facts struct {
	evs     []trace.Event
	dropped bool

	gnum  []int32   // each event's goroutine, numbered by first appearance
	place []int32   // each event's place among its goroutine's events
	list  [][]int32 // each goroutine's events
	fork  []int32   // each goroutine's Fork, -1 none
	byG   map[trace.G]int32

	// aux is one fact about an event, by its kind. An acquire or release: its section. A hard event: the newest release that
	// its object held before, -1 none. An Observe or Change: an index into pins. A TryFail or Opaque: an index into
	// lists. A Join: the goroutine's Fork, -1 none.
	aux    []int32
	lists  [][]int32 // of a TryFail, the sections that are open; of an Opaque, the Opaques of (P7)
	pins   []pin
	epochs []epoch

	sections []section
	locks    []lockHistory
	lockOf   map[trace.Addr]int32
	stores   stores
	header   map[int32]int32 // by part of an append to a list, the append, if the trace has it
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
			l := &f.locks[c.lock]
			l.hard = append(l.hard, c.rel)
			if c.acq >= 0 {
				l.surely = append(l.surely, c.rel)
			}
		}
	}
	for l := range f.locks {
		slices.Sort(f.locks[l].hard)
		slices.Sort(f.locks[l].surely)
	}
	return f
}

// builder is the state while the facts are gathered.
type builder struct {
	*facts
	object map[trace.Addr]int32 // the newest release that an object holds, plus one
	epoch  map[trace.Addr]int32 // the present epoch of an object, plus one
	forks  map[trace.G]int32    // a goroutine's first Fork
	around map[int32][]int32    // by goroutine, its open sections
	open   [][]int32            // by lock, its open sections
	opaque map[int32]int32      // by lock, its last Opaque in write mode, plus one
	latest map[int32]int32      // by goroutine, the append whose parts its next events are
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
	b.gather(i, e)
}

func (b *builder) note(i int32, list []int32) {
	b.aux[i] = int32(len(b.lists))
	b.lists = append(b.lists, list)
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
