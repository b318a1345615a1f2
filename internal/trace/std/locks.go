package std

import (
	"strconv"

	"github.com/racepred/racepred/internal/trace"
)

// lockState is what a lock with hard sections needs for (S6).
type lockState struct {
	all  queue // releases that a hard section waits for
	hard queue // those of hard sections, which every acquire waits for

	watches []string // variables of TryFails that met no section: acquires after them write there (S9)
	watched bool     // the last of them since the last acquire
}

// queue has the newest edges of a sequence. An edge keeps its number.
type queue struct {
	edges []edge
	from  int // number of edges[0]
}

func (q *queue) end() int { return q.from + len(q.edges) }

func (q *queue) add(e edge) { q.edges = append(q.edges[:len(q.edges):len(q.edges)], e) }

// drop forgets the edges below number n.
func (q *queue) drop(n int) {
	if n > q.from {
		q.edges = q.edges[n-q.from:]
		q.from = n
	}
}

func (x *exporter) lock(a trace.Addr) *lockState {
	l := x.locks[a]
	if l == nil {
		l = &lockState{}
		x.locks[a] = l
	}
	return l
}

func (x *exporter) acquire() {
	s := &x.sections[x.byEvent[x.seq]]
	if x.hardLocks[s.lock] { // (S6)
		l := x.lock(s.lock)
		for _, name := range l.watches { // (S9)
			x.write(name)
		}
		l.watched = false
		waits := l.hard.edges
		if s.hard {
			waits = l.all.edges
			s.took, s.tookHard = l.all.end(), l.hard.end()
		}
		for _, e := range waits {
			x.take(e)
		}
	}
	if !s.hard {
		x.enter(s)
	}
	if s.handed {
		x.give()
	}
	if s.tried {
		x.write(s.watched())
	}
}

func (x *exporter) release() {
	s := &x.sections[x.byEvent[x.seq]]
	if s.handed {
		x.take(edge(s.acq))
	}
	if s.tried {
		x.write(s.watched())
	}
	if !s.hard {
		x.leave(s)
	}
	if !x.hardLocks[s.lock] {
		return
	}
	l := x.lock(s.lock)
	e := x.give()
	if s.hard {
		// The edges it waited for come before its release, so later sections need not wait for them, too; unless another goroutine ends it.
		if s.g == x.ev.G {
			l.all.drop(s.took)
			l.hard.drop(s.tookHard)
		}
		l.hard.add(e)
	}
	l.all.add(e)
}

// enter takes the locks of a section, outermost sections only (S2), (S3).
func (x *exporter) enter(s *section) {
	k := entry{s.g, s.lock, s.shared}
	if x.depth[k]++; x.depth[k] > 1 {
		return
	}
	for _, name := range x.names(s) {
		x.line(trace.Acquire, name)
	}
}

func (x *exporter) leave(s *section) {
	k := entry{s.g, s.lock, s.shared}
	if x.depth[k]--; x.depth[k] > 0 {
		return
	}
	delete(x.depth, k)
	names := x.names(s)
	for i := len(names) - 1; i >= 0; i-- {
		x.line(trace.Release, names[i])
	}
}

// names are the locks of a section (S3).
func (x *exporter) names(s *section) []string {
	name := "L" + hex(s.lock)
	if s.shared {
		return []string{readLock(name, s.g)}
	}
	names := []string{name}
	for _, g := range x.readers[s.lock] {
		if g != s.g {
			names = append(names, readLock(name, g))
		}
	}
	return names
}

func readLock(name string, g trace.G) string { return name + ".T" + strconv.Itoa(int(g)) }

// tryFail is (S9). It reads a variable that the events write that must not come before it. They may
// come without it, if it does not come at all.
func (x *exporter) tryFail() {
	holders := x.holders[x.seq]
	for _, s := range holders {
		x.read(x.sections[s].watched())
	}
	if len(holders) > 0 {
		return
	}
	l := x.lock(x.ev.Addr)
	for _, e := range l.all.edges {
		x.take(e)
	}
	if !l.watched {
		l.watches = append(l.watches[:len(l.watches):len(l.watches)], "F"+strconv.Itoa(x.seq))
		l.watched = true
	}
	x.read(l.watches[len(l.watches)-1])
}

// watched is the variable that a section writes at its ends.
func (s *section) watched() string { return "S" + strconv.Itoa(s.acq) }

func (x *exporter) read(name string)  { x.under(name, func() { x.line(trace.Read, name) }) }
func (x *exporter) write(name string) { x.under(name, func() { x.line(trace.Write, name) }) }

// object is what a synchronization object holds, for (S5).
type object struct {
	held queue
	know map[trace.G]int // the edges below this number come before what the goroutine does next
}

func (x *exporter) hard() {
	o := x.objects[x.ev.Addr]
	if o == nil {
		o = &object{know: map[trace.G]int{}}
		x.objects[x.ev.Addr] = o
	}
	spec := x.ev.Kind.Spec()
	waits := o.held.edges
	if spec.Gives {
		e := x.give()
		if spec.Resets {
			o.held.drop(o.held.end())
		} else { // what comes before this release need not be held beside it
			o.held.drop(o.know[x.ev.G])
		}
		o.held.add(e)
	}
	if spec.Takes {
		for _, e := range waits {
			x.take(e)
		}
		if spec.Resets && !spec.Gives {
			o.held.drop(o.held.end())
		}
		o.know[x.ev.G] = o.held.end()
	}
}
