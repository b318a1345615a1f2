package records

import "math/bits"

// The merge lays out what is known of the next tickets in a table, goroutine by goroutine: who has the ticket, and whose records without
// one have a stamp that puts them before it. Then it goes through the table.
//
//	(D1) the record with ticket t comes after all tickets below t;
//	(D2) a plain record with stamp s comes after all tickets below s and before ticket s
//	     or any later one of its goroutine;
//	(D3) a goroutine's records keep their order;
//	(D4) it looks no further than to the tickets that were handed out before it began to look (Merger.until). A record may be about another
//	     goroutine, too, which waits: what that one recorded before is then in sight, though its goroutine was looked at first.

// cursor is one goroutine in the merge.
type cursor struct {
	r      *Chunk // the next record to be converted
	laid   *Chunk // the next record to be laid out
	end    *Chunk // where to stop
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

// Merger puts the records of all goroutines into the order of the run. What one merge uses the next one uses again:
// Begin, Add for each goroutine, then Merge or Discard, and Left for each goroutine.
type Merger struct {
	// Free is called with each chunk that is done with.
	Free func(*Chunk)

	cursors []cursor
	more    []uint32 // those of cursors that have records for later tables
	places  []place  // all zero but during a merge
	runs    []run
	laid    int    // records in the table
	until   uint64 // the first ticket that is left for the next merge
}

// Begin begins a merge of what came before the ticket until.
func (m *Merger) Begin(until uint64) {
	m.until = until
	m.cursors, m.more = m.cursors[:0], m.more[:0]
}

// Add adds the records of goroutine id, from a position to another one that was published before.
func (m *Merger) Add(id uint32, from, to Position) {
	m.cursors = append(m.cursors, cursor{id: id, r: from.Chunk, ri: from.At, laid: from.Chunk, laidAt: from.At, end: to.Chunk, endAt: to.At})
	m.more = append(m.more, uint32(len(m.cursors)))
}

// Merge converts what was added up to the first ticket that is missing, or is lost: not below lost, if that is not 0. It reports whether no
// ticket was missing.
func (m *Merger) Merge(c *Converter, lost uint64) bool {
	if n := min(max(minPlaces, 2*len(m.cursors)), maxPlaces); n > len(m.places) {
		m.places = make([]place, 1<<bits.Len(uint(n-1)))
	}
	for {
		from := c.next
		m.lay(from)
		n := m.consume(c, from, lost)
		if n < len(m.places) {
			clear(m.places[n:])
			return c.lost || m.laid == 0 && len(m.more) == 0
		}
	}
}

// Discard makes nothing of what was added.
func (m *Merger) Discard() {
	for i := range m.cursors {
		c := &m.cursors[i]
		for c.ri = c.to(c.r); m.turn(c); {
			c.ri = c.to(c.r)
		}
	}
}

// Left is where the records of the goroutine begin that was added as number i and that are left for the next merge.
func (m *Merger) Left(i int) Position {
	c := &m.cursors[i]
	m.turn(c)
	return Position{c.r, c.ri}
}

// consume converts what is in the table, whose first place is that of ticket from, up to the first ticket that is missing or lost. It
// returns how many places it is done with.
func (m *Merger) consume(c *Converter, from, lost uint64) int {
	for i := range m.places {
		p := &m.places[i]
		if at := from + uint64(i); lost != 0 && at+1 >= lost && p.of|p.first != 0 {
			c.lost = true
			return i
		}
		for no := p.first; no != 0; {
			run := m.runs[no-1]
			g := &m.cursors[run.of-1]
			for range run.n {
				c.Convert(g.id, m.next(g))
			}
			m.laid -= int(run.n)
			no = run.next
		}
		switch {
		case p.of != 0:
			g := &m.cursors[p.of-1]
			c.Convert(g.id, m.next(g))
			m.laid--
		case from+uint64(i) >= c.next: // if not, it is the second ticket of a fork
			return i
		}
		*p = place{}
	}
	return len(m.places)
}

// lay fills the table, which is empty, from that ticket on.
func (m *Merger) lay(from uint64) {
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
func (m *Merger) layOne(no uint32, from uint64) bool {
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
		stamp, ticketed := rec.stamp(), rec.kind() >= rpTicketed
		if stamp > m.until || ticketed && stamp == m.until {
			c.laid, c.laidAt = r, i
			return false
		}
		at := stamp - from
		if stamp < from {
			if ticketed {
				panic("internal error: records: a ticket comes twice")
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
func (c *cursor) to(r *Chunk) uint32 {
	if r == c.end {
		return c.endAt
	}
	return rpChunkLen
}

// next is the goroutine's next record to be converted. There is one.
func (m *Merger) next(c *cursor) *Record {
	if c.ri == rpChunkLen {
		m.turn(c)
	}
	r := &c.r.recs[c.ri]
	c.ri++
	return r
}

// turn moves on from a chunk that is done with, if there is another, and frees it.
func (m *Merger) turn(c *cursor) bool {
	if c.ri != rpChunkLen || c.r == c.end {
		return false
	}
	next := c.r.after()
	if next == nil {
		return false
	}
	old := c.r
	c.r, c.ri = next, 0
	m.Free(old)
	return true
}
