package hb

import (
	"github.com/racepred/racepred/internal/predict/shadow"
	"github.com/racepred/racepred/internal/trace"
)

// This file answers what is uncertain about a run. Of two accesses that race, the trace has one
// first, but the run may have done the other one first. So it is uncertain what a read in a race
// saw, and what bytes hold after two writes in a race. Each answer is about some bytes since some
// event, or about one goroutine.

// Doubt is why it is uncertain what bytes hold.
type Doubt uint8

// The answers.
const (
	Certain   Doubt = iota
	Raced           // they were accessed at the same time
	Forgotten       // they may have been: not all accesses of them are remembered
)

// raced is what is known of a word's observed races.
type raced struct {
	mask, lost   shadow.Mask // the bytes of races, and the bytes that may have a race that went unnoticed
	last, lately trace.Seq   // the latest access of the races of mask, and of those of lost
}

// maxRacy is how many words have an entry of their own. The others have one for a page as a whole.
const maxRacy = 1 << 20

// maxRacers is how many goroutines with races are remembered.
const maxRacers = 1 << 16

// Racy says whether it is certain what reads of [addr, addr+size) at from or later saw. It is
// uncertain if a byte is in a race whose later access is at from or later.
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

// markRacy notes a race of these bytes, the later access of which is at seq; lost says that it may
// be one.
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

// lossy notes that the access at seq may race with one that was forgotten.
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

// MayHaveRaced reports whether the goroutine may have an access in a race before seq. If not, it
// has none in the rest of the span at seq either.
func (p *Predictor) MayHaveRaced(g trace.G, seq trace.Seq) bool {
	return p.racers[g] || seq <= p.missed
}
