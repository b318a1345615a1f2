package witness

import (
	"github.com/racepred/racepred/internal/trace"
)

// A box may need no search although its sections cannot all stay in the trace's order. A saturation
// starts with the orders that every schedule of the box keeps, and adds what follows from them.
// Then it takes the events one by one, the earliest in the trace that can be next, and adds each
// choice to the order. So sections change places only where they have to. (Shi, Mathur,
// Pavlogiannis, ICSE 2024, do this for sections that an access keeps open. The closure is that of
// M2, Pavlogiannis, POPL 2020.)
//
//	(R1) the orders of the closure for single events, (P1) to (P8). An Observe also comes before the
//	     Changes that it did not see, and a TryFail before the releases of the sections it saw, or
//	     before all later acquires if it saw none. The seen store of a byte comes before the unseen
//	     Writes that a Read finds in it, and appends that it finds keep their order
//	(R2) before a section that stays open begins, all other sections of its lock that it cannot
//	     overlap end
//	(R3) if two sections of a lock cannot overlap, and the acquire of one comes before the release
//	     of the other, then its release comes before the other's acquire
//	(R4) if a Read takes a byte from a store, then another store of the byte that comes before the
//	     Read comes before that store, and one that comes after that store comes after the Read. The
//	     same holds for an unseen Write that the Read does not find. An append counts as such a Read
//	     of the seen stores of its list
//
// A contradiction means that this box has no schedule; a dead end means that the choices were bad.
// In both cases the search goes on.
type saturation struct {
	*Finder
	order
	stayOpen map[int32]bool
	spans    bool            // units are what (B4) keeps together
	proof    bool            // only orders that every schedule keeps are used
	unsure   bool            // a section began before the trace although the run does not: the trace lacks events, and a contradiction proves nothing
	index    map[int32]int32 // goroutine to its number in the box
	of       map[int32]int32 // event to unit
	first    []int32         // by unit, the first event
	size     []int32         // by unit, how many events it has

	locks    map[int32][]*queue // by lock, the sections that end
	used     []int32            // the locks, in the order they came up
	contents *contents
	cells    []*cell // those that were accessed so far
	reads    []reading
}

// queue is a goroutine's sections of a lock in one mode, without those that stay open.
type queue struct {
	list    []int32
	shared  bool
	ordered bool // each is ended by the goroutine itself, before the next begins
	next    int  // the first that has not begun yet in the schedule that is being made
}

// cell is a cell of the box with its stores.
type cell struct {
	stores [][]int32 // seen ones, by goroutine
	unseen [][]int32 // by goroutine
}

// reading is a cell that a Read or an append takes from a seen store (from, -1 none).
type reading struct {
	*cell
	read, from int32
	seen       bool // of an append: only seen stores matter
}

// stepsPerState is how many steps cost as much as a state of the search. A step is a look at the
// order or a change of it. With the default number of states, a box takes a million of them at
// most.
const stepsPerState = 250

// orderPerBox bounds the numbers of an order, for each event that Options.Box allows. An order has
// one number for every event and goroutine of the box (by default at most 16 MB).
const orderPerBox = 64

// saturated returns a schedule of the box, in which spans says whether (B4) holds, or nil.
func (f *Finder) saturated(all []int32, stayOpen map[int32]bool, spans bool) []int32 {
	r := newSaturation(f, all, stayOpen)
	if r == nil {
		return nil
	}
	r.spans = spans
	defer r.countSteps()
	if !r.close(all) {
		return nil
	}
	return r.linearize(len(all))
}

// newSaturation returns nil when the box has too many events.
func newSaturation(f *Finder, all []int32, stayOpen map[int32]bool) *saturation {
	if len(all) > f.opts.Box || len(all)*len(f.set.touched) > orderPerBox*f.opts.Box {
		return nil
	}
	r := &saturation{
		Finder: f, stayOpen: stayOpen, index: map[int32]int32{}, of: map[int32]int32{},
		locks: map[int32][]*queue{}, contents: newContents(f.evs, all),
	}
	r.cells = make([]*cell, r.contents.N)
	r.steps = f.opts.States * stepsPerState
	return r
}

// countSteps adds the steps to the events that the Finder has looked at.
func (r *saturation) countSteps() {
	r.set.looked += (r.opts.States*stepsPerState - r.steps) / stepsPerEvent
}

// stepsPerEvent is how many steps cost as much as a look at an event.
const stepsPerEvent = 8

// close makes the order of the events and closes it. False means a contradiction, or no more steps.
func (r *saturation) close(all []int32) bool {
	r.units(all)
	for _, i := range all {
		r.note(i)
	}
	for _, i := range all {
		if !r.edgesOf(all, i, &r.evs[i]) {
			return false
		}
	}
	for n := 1; n < len(r.set.executed); n++ {
		if !r.edge(r.set.executed[n-1], r.set.executed[n]) {
			return false
		}
	}
	return r.placed() && r.staysOpen() && r.saturate()
}

// units makes a unit of each event, or of the events that (B4) keeps together.
func (r *saturation) units(all []int32) {
	for _, g := range r.set.touched {
		r.index[g] = int32(len(r.gs))
		r.gs = append(r.gs, nil)
	}
	last := make([]int32, len(r.gs))
	for _, i := range all {
		k := r.index[r.gnum[i]]
		if n := len(r.gs[k]); n > 0 && r.spans && !r.evs[i].Kind.Spec().EndsSpan {
			r.of[i] = last[k]
			r.size[last[k]]++
			continue
		}
		u := r.unit(k)
		r.of[i], last[k] = u, u
		r.first = append(r.first, i)
		r.size = append(r.size, 1)
	}
}

// note gathers sections, stores and reads.
func (r *saturation) note(i int32) {
	e := &r.evs[i]
	if e.Kind == trace.Read && !r.ofList(i) || e.Append() {
		at, found := r.contents.read(i)
		for k, c := range found {
			r.reads = append(r.reads, reading{r.cell(at.Lo + int32(k)), i, c.last - 1, e.Append()})
		}
	}
	switch spec := e.Kind.Spec(); {
	case spec.Opens:
		if s := r.aux[i]; !r.stayOpen[s] && !(r.proof && r.strange(&r.sections[s])) {
			r.section(s)
		}
	case spec.Stores:
		k := r.index[r.gnum[i]]
		r.stored(i, func(c *cell) {
			list := c.stores
			if e.Unseen() {
				list = c.unseen
			}
			list[k] = append(list[k], i)
		})
	}
}

// stored calls f with the cells that event i stores to.
func (r *saturation) stored(i int32, f func(*cell)) {
	for at := r.contents.of(i); at.Lo < at.Hi; at.Lo++ {
		f(r.cell(at.Lo))
	}
}

func (r *saturation) cell(n int32) *cell {
	if r.cells[n] == nil {
		r.cells[n] = &cell{stores: make([][]int32, len(r.gs)), unseen: make([][]int32, len(r.gs))}
	}
	return r.cells[n]
}

func (r *saturation) section(s int32) {
	c := &r.sections[s]
	for _, q := range r.locks[c.lock] {
		p := &r.sections[q.list[len(q.list)-1]]
		if q.shared != c.shared || p.g != c.g {
			continue
		}
		q.ordered = q.ordered && p.rel >= 0 && p.rel < c.acq && r.gnum[p.rel] == c.g
		q.list = append(q.list, s)
		return
	}
	if r.locks[c.lock] == nil {
		r.used = append(r.used, c.lock)
	}
	r.locks[c.lock] = append(r.locks[c.lock], &queue{list: []int32{s}, shared: c.shared, ordered: true})
}

// edge puts event a before event b, if b is in the box. False means a contradiction, which includes
// that a is not in the box.
func (r *saturation) edge(a, b int32) bool {
	u, in := r.of[a]
	v, wants := r.of[b]
	switch {
	case !wants:
		return true
	case !in:
		return false
	case u == v:
		return a < b
	}
	return r.add(u, v)
}

// edges puts all events of the list before event b.
func (r *saturation) edges(list []int32, b int32) bool {
	for _, a := range list {
		if !r.edge(a, b) {
			return false
		}
	}
	return true
}

// staysOpen is (R2).
func (r *saturation) staysOpen() bool {
	for _, s := range sorted(r.stayOpen) {
		me := &r.sections[s]
		for o := range r.stayOpen {
			if c := &r.sections[o]; o != s && c.lock == me.lock && !(c.shared && me.shared) {
				return false
			}
		}
		for _, q := range r.locks[me.lock] {
			if q.shared && me.shared {
				continue
			}
			for _, o := range q.list {
				rel := r.sections[o].rel
				if _, in := r.of[rel]; !in && r.proof {
					continue // (I2) has seen it, or the section may end after the trace
				} else if me.acq < 0 && !r.fromBefore() {
					continue
				} else if !in || me.acq < 0 || !r.edge(rel, me.acq) {
					return false
				}
			}
		}
		for _, o := range r.facts.locks[me.lock].before {
			if !r.fromBefore() {
				break
			}
			if c := &r.sections[o]; o != s && !(c.shared && me.shared) && (me.acq < 0 || !r.ended(c) || !r.edge(c.rel, me.acq)) {
				return false
			}
		}
	}
	return true
}

// ended reports whether the section ends in the box.
func (r *saturation) ended(c *section) bool {
	_, in := r.of[c.rel]
	return c.rel >= 0 && in
}

// fromBefore reports whether to use a section that began before the trace.
func (r *saturation) fromBefore() bool {
	if r.proof && !r.opts.Before {
		r.unsure = true
	}
	return !r.proof || r.byTrace(lacksBefore)
}
