package std

import (
	"fmt"
	"slices"

	"github.com/racepred/racepred/internal/trace"
)

// plan is what has to be known of the whole trace before the first line.
type plan struct {
	events []trace.Event

	bounds    []trace.Addr // where variables begin and end, sorted: variable i is from bounds[i] to bounds[i+1] (S1)
	sections  []section
	byEvent   map[int]int              // acquires and releases to sections
	around    map[int][]int            // the sections that the goroutine of an Opaque is in
	holders   map[int][]int            // the sections that are open at a TryFail
	hardLocks map[trace.Addr]bool      // locks with hard sections, or TryFails that count as such
	readers   map[trace.Addr][]trace.G // the goroutines with soft sections in read mode
	pins      map[trace.Addr]users     // of Observe and Change
	looked    map[trace.Addr]bool      // objects of pins other than unseen Changes
	calls     map[trace.Addr]users     // of Opaque, by the locks around it
}

// section is a critical section; acq -1: open when the trace begins.
type section struct {
	lock         trace.Addr
	g            trace.G
	acq          int
	shared, hard bool
	handed       bool // another goroutine ends it
	tried        bool // a TryFail came while it was open

	took, tookHard int // edges that its acquire waited for, by number
}

// users says whether several goroutines do a thing.
type users struct {
	first   trace.G
	several bool
}

func use(m map[trace.Addr]users, a trace.Addr, g trace.G) {
	u, ok := m[a]
	if !ok {
		u.first = g
	}
	u.several = u.several || u.first != g
	m[a] = u
}

// maxCells is how many variables one access may fall into.
const maxCells = 1 << 16

func newPlan(events []trace.Event) (*plan, error) {
	p := &plan{
		events: events, byEvent: map[int]int{}, around: map[int][]int{}, holders: map[int][]int{},
		hardLocks: map[trace.Addr]bool{}, readers: map[trace.Addr][]trace.G{}, pins: map[trace.Addr]users{}, looked: map[trace.Addr]bool{}, calls: map[trace.Addr]users{},
	}
	open := map[trace.Addr][]int{} // by lock
	entered := map[trace.G][]int{} // by the goroutine that entered
	close := func(m []int, s int) []int { return slices.DeleteFunc(m, func(t int) bool { return t == s }) }
	for i := range events {
		ev := &events[i]
		switch spec := ev.Kind.Spec(); {
		case spec.Operand == trace.OnBytes && ev.Size > 0:
			p.bounds = append(p.bounds, ev.Addr, ev.Addr+trace.Addr(ev.Size))
		case spec.Opens:
			s := len(p.sections)
			p.byEvent[i] = s
			p.sections = append(p.sections, section{
				lock: ev.Addr, g: ev.G, acq: i, shared: spec.Shared, hard: ev.Flags&trace.FlagHard != 0,
			})
			open[ev.Addr] = append(open[ev.Addr], s)
			entered[ev.G] = append(entered[ev.G], s)
		case spec.Closes:
			s := p.ended(open[ev.Addr], i)
			p.byEvent[i] = s
			open[ev.Addr] = close(open[ev.Addr], s)
			entered[p.sections[s].g] = close(entered[p.sections[s].g], s)
		case ev.Kind == trace.TryFail:
			p.holders[i] = slices.Clone(open[ev.Addr])
			p.hardLocks[ev.Addr] = p.hardLocks[ev.Addr] || len(open[ev.Addr]) == 0
			for _, s := range open[ev.Addr] {
				p.sections[s].tried = true
			}
		case ev.Kind == trace.Opaque:
			p.around[i] = slices.Clone(entered[ev.G])
			for _, s := range entered[ev.G] {
				use(p.calls, p.sections[s].lock, ev.G)
			}
		case spec.Pin:
			use(p.pins, ev.Addr, ev.G)
			p.looked[ev.Addr] = p.looked[ev.Addr] || !ev.Unseen()
		}
	}
	for i := range p.sections {
		s := &p.sections[i]
		switch {
		case s.hard:
			p.hardLocks[s.lock] = true
		case s.shared && !slices.Contains(p.readers[s.lock], s.g):
			p.readers[s.lock] = append(p.readers[s.lock], s.g)
		}
	}
	slices.Sort(p.bounds)
	p.bounds = slices.Compact(p.bounds)
	for i := range events {
		if lo, hi := p.cells(&events[i]); events[i].Kind.Spec().Access && hi-lo > maxCells {
			return nil, fmt.Errorf("trace: event %d: %d bytes that other accesses take apart into %d variables; STD has no ranges, so at most %d",
				i, events[i].Size, hi-lo, maxCells)
		}
	}
	return p, nil
}

// ended finds the section that the release i ends: the goroutine's newest of that mode, else the
// oldest. If there is none, it adds one.
func (p *plan) ended(open []int, i int) int {
	ev := &p.events[i]
	shared := ev.Kind.Spec().Shared
	found := -1
	for _, s := range open {
		if p.sections[s].shared == shared && (found < 0 || p.sections[s].g == ev.G) {
			found = s
		}
	}
	if found < 0 { // (S6): a section of which only the end is in the trace
		p.sections = append(p.sections, section{lock: ev.Addr, g: ev.G, acq: -1, shared: shared, hard: true})
		return len(p.sections) - 1
	}
	if p.sections[found].g != ev.G {
		p.sections[found].hard, p.sections[found].handed = true, true
	}
	return found
}

// cells are the variables of an access or Alloc (S1).
func (p *plan) cells(ev *trace.Event) (lo, hi int) {
	if ev.Kind.Spec().Operand != trace.OnBytes || ev.Size == 0 {
		return 0, 0
	}
	lo, _ = slices.BinarySearch(p.bounds, ev.Addr)
	hi, _ = slices.BinarySearch(p.bounds, ev.Addr+trace.Addr(ev.Size))
	return lo, hi
}
