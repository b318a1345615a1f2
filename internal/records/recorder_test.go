package records

import (
	"sync/atomic"
	"unsafe"

	"github.com/racepred/racepred/internal/trace"
)

// recorder writes records as package runtime does.
type recorder struct {
	tickets uint64
	gs      []*recorded
}

// recorded has the records of one goroutine.
type recorded struct {
	id     uint32
	chunk  *Chunk // that is being written
	chunks int    // that there were
	read   Position
	late   []Record // written, but not yet published
}

func (r *recorder) start() *recorded {
	k := &Chunk{}
	g := &recorded{id: uint32(len(r.gs) + 1), chunk: k, chunks: 1, read: Position{Chunk: k}}
	r.gs = append(r.gs, g)
	return g
}

// plain records something that needs no ticket.
func (r *recorder) plain(g *recorded, kind, addr uint64, size int) {
	g.late = append(g.late, Record{What: kind<<56 | addr, Stack: 1, When: uint64(size)<<48 | r.tickets})
}

// ticketed records a synchronization.
func (r *recorder) ticketed(g *recorded, kind, addr uint64, size int) {
	g.late = append(g.late, Record{What: kind<<56 | addr, Stack: 1, When: uint64(size)<<48 | r.tickets})
	r.tickets++
}

// fork records that g starts another goroutine, which it returns.
func (r *recorder) fork(g *recorded) *recorded {
	started := r.start()
	r.ticketed(g, rpFork, uint64(started.id), 0)
	r.tickets++
	return started
}

// publish shows the first n records that are late.
func (g *recorded) publish(n int) {
	for _, rec := range g.late[:n] {
		if g.chunk.n == rpChunkLen {
			next := &Chunk{}
			atomic.StorePointer(&g.chunk.next, unsafe.Pointer(next))
			g.chunk = next
			g.chunks++
		}
		g.chunk.recs[g.chunk.n] = rec
		atomic.StoreUint32(&g.chunk.n, g.chunk.n+1)
	}
	g.late = g.late[n:]
}

func (r *recorder) publishAll() {
	for _, g := range r.gs {
		g.publish(len(g.late))
	}
}

// merge hands what is published to the merger, and reports whether it found every ticket.
func (r *recorder) merge(m *Merger, c *Converter, lost uint64) bool {
	m.Begin(r.tickets)
	var added []*recorded
	for _, g := range r.gs {
		if end := (Position{g.chunk, g.chunk.Published()}); g.read != end {
			m.Add(g.id, g.read, end)
			added = append(added, g)
		}
	}
	all := m.Merge(c, lost)
	for i, g := range added {
		g.read = m.Left(i)
	}
	return all
}

// converting returns a Converter whose events are appended to out. Each is checked.
func converting(out *[]trace.Event) *Converter {
	return NewConverter(Config{
		Take:    func(ev *trace.Event) { *out = append(*out, *ev) },
		Soft:    func(trace.Stack) bool { return true },
		Appends: func(trace.Stack) bool { return false },
		Check:   NewChecker(),
	})
}
