// Package shadow keeps what a predictor remembers of each word of the recorded program's
// memory: lists of small records, in pages and arenas without pointers, so that
// they cost the garbage collector nothing.
package shadow

import (
	"unsafe"

	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/trace"
)

// Word is an address divided by the word size of 8 bytes.
type Word uint64

// WordOf is the word of address a.
func WordOf(a trace.Addr) Word { return Word(a >> 3) }

// Mask has one bit for each byte of a word.
type Mask uint8

// Whole is the word whose list has the records of accesses that cover w's whole page. So a wide
// access, as a copy of a large slice, costs one record for each page.
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
	PageBits  = 6 // a page has 64 words: larger ones leave more words at the ends of a slice, which need a record each
	PageWords = 1 << PageBits
	chunkBits = 10 // an arena chunk has 1024 records
	chunkLen  = 1 << chunkBits
	dirBits   = 9 // a directory has 512 pages, which is 256 KB of the program's memory
	dirLen    = 1 << dirBits

	pageBytes  = 56 // of a page, without its records and the heads of its words
	wordsBytes = 4 * PageWords
	dirBytes   = 4120
	cacheLen   = 1024 // directories found without the map
)

// dir is a directory: the pages whose numbers, shifted by dirBits, are the same.
type dir struct {
	no uint64
	n  int // how many pages
	at [dirLen]*page
}

type page struct {
	no    uint64          // the words' numbers shifted by PageBits
	words *[PageWords]Ref // the lists of the words; noWords while none has had records
	but   exceptions      // words that the list of the page as a whole does not cover
	used  uint32          // how many records
	wide  uint32          // how many of them are in the list of the page as a whole
	whole Ref             // that list
	kept  bool            // the last answer of Table.Kept
}

// noWords are the lists of a page that has only been accessed as a whole, as most pages of a large
// slice are.
var noWords [PageWords]Ref

// head is the head of a list.
func (p *page) head(list uint32) *Ref {
	if list == PageWords {
		return &p.whole
	}
	return &p.words[list]
}

// lists is how many lists the page may have; the last one is that of the page as a whole.
const lists = PageWords + 1

// word is the word of a list of p, the inverse of split.
func (p *page) word(list uint32) Word {
	if list == PageWords {
		return Word(p.no) | WholePage
	}
	return Word(p.no)<<PageBits + Word(list)
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
	// Limit is how many records are kept; pages count as records by their bytes. If there are more, the oldest page is dropped
	// with its records. 0 means DefaultRecords.
	Limit int
	// Record is how many bytes a record takes, with what is kept for it elsewhere; 0 means 48.
	Record int
	// Drop, if not nil, is called with every record that is dropped with its page or by Clear, and its word.
	Drop func(Word, *R)
	// Materialize, if not nil, makes a record of a word from one of its page as a whole, when that no longer covers all words. Otherwise the record is copied.
	Materialize func(from Ref, to Word)

	// Evict, if not nil, is called before Drop with every record of a page that is dropped for want of room, and its word; Evicted after all of them.
	Evict       func(Word, *R)
	EvictedPage func(no uint64)
	// Kept, if not nil, reports whether something is known of the page with that number besides its records.
	Kept func(no uint64) bool

	// Arena is where records and pages are. If it is not the Go heap, records have no pointers.
	Arena predict.Arena

	// Extra counts against the limit, like records.
	Extra int

	// Evicted counts the pages that were dropped for want of room.
	Evicted uint64

	dirs      map[uint64]*dir
	cache     [cacheLen]*dir
	order     []*page        // by age
	tables    predict.Tables // make order
	freeLists struct {
		dirs  predict.FreeList[dir]
		pages predict.FreeList[page]
	}
	full   int        // how many of order have lists of words
	first  int        // the oldest in order
	chunks []*node[R] // the first of chunkLen each
	free   Ref
	next   Ref // never used yet
	live   int
}

// Counted is how many records, Extra and pages included, count against the limit.
func (t *Table[R]) Counted() int {
	record := t.Record
	if record == 0 {
		record = 48
	}
	return t.live + t.Extra + t.Pages()/record
}

// Pages is about how many bytes the pages take, without their records.
func (t *Table[R]) Pages() int {
	return (len(t.order)-t.first)*pageBytes + t.full*wordsBytes + len(t.dirs)*dirBytes
}

// minPages is how many pages there may always be.
const minPages = 128

// DefaultRecords is the limit of a zero Table.
const DefaultRecords = 4 << 20

// find is the page with that number; nil if it never had records.
func (t *Table[R]) find(no uint64) *page {
	d := t.cache[no>>dirBits%cacheLen]
	if d == nil || d.no != no>>dirBits {
		if d = t.dirs[no>>dirBits]; d == nil {
			return nil
		}
		t.cache[no>>dirBits%cacheLen] = d
	}
	return d.at[no%dirLen]
}

// Lists are the heads of w's list and of the list of its page as a whole, for reading; nil for one
// without records.
func (t *Table[R]) Lists(w Word) (list, wide *Ref) {
	p := t.find(uint64(w) >> PageBits)
	if p == nil {
		return nil, nil
	}
	if p.covers(uint32(w) % PageWords) {
		wide = &p.whole
	}
	return &p.words[w%PageWords], wide
}

// Page are the lists of the words of w's page, and the list of the page as a whole, which then
// covers all words. narrow is false if only that list has records.
func (t *Table[R]) Page(w Word) (words *[PageWords]Ref, whole *Ref, narrow bool) {
	p := t.find(uint64(w) >> PageBits)
	if p == nil {
		return nil, nil, false
	}
	t.mend(p)
	return p.words, &p.whole, p.used > p.wide
}

// At is the record r and the reference to the next one. The pointers are valid until the record is
// removed.
func (t *Table[R]) At(r Ref) (*R, *Ref) {
	n := t.node(r)
	return &n.rec, &n.next
}

// node is &chunk[i] without the load of the chunk's beginning that the compiler adds to check for
// nil: it would load a cache line for nothing.
func (t *Table[R]) node(r Ref) *node[R] {
	return (*node[R])(unsafe.Add(unsafe.Pointer(t.chunks[r>>chunkBits]), uintptr(r%chunkLen)*unsafe.Sizeof(node[R]{})))
}

// Add puts rec at the head of w's list and returns a reference to it.
func (t *Table[R]) Add(w Word, rec R) Ref {
	no, list := split(w)
	p := t.page(no)
	if list == PageWords {
		t.mend(p)
	}
	return t.add(p, list, rec)
}

func (t *Table[R]) add(p *page, list uint32, rec R) Ref {
	r := t.free
	if r != 0 {
		t.free = t.node(r).next
	} else {
		if t.next == 0 {
			t.next = 1
		}
		r = t.next
		if int(r>>chunkBits) == len(t.chunks) {
			t.chunks = append(t.chunks, &predict.Make[[chunkLen]node[R]](t.Arena)[0])
		}
		t.next++
	}
	if list < PageWords && p.words == &noWords {
		p.words = predict.Make[[PageWords]Ref](t.Arena)
		t.full++
	}
	n, h := t.node(r), p.head(list)
	n.rec, n.next = rec, *h
	*h = r
	p.used++
	if list == PageWords {
		p.wide++
	}
	t.live++
	return r
}

// page is the page with that number, made if there is none.
func (t *Table[R]) page(no uint64) *page {
	if p := t.find(no); p != nil {
		return p
	}
	t.shrink()
	d := t.dirs[no>>dirBits]
	if d == nil {
		if t.dirs == nil {
			t.dirs = map[uint64]*dir{}
			t.tables.Arena, t.freeLists.dirs.Arena, t.freeLists.pages.Arena = t.Arena, t.Arena, t.Arena
		}
		d = t.freeLists.dirs.Get()
		d.no = no >> dirBits
		t.dirs[d.no] = d
		t.cache[d.no%cacheLen] = d
	}
	p := t.freeLists.pages.Get()
	switch p.words {
	case nil:
		p.words = &noWords
	case &noWords:
	default:
		t.full++
	}
	p.no, p.kept = no, t.Kept != nil && t.Kept(no)
	d.at[no%dirLen] = p
	d.n++
	t.order = predict.Append(&t.tables, t.order, p)
	return p
}

// unpage removes a page from its directory.
func (t *Table[R]) unpage(no uint64) {
	d := t.dirs[no>>dirBits]
	d.at[no%dirLen] = nil
	if d.n--; d.n == 0 {
		delete(t.dirs, d.no)
		if c := &t.cache[d.no%cacheLen]; *c == d {
			*c = nil
		}
		t.freeLists.dirs.Put(d)
	}
}

// shrink drops the oldest pages while there are too many records.
func (t *Table[R]) shrink() {
	limit := t.Limit
	if limit == 0 {
		limit = DefaultRecords
	}
	for t.Counted() > limit && len(t.order)-t.first > minPages {
		t.dropPage()
	}
}

// DropAll drops all pages.
func (t *Table[R]) DropAll() {
	for t.first < len(t.order) {
		t.dropPage()
	}
}

// dropPage drops the oldest page.
func (t *Table[R]) dropPage() {
	p := t.order[t.first]
	t.order[t.first] = nil
	if t.first++; t.first > 1024 && t.first*2 > len(t.order) {
		t.order = t.order[:copy(t.order, t.order[t.first:])]
		t.first = 0
	}
	if p.used > 0 {
		t.Evicted++
		if t.Evict != nil {
			t.evict(p)
		}
	}
	for i := range uint32(lists) {
		t.truncate(p, i)
	}
	t.dropEmpty(p)
}

// dropEmpty frees a page without records, which is no longer in order.
func (t *Table[R]) dropEmpty(p *page) {
	if p.words != &noWords {
		t.full--
	}
	t.unpage(p.no)
	t.freeLists.pages.Put(p)
}

// evict calls Evict for the records of a page.
func (t *Table[R]) evict(p *page) {
	for i := range uint32(lists) {
		for ref := *p.head(i); ref != 0; ref = t.node(ref).next {
			t.Evict(p.word(i), &t.node(ref).rec)
		}
	}
	t.EvictedPage(p.no)
}

// truncate removes a whole list.
func (t *Table[R]) truncate(p *page, list uint32) { t.prune(p, list, 0, nil) }

// prune removes from a list the records for which keep, which also gets their word and m, returns
// false; nil for all.
func (t *Table[R]) prune(p *page, list uint32, m Mask, keep func(Word, *R, Mask) bool) {
	w := p.word(list)
	for at := p.head(list); *at != 0; {
		rec, next := t.At(*at)
		if keep != nil && keep(w, rec, m) {
			at = next
			continue
		}
		if t.Drop != nil {
			t.Drop(w, rec)
		}
		t.unlink(p, list, at)
	}
}

func (t *Table[R]) unlink(p *page, list uint32, at *Ref) {
	r := *at
	n := t.node(r)
	*at = n.next
	n.next = t.free
	t.free = r
	p.used--
	if list == PageWords {
		if p.wide--; p.wide == 0 {
			p.but = 0
		}
	}
	t.live--
}

// Remove removes the record of w to which *at refers from its list.
func (t *Table[R]) Remove(w Word, at *Ref) {
	no, list := split(w)
	t.unlink(t.page(no), list, at)
}

// Clear removes from the words of [addr, addr+size) every record for which keep returns false. keep
// gets the record's word and the part of the range in it. If a part of a page is cleared, the
// records of the page as a whole then hold for its other words only.
func (t *Table[R]) Clear(addr trace.Addr, size uint32, keep func(Word, *R, Mask) bool) {
	if size == 0 || t.live == 0 {
		return
	}
	w, last := WordOf(addr), WordOf(addr+trace.Addr(size)-1)
	for w <= last {
		no := uint64(w) >> PageBits
		p := t.find(no)
		if p == nil || p.used == 0 {
			w = Word(no+1) << PageBits
			continue
		}
		end := min(last, Word(no+1)<<PageBits-1)
		if p.wide > 0 {
			if Covers(w, addr, size) {
				t.truncate(p, PageWords)
			} else {
				t.except(p, w, end, addr, size)
			}
		}
		if p.words == &noWords {
			w = end + 1
			continue
		}
		for ; w <= end; w++ {
			if list := uint32(w) % PageWords; p.words[list] != 0 {
				t.prune(p, list, MaskOf(w, addr, size), keep)
			}
		}
	}
}

// Sweep removes every record for which keep returns false, and pages that are left without any.
// keep gets the record's word, of which it is about all bytes.
func (t *Table[R]) Sweep(keep func(Word, *R, Mask) bool) {
	pages := t.order[t.first:]
	left := pages[:0]
	for _, p := range pages {
		for list := range uint32(lists) {
			t.prune(p, list, 0xff, keep)
		}
		if p.used > 0 || p.kept {
			left = append(left, p)
		} else {
			t.dropEmpty(p)
		}
	}
	clear(pages[len(left):])
	t.order = t.order[:t.first+len(left)]
}

// Covers reports whether w begins a page that is in [addr, addr+size) as a whole.
func Covers(w Word, addr trace.Addr, size uint32) bool {
	return w%PageWords == 0 && addr <= trace.Addr(w)<<3 && trace.Addr(w+PageWords)<<3 <= addr+trace.Addr(size)
}

// Live is the number of records.
func (t *Table[R]) Live() int { return t.live }
