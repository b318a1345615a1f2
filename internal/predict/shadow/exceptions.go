package shadow

import "github.com/racepred/racepred/internal/trace"

// exceptions are the words of a page that the records of the page as a whole no longer cover,
// because they were allocated anew. The memory of a large slice is mostly used for small objects
// next, one at a time. It would cost much more if all words of the page got records of their own at
// the first small object. Each has a bit; there are none if the page as a whole has no records.
type exceptions uint64

func (e exceptions) has(word uint32) bool { return e>>(word%PageWords)&1 != 0 }

// all are all words of a page.
const all exceptions = 1<<PageWords - 1

// covers reports whether the records of p as a whole cover one of its words.
func (p *page) covers(word uint32) bool { return p.wide > 0 && !p.but.has(word) }

// Covers reports whether the records of w's page as a whole cover w.
func (t *Table[R]) Covers(w Word) bool {
	p := t.find(uint64(w) >> PageBits)
	return p != nil && p.covers(uint32(w)%PageWords)
}

// except makes exceptions of the words w to last, which are those of [addr, addr+size) in the page.
// A word of which a part stays first gets records of its own.
func (t *Table[R]) except(p *page, w, last Word, addr trace.Addr, size uint32) {
	for ; w <= last; w++ {
		i := uint32(w) % PageWords
		if p.but.has(i) {
			continue
		}
		if MaskOf(w, addr, size) != 0xff {
			t.materialize(p, i)
		}
		p.but |= 1 << i
	}
	if p.but == all {
		t.truncate(p, PageWords)
	}
}

// mend gives all words of p records of their own, and removes the exceptions.
func (t *Table[R]) mend(p *page) {
	if p.but == 0 {
		return
	}
	for i := range uint32(PageWords) {
		if !p.but.has(i) {
			t.materialize(p, i)
		}
	}
	t.truncate(p, PageWords)
}

// materialize copies the records of p as a whole to one of its words.
func (t *Table[R]) materialize(p *page, word uint32) {
	for ref := p.whole; ref != 0; ref = t.node(ref).next {
		if t.Materialize != nil {
			t.Materialize(ref, p.word(word))
		} else {
			t.add(p, word, t.node(ref).rec)
		}
	}
}
