// Package oracle finds the predictable races of a small trace by trying every correct reordering of
// it, and computes happens-before and WCP by their definitions. It shares no code with the
// predictors and the checker that it judges. Only tests and its own commands may import it.
//
// A correct reordering of a trace has of every goroutine a prefix of its events, and
//
//	(O1) a goroutine's first event after its Fork; a Join after all of the goroutine's events
//	(O2) no two overlapping sections of a lock unless both are in read mode; a release after its
//	     acquire
//	(O3) every byte read was last written by the same seen event as in the trace, and since then by
//	     the same unseen ones; Alloc counts as a write. Two unseen Writes with some bytes in common,
//	     but not all, stay in order
//	(O4) a HardAcquire or HardSwap after every release that its object held in the trace, unless it
//	     is unseen
//	(O5) a hard section's acquire after all releases of the lock before it in the trace, and an
//	     unseen one's after those of hard sections; after any other acquire, the first event of the
//	     goroutine that does more than to take another such lock comes after those releases, also if
//	     it is only next in what is to be shown
//	(O6) an Observe and a Change with the same last seen Change of their object and, but for an
//	     unseen Change, the same unseen ones since then
//	(O7) an Opaque with the same last Opaque in write mode, for each lock held
//	(O8) a TryFail while the sections that were open in the trace are open; when there was none,
//	     after all earlier and before all later sections of the lock
//	(O10) appends to lists and their parts as package trace has it (append.go)
//
// A race is a pair of conflicting accesses of one life of their bytes that some correct reordering
// leaves both as their goroutines' next events, with (O1) satisfied.
package oracle

import (
	"encoding/binary"
	"slices"

	"github.com/racepred/racepred/internal/trace"
)

// Pair is a pair of events by their places in the trace, the earlier first.
type Pair [2]int

// Seconds are the later events of pairs.
func Seconds(pairs map[Pair]bool) map[int]bool {
	m := map[int]bool{}
	for p := range pairs {
		m[p[1]] = true
	}
	return m
}

// Result is what exploring a trace found.
type Result struct {
	Races map[Pair]bool
	// Deadlocks are the cycles of goroutines waiting for each other's locks in which some correct
	// reordering ends: their acquisitions, as Cycle writes them. Of cycles that have acquisitions
	// in common, some may be missing.
	Deadlocks map[string]bool
	States    int
	Complete  bool // all correct reorderings were tried; otherwise the lists may lack something
}

// section is a critical section by the places of its ends: acq -1 before the trace, rel -1 never
// ended.
type section struct {
	lock     trace.Addr
	acq, rel int
	g        trace.G
	shared   bool
	hard     bool
	unseen   bool
}

type world struct {
	evs   []trace.Event
	gs    []trace.G
	of    map[trace.G][]int // each goroutine's events
	place []int             // of the event among its goroutine's
	gi    []int             // index into gs

	fork     map[trace.G]int
	sections []section
	byEvent  map[int]int // acquire or release to section
	vars     []trace.Addr
	varIx    map[trace.Addr]int
	objs     map[trace.Addr]int // pinned objects
	locks    map[trace.Addr]int // locks with opaque calls
	sees     map[int][]int      // what the event's cells of a state were in the trace
	needs    map[int][]int      // events that come before in every correct reordering
	hards    map[int][]int      // for an acquire, the releases of (O5)
	owes     map[int][]int      // those that come before the event because of acquires before it
	holds    map[int][]int      // releases that the object of a HardAcquire or HardSwap held
	holders  map[int][]int      // open sections at a TryFail
	opaques  map[int][]int      // sections around an Opaque
	life     map[int][]int      // for an access, the life of each of its bytes
	header   map[int]int        // of a part the append, if there is one
	inOrder  bool               // (O9)

	contents []content
	contentN map[string]int // by key
}

// state of an exploration: how far each goroutine is, and the content of each cell (-1 none).
type state struct {
	pos   []int
	cells []int
}

func (s *state) key() string {
	b := make([]byte, 0, 2*(len(s.pos)+len(s.cells)))
	for _, p := range s.pos {
		b = binary.AppendUvarint(b, uint64(p))
	}
	for _, c := range s.cells {
		b = binary.AppendUvarint(b, uint64(c+1))
	}
	return string(b)
}

// Explore tries all correct reorderings, as far as max states go.
func Explore(evs []trace.Event, max int) Result { return newWorld(evs).explore(max) }

func (w *world) explore(max int) Result {
	r := Result{Races: map[Pair]bool{}, Complete: true}
	start := w.start()
	seen := map[string]bool{start.key(): true}
	stack := []state{start}
	for len(stack) > 0 {
		s := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		w.look(&s, &r)
		for k := range w.gs {
			e, ok := w.next(&s, k)
			if !ok || !w.enabled(&s, e) {
				continue
			}
			n := s.clone()
			w.do(&n, e)
			if key := n.key(); !seen[key] {
				if len(seen) >= max {
					r.Complete = false
					continue
				}
				seen[key] = true
				stack = append(stack, n)
			}
		}
	}
	r.States = len(seen)
	return r
}

func newWorld(evs []trace.Event) *world {
	w := &world{
		evs: evs, of: map[trace.G][]int{}, fork: map[trace.G]int{}, byEvent: map[int]int{},
		varIx: map[trace.Addr]int{}, objs: map[trace.Addr]int{}, locks: map[trace.Addr]int{},
		sees: map[int][]int{}, needs: map[int][]int{}, hards: map[int][]int{}, owes: map[int][]int{}, holds: map[int][]int{}, holders: map[int][]int{}, opaques: map[int][]int{}, life: map[int][]int{},
		contentN: map[string]int{},
	}
	for i, e := range evs {
		if w.of[e.G] == nil {
			w.gs = append(w.gs, e.G)
		}
		w.gi = append(w.gi, slices.Index(w.gs, e.G))
		w.place = append(w.place, len(w.of[e.G]))
		w.of[e.G] = append(w.of[e.G], i)
		if _, ok := w.fork[trace.G(e.Other)]; e.Kind == trace.Fork && !ok {
			w.fork[trace.G(e.Other)] = i
		}
		w.names(&e)
	}
	w.matchSections()
	w.findAppends()
	for i, e := range evs {
		if e.Kind == trace.Opaque {
			for _, s := range w.around(i) {
				if _, ok := w.locks[w.sections[s].lock]; !ok {
					w.locks[w.sections[s].lock] = len(w.locks)
				}
				w.opaques[i] = append(w.opaques[i], s)
			}
		}
	}
	w.replay()
	return w
}

// around lists the sections that are open in the trace at event i, and were entered by its
// goroutine.
func (w *world) around(i int) (list []int) {
	for k, s := range w.sections {
		if s.g == w.evs[i].G && s.acq < i && (s.rel < 0 || s.rel > i) {
			list = append(list, k)
		}
	}
	return list
}

func (w *world) bytes(e trace.Event) (list []int) {
	for b := range trace.Addr(e.Size) {
		list = append(list, w.varIx[e.Addr+b])
	}
	return list
}

// replay runs the trace as it is and notes what every event saw.
func (w *world) replay() {
	cells := make([]int, len(w.vars)+len(w.objs)+len(w.locks))
	lives := make([]int, len(w.vars))
	for i := range cells {
		cells[i] = -1
	}
	held := map[trace.Addr][]int{}
	for i, e := range w.evs {
		for _, c := range w.cellsOf(i) {
			w.sees[i] = append(w.sees[i], cells[c])
		}
		for _, c := range w.writes(i) {
			cells[c] = w.after(cells[c], i)
		}
		w.meets(i, &e, lives, held)
	}
}

func (w *world) done(s *state, e int) bool { return s.pos[w.gi[e]] > w.place[e] }

func (w *world) isOpen(s *state, k int) bool {
	c := w.sections[k]
	return (c.acq < 0 || w.done(s, c.acq)) && (c.rel < 0 || !w.done(s, c.rel))
}

// next is goroutine k's next event, if it has been forked.
func (w *world) next(s *state, k int) (int, bool) {
	list := w.of[w.gs[k]]
	if s.pos[k] == len(list) {
		return 0, false
	}
	if f, ok := w.fork[w.gs[k]]; ok && s.pos[k] == 0 && f < list[0] && !w.done(s, f) {
		return 0, false
	}
	return list[s.pos[k]], true
}

func (w *world) enabled(s *state, i int) bool {
	e := w.evs[i]
	if !w.allDone(s, w.needs[i]) || !w.allDone(s, w.owes[i]) {
		return false
	}
	if h, part := w.header[i]; part {
		return w.partReady(s, i, h)
	}
	for x, c := range w.cellsOf(i) {
		if !e.Append() && !w.same(s.cells[c], w.sees[i][x], e.Kind == trace.Change && e.Unseen()) {
			return false
		}
	}
	if e.Append() && (!w.sameList(s, i) || w.cut(s, i)) {
		return false
	}
	if e.Kind == trace.Write && e.Unseen() && !w.keepsOverlaps(s, i) {
		return false
	}
	return w.mayBe(s, i, &e)
}

func (w *world) allDone(s *state, list []int) bool {
	for _, n := range list {
		if !w.done(s, n) {
			return false
		}
	}
	return true
}

// keepsOverlaps is the second half of (O3).
func (w *world) keepsOverlaps(s *state, i int) bool {
	a := &w.evs[i]
	for j := range w.evs {
		b := &w.evs[j]
		if b.Kind == trace.Write && b.Unseen() && trace.Overlap(a, b) && (a.Addr != b.Addr || a.Size != b.Size) && w.done(s, j) != (j < i) {
			return false
		}
	}
	return true
}

// blocker is a section that keeps the acquire i waiting, or -1.
func (w *world) blocker(s *state, i int) int {
	for k, c := range w.sections {
		if c.lock == w.evs[i].Addr && c.acq != i && w.isOpen(s, k) && !(c.shared && w.evs[i].Kind == trace.RAcquire) {
			return k
		}
	}
	return -1
}

// look notes the races and deadlocks of a state.
func (w *world) look(s *state, r *Result) {
	for k := range w.gs {
		e, ok := w.next(s, k)
		if !ok {
			continue
		}
		for l := range k {
			if f, ok := w.next(s, l); ok && w.Conflict(e, f) && w.races(s, e) && w.races(s, f) {
				r.Races[Pair{min(e, f), max(e, f)}] = true
			}
		}
	}
	w.cycles(s, r)
}

// Conflict reports whether two events of the trace are conflicting accesses of one life of a byte.
func (w *world) Conflict(i, j int) bool {
	a, b := w.evs[i], w.evs[j]
	if !trace.Conflict(&a, &b) {
		return false
	}
	return w.common(i, j)
}

// common reports whether two accesses have a byte of the same life in common.
func (w *world) common(i, j int) bool {
	a, b := w.evs[i], w.evs[j]
	for x := max(a.Addr, b.Addr); x < min(a.Addr+trace.Addr(a.Size), b.Addr+trace.Addr(b.Size)); x++ {
		if w.life[i][x-a.Addr] == w.life[j][x-b.Addr] {
			return true
		}
	}
	return false
}
