package witness

import (
	"slices"

	"github.com/racepred/racepred/internal/goal"
	"github.com/racepred/racepred/internal/trace"
)

// depthFirst is the state of a depth-first search.
type depthFirst struct {
	*Finder
	goal     goal.Goal
	path     []int32           // the schedule so far
	gs       []int32           // the box's goroutines
	index    map[int32]int     // by goroutine, its place in gs
	pos      []int32           // by place in gs, how many events the goroutine has done
	end      []int32           // by place in gs, how many of its events are in the box
	ends     []int             // by event of the goal, the place in gs of its goroutine; -1 if that has no event in the box
	open     map[int32][]int32 // by lock, the sections that are open
	wants    map[int32][]int32 // by lock, the box's sections, for (B3)
	stayOpen map[int32]bool
	contents *contents
	holds    []content       // by cell
	changed  map[int32]int32 // by epoch, how many of its unseen Changes are done
	turn     map[int32]int32 // by append to a list, the one that has to come before it
	hash     uint64          // of pos and holds, which determine the rest of the state
	been     map[uint64]bool // hashes of the states that were searched
	full     bool            // the search was given up
	refused  bool            // the checker refused a schedule
}

func newDepthFirst(f *Finder, all []int32, n int, stayOpen map[int32]bool, g goal.Goal) *depthFirst {
	d := &depthFirst{
		Finder: f, goal: g, index: map[int32]int{}, open: map[int32][]int32{}, wants: map[int32][]int32{},
		stayOpen: stayOpen, contents: newContents(f.evs, all), changed: map[int32]int32{}, been: map[uint64]bool{},
	}
	d.holds = make([]content, d.contents.N)
	d.turn = d.inTurn(all)
	for _, g := range f.set.touched {
		d.index[g] = len(d.gs)
		d.gs = append(d.gs, g)
		d.end = append(d.end, f.set.need[g])
	}
	d.pos = make([]int32, len(d.gs))
	for _, i := range g.Events {
		x, ok := d.index[f.gnum[i]]
		if !ok {
			x = -1
		}
		d.ends = append(d.ends, x)
	}
	for _, i := range all {
		if f.evs[i].Kind.Spec().Opens {
			s := f.aux[i]
			l := f.sections[s].lock
			if _, ok := d.open[l]; !ok {
				d.open[l] = slices.Clone(f.facts.locks[l].before)
			}
			d.wants[l] = append(d.wants[l], s)
		}
	}
	for _, i := range all[:n] {
		d.apply(i, nil)
	}
	return d
}

// undo has what it takes to take one event back.
type undo struct {
	i     int32
	lock  int32     // of an acquire or release; -1 for another event
	open  []int32   // the open sections of the lock before
	first int32     // the first cell that the event stored to
	held  []content // the contents of its cells before
}

func mix(a, b uint64) uint64 {
	h := a*0x9e3779b97f4a7c15 + b
	h ^= h >> 29
	h *= 0xbf58476d1ce4e5b9
	h ^= h >> 32
	return h * 0x94d049bb133111eb
}

// apply does event i, which can be next.
func (d *depthFirst) apply(i int32, log *[]undo) {
	e := &d.evs[i]
	k := d.index[d.gnum[i]]
	u := undo{i: i, lock: -1}
	d.hash ^= mix(uint64(k)+1, uint64(d.pos[k])) ^ mix(uint64(k)+1, uint64(d.pos[k])+1)
	d.pos[k]++
	spec := e.Kind.Spec()
	switch {
	case spec.Opens:
		s := d.aux[i]
		u.lock = d.sections[s].lock
		u.open = d.open[u.lock]
		d.open[u.lock] = append(slices.Clip(u.open), s)
	case spec.Closes:
		s := d.aux[i]
		u.lock = d.sections[s].lock
		u.open = d.open[u.lock]
		now := make([]int32, 0, len(u.open))
		for _, o := range u.open {
			if o != s {
				now = append(now, o)
			}
		}
		d.open[u.lock] = now
	case spec.Stores:
		r := d.contents.of(i)
		if log != nil {
			u.first, u.held = r.Lo, slices.Clone(d.holds[r.Lo:r.Hi])
		}
		for k := r.Lo; k < r.Hi; k++ {
			d.hold(k, d.holds[k].after(i, e))
		}
	case e.Kind == trace.Change && e.Unseen():
		d.changed[d.pins[d.aux[i]].epoch]++
	}
	d.path = append(d.path, i)
	if log != nil {
		*log = append(*log, u)
	}
}

// hold sets what a cell holds, and updates the hash.
func (d *depthFirst) hold(cell int32, c content) {
	key := uint64(cell)<<1 | 1
	old := d.holds[cell]
	d.hash ^= mix(key, uint64(old.last)|uint64(old.unseen)<<32) ^ mix(key, uint64(c.last)|uint64(c.unseen)<<32)
	d.holds[cell] = c
}

func (d *depthFirst) takeBack(log []undo) {
	for n := len(log) - 1; n >= 0; n-- {
		u := &log[n]
		k := d.index[d.gnum[u.i]]
		d.hash ^= mix(uint64(k)+1, uint64(d.pos[k])) ^ mix(uint64(k)+1, uint64(d.pos[k])-1)
		d.pos[k]--
		if u.lock >= 0 {
			d.open[u.lock] = u.open
		}
		for k, c := range u.held {
			d.hold(u.first+int32(k), c)
		}
		if e := &d.evs[u.i]; e.Kind == trace.Change && e.Unseen() {
			d.changed[d.pins[d.aux[u.i]].epoch]--
		}
		d.path = d.path[:len(d.path)-1]
	}
}

// step does goroutine k's next event, and those that follow it by (B4). False means that one of
// them cannot be next.
func (d *depthFirst) step(k int, log *[]undo) bool {
	list := d.list[d.gs[k]]
	for n := 0; d.pos[k] < d.end[k]; n++ {
		i := list[d.pos[k]]
		if n > 0 && (!d.dropped || d.evs[i].Kind.Spec().EndsSpan) {
			break
		}
		if !d.possible(i) {
			return false
		}
		d.apply(i, log)
	}
	return true
}

// depthFirst searches for the rest of a schedule from the present state.
func (d *depthFirst) depthFirst() bool {
	if d.been[d.hash] {
		return false
	}
	if len(d.been) >= d.opts.States || len(d.been)%statesPerStop == statesPerStop-1 && d.opts.Stop != nil && d.opts.Stop() {
		d.full = true
		return false
	}
	d.been[d.hash] = true
	d.set.looked += len(d.gs) // each state looks at the next event of each goroutine
	if d.arrived() {
		if d.accept(d.path, d.goal) {
			return true
		}
		d.refused = true
	}
	for _, k := range d.order() {
		var log []undo
		if d.step(k, &log) && d.depthFirst() {
			return true
		}
		d.takeBack(log)
		if d.full {
			return false
		}
	}
	return false
}

// arrived reports whether all goroutines are at their events of the goal.
func (d *depthFirst) arrived() bool {
	for _, k := range d.ends {
		if k >= 0 && d.pos[k] < d.end[k] {
			return false
		}
	}
	return true
}

// order lists the goroutines that can go on, the one whose next event is earliest in the trace
// first.
func (d *depthFirst) order() []int {
	var ks []int
	for k := range d.gs {
		if d.pos[k] < d.end[k] {
			ks = append(ks, k)
		}
	}
	slices.SortFunc(ks, func(a, b int) int {
		return int(d.list[d.gs[a]][d.pos[a]] - d.list[d.gs[b]][d.pos[b]])
	})
	return ks
}
