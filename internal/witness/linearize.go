package witness

import (
	"slices"

	"github.com/racepred/racepred/internal/trace"
)

// edgesOf is (R1) for one event of the box.
func (r *saturation) edgesOf(all []int32, i int32, e *trace.Event) bool {
	if f := r.fork[r.gnum[i]]; r.place[i] == 0 && f >= 0 && !r.edge(f, i) {
		return false
	}
	if f := r.firstBefore(i); f >= 0 && !r.proof && !r.edge(f, i) { // (P10)
		return false
	}
	if !r.afterHard(i) { // (P5)
		return false
	}
	if r.ofList(i) {
		ok := true
		if e.Append() {
			r.stores.writers(i, func(w int32) { ok = ok && r.edge(w, i) }, func([]int32, int32) {})
		}
		return ok
	}
	return r.after(i, e, all)
}

// emission is a schedule that is being made.
type emission struct {
	*saturation
	done    []int32           // by goroutine, how many of its units are in the schedule
	open    map[int32][]int32 // by lock, the sections that are open
	last    map[*cell]int32   // the last seen store, plus one
	waiting map[held][]int    // the reads that need what a cell holds; some of them may be gone already
	readsOf map[int32][]int   // by event, its reads
	gone    []bool            // by read, whether it is in the schedule
}

// held is a cell and the store that it holds, -1 for none.
type held struct {
	*cell
	from int32
}

// eventsPerStop is how many events lie between two questions of Options.Stop.
const eventsPerStop = 1024

// linearize makes a schedule of the box's n events, unit by unit, the earliest in the trace first.
// It returns nil if no unit can be next, if a choice contradicts the order, or if there are no more
// steps.
func (r *saturation) linearize(n int) []int32 {
	m := &emission{
		saturation: r, done: make([]int32, len(r.gs)), open: map[int32][]int32{}, last: map[*cell]int32{},
		waiting: map[held][]int{}, readsOf: map[int32][]int{}, gone: make([]bool, len(r.reads)),
	}
	for k := range r.reads {
		x := &r.reads[k]
		m.waiting[held{x.cell, x.from}] = append(m.waiting[held{x.cell, x.from}], k)
		m.readsOf[x.read] = append(m.readsOf[x.read], k)
	}
	for l := range r.locks {
		m.open[l] = slices.Clone(r.facts.locks[l].before)
	}
	schedule := make([]int32, 0, n)
	for len(schedule) < n {
		best := int32(-1)
		for g, list := range r.gs {
			if int(m.done[g]) == len(list) {
				continue
			}
			if u := list[m.done[g]]; (best < 0 || r.first[u] < r.first[best]) && m.ready(u) && m.allowed(u) {
				best = u
			}
		}
		if best < 0 || m.steps < 0 || len(schedule)%eventsPerStop == 0 && m.stopped() {
			return nil
		}
		m.done[r.g[best]]++
		for _, i := range r.events(best) {
			schedule = append(schedule, i)
			if !m.do(i) {
				return nil
			}
		}
		if r.changed && !r.saturate() {
			return nil
		}
	}
	return schedule
}

// events are the events of a unit.
func (r *saturation) events(u int32) []int32 {
	i := r.first[u]
	return r.list[r.gnum[i]][r.place[i] : r.place[i]+r.size[u]]
}

// ready reports whether all units are done that come before unit u in the order.
func (m *emission) ready(u int32) bool {
	m.steps -= 1 + len(m.done)/8
	for g, n := range m.before[u] {
		if m.done[g] < n {
			return false
		}
	}
	return true
}

// allowed reports whether the locks of the unit's acquires are free, and its stores hide nothing
// from reads to come. It need not look at what the unit reads: the order has those stores before
// the unit.
func (m *emission) allowed(u int32) bool {
	for _, i := range m.events(u) {
		switch e := &m.evs[i]; {
		case e.Kind.Spec().Opens:
			me := &m.sections[m.aux[i]]
			for _, o := range m.open[me.lock] {
				if !(me.shared && m.sections[o].shared) {
					return false
				}
			}
		case e.Kind.Spec().Stores:
			ok := true
			m.stored(i, func(c *cell) { ok = ok && !m.hides(u, i, c) })
			if !ok {
				return false
			}
		}
	}
	return true
}

// hides reports whether store i of unit u would hide what the cell holds from a read that is still
// to come.
func (m *emission) hides(u, i int32, c *cell) bool {
	found := false
	now := held{c, m.last[c] - 1}
	list := m.waiting[now]
	if len(list) == 0 {
		return false
	}
	m.steps -= len(list) / 4
	m.waiting[now] = slices.DeleteFunc(list, func(k int) bool {
		x := &m.reads[k]
		if !m.gone[k] && !(m.of[x.read] == u && x.read < i) && !(m.evs[i].Unseen() && (x.seen || x.from < i && i < x.read)) {
			found = true
		}
		return m.gone[k]
	})
	return found
}

// do notes that event i is in the schedule, and adds to the order what follows from that. False
// means that i reads another store than in the trace, or a contradiction.
func (m *emission) do(i int32) bool {
	e := &m.evs[i]
	for _, k := range m.readsOf[i] {
		if x := &m.reads[k]; m.last[x.cell] != x.from+1 {
			return false
		}
		m.gone[k] = true
	}
	switch spec := e.Kind.Spec(); {
	case spec.Opens:
		s := m.aux[i]
		me := &m.sections[s]
		m.open[me.lock] = append(m.open[me.lock], s)
		return m.stayOpen[s] || m.takesTurn(i, me)
	case spec.Closes:
		s := m.aux[i]
		l := m.sections[s].lock
		m.open[l] = slices.DeleteFunc(m.open[l], func(o int32) bool { return o == s })
	case spec.Stores:
		if !e.Unseen() {
			m.stored(i, func(c *cell) { m.last[c] = i + 1 })
		}
	}
	return true
}

// begun reports whether the section at q.next has begun.
func (m *emission) begun(q *queue) bool {
	if q.next == len(q.list) {
		return false
	}
	u := m.of[m.sections[q.list[q.next]].acq]
	return m.num[u] < m.done[m.g[u]]
}

// takesTurn orders the acquire i of section me before those of the lock that are still to come.
func (m *emission) takesTurn(i int32, me *section) bool {
	for _, q := range m.locks[me.lock] {
		if q.shared && me.shared {
			continue
		}
		for m.begun(q) {
			q.next++
		}
		for _, o := range q.list[q.next:] {
			u := m.of[m.sections[o].acq]
			if m.num[u] < m.done[m.g[u]] {
				continue
			}
			if !m.add(m.of[i], u) {
				return false
			}
			if q.ordered {
				break
			}
		}
	}
	return true
}
