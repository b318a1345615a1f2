//go:build racepred_seam

package process

import (
	"math/bits"
	"sync/atomic"
	"unsafe"
)

// The merge lays out what is known of the next tickets in a table, goroutine by goroutine: who has the ticket, and whose records without
// one have a stamp that puts them before it. Then it goes through the table.
//
// It looks no further than to the tickets that were handed out before it began to look (merger.until). A record may speak for another goroutine, too,
// which waits: what that one recorded before must be in sight (D4), though its goroutine was looked at first.

// cursor is one goroutine in the merge.
type cursor struct {
	g      *rpG
	r      *rpChunk // the next record to be converted
	laid   *rpChunk // the next record to be laid out
	end    *rpChunk // where to stop
	ri     uint32
	laidAt uint32
	endAt  uint32
	id     uint32
}

// place is what comes with one ticket. Cursors and runs are numbered from 1.
type place struct {
	of          uint32 // who has the ticket; 0: nobody, as far as is published
	first, last uint32 // runs that come before; 0: none
}

// run is some records without tickets of one goroutine, one after the other.
type run struct {
	of, n uint32
	next  uint32 // before the same ticket, 0: none
}

// The table has places for twice as many tickets as there are goroutines with records, within these bounds.
const (
	minPlaces = 1 << 13
	maxPlaces = 1 << 16
)

// merger has what one merge uses and the next one uses again.
type merger struct {
	cursors []cursor
	more    []uint32 // those of cursors that have records for later tables
	places  []place  // all zero but during a merge
	runs    []run
	laid    int    // records in the table
	until   uint64 // the first ticket that is left for the next merge
}

// merge consumes what is published now and reports whether no ticket was missing.
func (a *analysis) merge() bool {
	m := &a.merger
	m.open(a.check != nil)
	defer m.close()
	lost := runtime_lostAt() // if it is set from now on, all that was opened came before
	for {
		from := a.next
		m.lay(from)
		n := a.consume(from, lost)
		if n < len(m.places) {
			clear(m.places[n:])
			return a.lost || m.laid == 0 && len(m.more) == 0
		}
	}
}

// consume converts what is in the table, whose first place is that of ticket from, up to the first ticket that is missing or lost. It
// returns how many places it is done with.
func (a *analysis) consume(from, lost uint64) int {
	m := &a.merger
	for i := range m.places {
		p := &m.places[i]
		if at := from + uint64(i); lost != 0 && at+1 >= lost && p.of|p.first != 0 {
			a.lost = true
			return i
		}
		for no := p.first; no != 0; {
			run := m.runs[no-1]
			c := &m.cursors[run.of-1]
			for range run.n {
				a.convert(c.id, c.next())
			}
			m.laid -= int(run.n)
			no = run.next
		}
		switch {
		case p.of != 0:
			c := &m.cursors[p.of-1]
			a.convert(c.id, c.next())
			m.laid--
		case from+uint64(i) >= a.next: // if not, it is the second ticket of a fork
			return i
		}
		*p = place{}
	}
	return len(m.places)
}

// Where events are checked, a merge waits for some nanoseconds after every few goroutines that it looks at: what may happen in between
// seldom does.
const (
	checkEvery  = 3
	checkSlowly = 100e3
)

// open starts reading every goroutine, up to what it has published by now.
func (m *merger) open(slowly bool) {
	m.until = runtime_tickets()
	m.cursors, m.more = m.cursors[:0], m.more[:0]
	looked := 0
	for s := (*rpG)(runtime_all()); s != nil; s = s.next {
		end := (*rpChunk)(atomic.LoadPointer((*unsafe.Pointer)(unsafe.Pointer(&s.w))))
		if end == nil || s.r == nil {
			continue
		}
		endAt := atomic.LoadUint32(&end.n)
		if looked++; slowly && looked%checkEvery == 0 {
			for since := runtime_now(); runtime_now()-since < checkSlowly; {
			}
		}
		if s.r == end && s.ri >= endAt {
			continue
		}
		m.cursors = append(m.cursors, cursor{g: s, id: s.id, r: s.r, ri: s.ri, laid: s.r, laidAt: s.ri, end: end, endAt: endAt})
		m.more = append(m.more, uint32(len(m.cursors)))
	}
	if n := min(max(minPlaces, 2*len(m.cursors)), maxPlaces); n > len(m.places) {
		m.places = make([]place, 1<<bits.Len(uint(n-1)))
	}
}

// close remembers where the next merge goes on.
func (m *merger) close() {
	for i := range m.cursors {
		c := &m.cursors[i]
		c.turn()
		c.g.r, c.g.ri = c.r, c.ri
	}
}

// lay fills the table, which is empty, from that ticket on.
func (m *merger) lay(from uint64) {
	m.runs, m.laid = m.runs[:0], 0
	more := m.more[:0]
	for _, no := range m.more {
		if m.layOne(no, from) {
			more = append(more, no)
		}
	}
	m.more = more
}

// layOne lays out one goroutine's records, and reports whether there are some for later tables of this merge.
func (m *merger) layOne(no uint32, from uint64) bool {
	c := &m.cursors[no-1]
	r, i := c.laid, c.laidAt
	for to := c.to(r); ; i++ {
		if i == to {
			next := r.after()
			if r == c.end || next == nil {
				c.laid, c.laidAt = r, i
				return false
			}
			r, i, to = next, 0, c.to(next)
			if to == 0 {
				c.laid, c.laidAt = r, 0
				return false
			}
		}
		rec := &r.recs[i]
		stamp, ticketed := rec.when&rpStampMask, rec.what>>56 >= rpTicketed
		if stamp > m.until || ticketed && stamp == m.until {
			c.laid, c.laidAt = r, i
			return false
		}
		at := stamp - from
		if stamp < from {
			if ticketed {
				panic("internal error: process: a ticket comes twice")
			}
			at = 0 // published late
		}
		if at >= uint64(len(m.places)) {
			c.laid, c.laidAt = r, i
			return true
		}
		m.laid++
		p := &m.places[at]
		switch {
		case ticketed:
			p.of = no
		case p.last != 0 && m.runs[p.last-1].of == no:
			m.runs[p.last-1].n++
		default:
			m.runs = append(m.runs, run{of: no, n: 1})
			n := uint32(len(m.runs))
			if p.first == 0 {
				p.first = n
			} else {
				m.runs[p.last-1].next = n
			}
			p.last = n
		}
	}
}

// to is how many records of the chunk are to be read.
func (c *cursor) to(r *rpChunk) uint32 {
	if r == c.end {
		return c.endAt
	}
	return rpChunkLen
}

// next is the next record to be converted. There is one.
func (c *cursor) next() *rpRec {
	if c.ri == rpChunkLen {
		c.turn()
	}
	r := &c.r.recs[c.ri]
	c.ri++
	return r
}

// turn moves on from a chunk that is done with, if there is another, and frees it.
func (c *cursor) turn() bool {
	if c.ri != rpChunkLen || c.r == c.end {
		return false
	}
	next := c.r.after()
	if next == nil {
		return false
	}
	old := c.r
	c.r, c.ri = next, 0
	free(old)
	return true
}

// after is the chunk that comes after r, nil if it is not there yet.
func (r *rpChunk) after() *rpChunk {
	return (*rpChunk)(atomic.LoadPointer((*unsafe.Pointer)(unsafe.Pointer(&r.next))))
}
