package records

import "math/bits"

// The merge enters the records of one goroutine after the other into a table by tickets: which
// goroutine has the ticket, and which records without a ticket come before it by their stamps. Then
// it goes through the table.
//
//	(D1) the record with ticket t comes after all tickets below t;
//	(D2) a plain record with stamp s comes after all tickets below s and before ticket s or any
//	     later one of its goroutine;
//	(D3) a goroutine's records keep their order;
//	(D4) a merge ends before the tickets that were handed out after it began (Merger.until). A
//	     record may be about another goroutine, which waits. Then the merge has all that the waiting
//	     goroutine recorded before, even if it looked at that goroutine first.

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

// place is the table's entry of one ticket. Cursors and runs are numbered from 1.
type place struct {
	of          uint32 // the cursor of the goroutine with the ticket; 0: not published yet
	first, last uint32 // the runs that come before; 0: none
}

// run is a sequence of records of one goroutine without tickets.
type run struct {
	of, n uint32
	next  uint32 // the next run before the same ticket; 0: none
}

// The table has places for twice as many tickets as there are goroutines with records, within these
// bounds.
const (
	minPlaces = 1 << 13
	maxPlaces = 1 << 16
)

// Merger puts the records of all goroutines into the order of the run. A merge is Begin, Add for
// each goroutine, Merge or Discard, and Left for each goroutine. The next merge reuses its memory.
type Merger struct {
	// Free is called with each chunk that was read in full.
	Free func(*Chunk)

	cursors []cursor
	more    []uint32 // the cursors with records for later tables
	places  []place  // all zero except during a merge
	runs    []run
	laid    int    // how many records are in the table
	high    int    // places from here on are zero
	until   uint64 // the first ticket for the next merge
}

// Begin begins a merge of the records before the ticket until.
func (m *Merger) Begin(until uint64) {
	m.until = until
	m.cursors, m.more = m.cursors[:0], m.more[:0]
}

// Add adds the records of goroutine id, from a position to another one that was published before.
func (m *Merger) Add(id uint32, from, to Position) {
	m.cursors = append(m.cursors, cursor{id: id, r: from.Chunk, ri: from.At, laid: from.Chunk, laidAt: from.At, end: to.Chunk, endAt: to.At})
	m.more = append(m.more, uint32(len(m.cursors)))
}

// Merge converts what was added up to the first ticket that is missing or lost; if lost is not 0,
// tickets from there on are lost. It returns whether no ticket was missing.
func (m *Merger) Merge(c *Converter, lost uint64) bool {
	if n := min(max(minPlaces, 2*len(m.cursors)), maxPlaces); n > len(m.places) {
		m.places = make([]place, 1<<bits.Len(uint(n-1)))
	}
	for {
		from := c.next
		m.lay(from)
		n := m.consume(c, from, lost)
		if n < len(m.places) {
			clear(m.places[n:max(n, m.high)]) // mostly few, and package testing asks for a merge several times in each test
			c.Flush()
			return c.lost || m.laid == 0 && len(m.more) == 0
		}
	}
}

// Discard drops what was added.
func (m *Merger) Discard() {
	for i := range m.cursors {
		c := &m.cursors[i]
		for c.ri = c.to(c.r); m.turn(c); {
			c.ri = c.to(c.r)
		}
	}
}

// Left is the position of the first record for the next merge, of the goroutine that was added as
// number i.
func (m *Merger) Left(i int) Position {
	c := &m.cursors[i]
	m.turn(c)
	return Position{c.r, c.ri}
}

// consume converts the records in the table up to the first ticket that is missing or lost. The
// table begins with ticket from. It returns how many tickets it has converted.
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

// lay fills the empty table, from that ticket on.
func (m *Merger) lay(from uint64) {
	m.runs, m.laid, m.high = m.runs[:0], 0, 0
	more := m.more[:0]
	for _, no := range m.more {
		if m.layOne(no, from) {
			more = append(more, no)
		}
	}
	m.more = more
}

// layOne enters one goroutine's records, and reports whether it has some for later tables of this
// merge.
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
		m.high = max(m.high, int(at)+1)
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

// turn goes to the next chunk, if there is one, and frees the one that was read.
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
