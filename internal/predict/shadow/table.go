// Package shadow keeps, for every word of the recorded program's memory, what a
// predictor has to remember about it: lists of small records in pages and arenas without pointers, so that
// they cost the garbage collector nothing.
package shadow

import "github.com/racepred/racepred/internal/trace"

// Word is an address divided by the word size of 8 bytes.
type Word uint64

// WordOf is the word of address a.
func WordOf(a trace.Addr) Word { return Word(a >> 3) }

// Mask has one bit for each byte of a word.
type Mask uint8

// Whole is a word that stands for all words of w's page at once: its list has the records of accesses that
// cover the page. A wide access (a copy of a large slice, say) so costs one record a page.
func Whole(w Word) Word { return WholePage | w>>PageBits }

// WholePage is set in the words that Whole returns.
const WholePage Word = 1 << 63

// MaskOf is the part of the bytes [addr, addr+size) that lies in w.
func MaskOf(w Word, addr trace.Addr, size uint32) Mask {
	base := trace.Addr(w) << 3
	m := uint(0xff)
	if addr > base {
		m &= 0xff << (addr - base)
	}
	if end := addr + trace.Addr(size); end < base+8 {
		m &= 0xff >> (base + 8 - end)
	}
	return Mask(m)
}

// Ref names a record of a Table; 0 is no record.
type Ref uint32

const (
	PageBits  = 9 // a page has 512 words
	PageWords = 1 << PageBits
	chunkBits = 10 // an arena chunk has 1024 records
	chunkLen  = 1 << chunkBits
	cacheLen  = 256 // pages found without the map
)

type page struct {
	no   uint64 // the words' number shifted by PageBits
	used uint32 // records
	wide uint32 // those in the last list
	head [PageWords + 1]Ref
}

// split is the page that w belongs to and the list in it.
func split(w Word) (no uint64, list uint32) {
	if w&WholePage != 0 {
		return uint64(w &^ WholePage), PageWords
	}
	return uint64(w) >> PageBits, uint32(w) % PageWords
}

type node[R any] struct {
	next Ref
	rec  R
}

// Table has a list of records of type R for every word, newest first.
type Table[R any] struct {
	// Limit is how many records are kept; the oldest page goes when there are more. 0 means DefaultRecords.
	Limit int
	// Drop, when not nil, is called with every record that goes because its page does, or in Clear.
	Drop func(*R)

	// Extra is what counts against the limit on top of the records.
	Extra int

	// Evicted counts the pages that went, and Gone has their numbers.
	Evicted uint64
	Gone    map[uint64]bool

	pages  map[uint64]*page
	cache  [cacheLen]*page
	order  []*page // by age
	first  int     // the oldest in order
	chunks [][]node[R]
	free   Ref
	next   Ref // never used yet
	live   int
}

// DefaultRecords is the limit of a zero Table.
const DefaultRecords = 4 << 20

// Lists are where w's list and that of its page as a whole start, for reading; nil for what has no records.
func (t *Table[R]) Lists(w Word) (list, wide *Ref) {
	no := uint64(w) >> PageBits
	p := t.cache[no%cacheLen]
	if p == nil || p.no != no {
		if p = t.pages[no]; p == nil {
			return nil, nil
		}
		t.cache[no%cacheLen] = p
	}
	if p.wide > 0 {
		wide = &p.head[PageWords]
	}
	return &p.head[w%PageWords], wide
}

// Page are the lists of the words of w's page, and that of the page as a whole; narrow is false when only that one
// has records.
func (t *Table[R]) Page(w Word) (words *[PageWords + 1]Ref, narrow bool) {
	p := t.pages[uint64(w)>>PageBits]
	if p == nil {
		return nil, false
	}
	return &p.head, p.used > p.wide
}

// At is the record r and the reference to the next one. The pointers stay good until the record is removed.
func (t *Table[R]) At(r Ref) (*R, *Ref) {
	n := &t.chunks[r>>chunkBits][r%chunkLen]
	return &n.rec, &n.next
}

// Add puts rec at the head of w's list and returns its name.
func (t *Table[R]) Add(w Word, rec R) Ref {
	no, list := split(w)
	p := t.cache[no%cacheLen]
	if p == nil || p.no != no {
		p = t.page(no)
	}
	r := t.free
	if r != 0 {
		t.free = t.chunks[r>>chunkBits][r%chunkLen].next
	} else {
		if t.next == 0 {
			t.next = 1
		}
		r = t.next
		if int(r>>chunkBits) == len(t.chunks) {
			t.chunks = append(t.chunks, make([]node[R], chunkLen))
		}
		t.next++
	}
	n := &t.chunks[r>>chunkBits][r%chunkLen]
	h := &p.head[list]
	n.rec, n.next = rec, *h
	*h = r
	p.used++
	if list == PageWords {
		p.wide++
	}
	t.live++
	return r
}

func (t *Table[R]) page(no uint64) *page {
	p := t.pages[no]
	if p == nil {
		t.shrink()
		if t.pages == nil {
			t.pages = map[uint64]*page{}
		}
		p = &page{no: no}
		t.pages[no] = p
		t.order = append(t.order, p)
	}
	t.cache[no%cacheLen] = p
	return p
}

// shrink drops the oldest pages while there are too many records.
func (t *Table[R]) shrink() {
	limit := t.Limit
	if limit == 0 {
		limit = DefaultRecords
	}
	for t.live+t.Extra > limit || len(t.order)-t.first > limit/4+16 {
		p := t.order[t.first]
		t.order[t.first] = nil
		if t.first++; t.first > 1024 && t.first*2 > len(t.order) {
			t.order = t.order[:copy(t.order, t.order[t.first:])]
			t.first = 0
		}
		if p.used > 0 {
			t.Evicted++
			if t.Gone == nil {
				t.Gone = map[uint64]bool{}
			}
			t.Gone[p.no] = true
		}
		for i := range p.head {
			t.truncate(p, uint32(i))
		}
		delete(t.pages, p.no)
		t.cache[p.no%cacheLen] = nil
	}
}

// truncate removes a whole list.
func (t *Table[R]) truncate(p *page, list uint32) {
	for h := &p.head[list]; *h != 0; {
		n := &t.chunks[*h>>chunkBits][*h%chunkLen]
		if t.Drop != nil {
			t.Drop(&n.rec)
		}
		t.unlink(p, list, h)
	}
}

func (t *Table[R]) unlink(p *page, list uint32, at *Ref) {
	r := *at
	n := &t.chunks[r>>chunkBits][r%chunkLen]
	*at = n.next
	n.next = t.free
	t.free = r
	p.used--
	if list == PageWords {
		p.wide--
	}
	t.live--
}

// Remove takes the record that *at refers to, one of w's, out of its list.
func (t *Table[R]) Remove(w Word, at *Ref) {
	no, list := split(w)
	t.unlink(t.page(no), list, at)
}

// Clear removes from the words of [addr, addr+size) every record that keep
// answers false for; keep gets the record's word and the range's part of it. Records of a whole page of which a
// part is cleared are handed out to its words first, by copies that made is told of.
func (t *Table[R]) Clear(addr trace.Addr, size uint32, keep func(*R, Mask) bool, made func(from, to Ref)) {
	if size == 0 {
		return
	}
	w, last := WordOf(addr), WordOf(addr+trace.Addr(size)-1)
	for w <= last {
		no := uint64(w) >> PageBits
		p := t.pages[no]
		if p == nil || p.used == 0 {
			w = Word(no+1) << PageBits
			continue
		}
		end := min(last, Word(no+1)<<PageBits-1)
		if p.wide > 0 {
			if Covers(w, addr, size) {
				t.truncate(p, PageWords)
			} else {
				t.spread(p, made)
			}
		}
		for ; w <= end; w++ {
			m := MaskOf(w, addr, size)
			for at := &p.head[w%PageWords]; *at != 0; {
				rec, next := t.At(*at)
				if keep(rec, m) {
					at = next
					continue
				}
				if t.Drop != nil {
					t.Drop(rec)
				}
				t.unlink(p, uint32(w)%PageWords, at)
			}
		}
	}
}

// Covers reports whether w begins a page all of which is in [addr, addr+size).
func Covers(w Word, addr trace.Addr, size uint32) bool {
	return w%PageWords == 0 && addr <= trace.Addr(w)<<3 && trace.Addr(w+PageWords)<<3 <= addr+trace.Addr(size)
}

// spread hands the records of p as a whole out to its words.
func (t *Table[R]) spread(p *page, made func(from, to Ref)) {
	for at := &p.head[PageWords]; *at != 0; {
		r := *at
		rec, _ := t.At(r)
		for i := range Word(PageWords) {
			made(r, t.Add(Word(p.no)<<PageBits+i, *rec))
		}
		if t.Drop != nil {
			t.Drop(rec)
		}
		t.unlink(p, PageWords, at)
	}
}

// Live is the number of records there are.
func (t *Table[R]) Live() int { return t.live }
