package shadow

import "github.com/racepred/racepred/internal/trace"

// pierced says of which words the records of a page as a whole do not speak any more, because what was there is forgotten. Memory that a large slice had is mostly used
// for small objects next, one at a time: to hand the records out to all words of the page at the first of them took a program that does this 18 times as long.
type pierced struct {
	n  uint32 // words; 0 also when there are no such records
	at [PageWords / 64]uint64
}

func (h *pierced) has(word uint32) bool { return h.n > 0 && h.at[word/64]>>(word%64)&1 != 0 }

// speaksFor reports whether there are records of p as a whole that speak for one of its words.
func (p *page) speaksFor(word uint32) bool { return p.wide > 0 && !p.has(word) }

// Speaks reports whether there are records of w's page as a whole that speak for w.
func (t *Table[R]) Speaks(w Word) bool {
	p := t.find(uint64(w) >> PageBits)
	return p != nil && p.speaksFor(uint32(w)%PageWords)
}

// pierce makes the records of p as a whole not speak for the words w to last, which are of that page and those of [addr, addr+size) in it. A word that goes in part gets
// records of its own first.
func (t *Table[R]) pierce(p *page, w, last Word, addr trace.Addr, size uint32) {
	for ; w <= last; w++ {
		i := uint32(w) % PageWords
		if p.has(i) {
			continue
		}
		if MaskOf(w, addr, size) != 0xff {
			t.handOut(p, i)
		}
		p.at[i/64] |= 1 << (i % 64)
		p.n++
	}
	if p.n == PageWords {
		t.truncate(p, PageWords)
	}
}

// mend lets records of p as a whole speak for all of it again: those that do not are handed out.
func (t *Table[R]) mend(p *page) {
	if p.n == 0 {
		return
	}
	for i := range uint32(PageWords) {
		if !p.has(i) {
			t.handOut(p, i)
		}
	}
	t.truncate(p, PageWords)
}

// handOut makes records of a word of its own of those of p as a whole.
func (t *Table[R]) handOut(p *page, word uint32) {
	for ref := p.head[PageWords]; ref != 0; ref = t.node(ref).next {
		if t.HandOut != nil {
			t.HandOut(ref, p.word(word))
		} else {
			t.add(p, word, t.node(ref).rec)
		}
	}
}
