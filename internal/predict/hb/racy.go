package hb

import (
	"github.com/racepred/racepred/internal/predict/shadow"
	"github.com/racepred/racepred/internal/trace"
)

// This file answers what is uncertain about a run. Of two accesses that race, the trace has one first, but the run may have done the other one first: what a
// read in a race saw, and what bytes hold after two writes in one, nobody knows for sure. Each answer is about some bytes since some event, or
// about one goroutine.

// Doubt says why it is uncertain what bytes hold.
type Doubt uint8

// The answers.
const (
	Certain   Doubt = iota
	Raced           // they were accessed at the same time
	Forgotten       // they may have been: not all accesses of them are remembered
)

// raced is what is known of a word's observed races.
type raced struct {
	mask, lost   shadow.Mask // the bytes of races, and of those that may be without having been noticed
	last, lately trace.Seq   // of the later accesses of these, the last; so of those
}

// maxRacy is how many words are told apart. What comes on top is kept for a page as a whole.
const maxRacy = 1 << 20

// maxRacers is how many goroutines with races are told apart.
const maxRacers = 1 << 16

// Racy says whether it is certain what reads of [addr, addr+size) saw that come at from or later: it is not, if a byte is in a
// race whose later access is at from or after it.
func (p *Predictor) Racy(addr trace.Addr, size uint32, from trace.Seq) Doubt {
	if size == 0 {
		return Certain
	}
	doubt := Certain
	look := func(r raced, m shadow.Mask) {
		switch {
		case r.mask&m != 0 && r.last >= from:
			doubt = Raced
		case r.lost&m != 0 && r.lately >= from && doubt == Certain:
			doubt = Forgotten
		}
	}
	for w := shadow.WordOf(addr); w <= shadow.WordOf(addr+trace.Addr(size)-1); w++ {
		look(p.racy[w], shadow.MaskOf(w, addr, size))
		if len(p.racy) >= maxRacy {
			look(p.racy[shadow.Whole(w)], 0xff)
		}
	}
	return doubt
}

// markRacy notes a race of these bytes with its later access at seq, or that there may be one.
func (p *Predictor) markRacy(w shadow.Word, m shadow.Mask, seq trace.Seq, lost bool) {
	r, ok := p.racy[w]
	if !ok && len(p.racy) >= maxRacy {
		w, m = shadow.Whole(w), 0xff
		r = p.racy[w]
	}
	if lost {
		r.lost, r.lately = r.lost|m, max(r.lately, seq)
	} else {
		r.mask, r.last = r.mask|m, max(r.last, seq)
	}
	p.racy[w] = r
}

// lossy notes that an access at seq may race with one that is not remembered any more.
func (p *Predictor) lossy(w shadow.Word, m shadow.Mask, seq trace.Seq) {
	p.markRacy(w, m, seq, true)
	p.missed = max(p.missed, seq)
}

// races notes that the goroutine has an access in a race.
func (p *Predictor) races(g trace.G) {
	if len(p.racers) >= maxRacers && !p.racers[g] {
		clear(p.racers)
		p.missed = ^trace.Seq(0)
	}
	p.racers[g] = true
}

// MayHaveRaced reports whether the goroutine may have an access before seq of bytes in a race. When it says no, it has none there and in the rest of its span.
func (p *Predictor) MayHaveRaced(g trace.G, seq trace.Seq) bool {
	return p.racers[g] || seq <= p.missed
}
