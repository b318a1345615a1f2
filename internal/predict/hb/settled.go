package hb

import (
	"github.com/racepred/racepred/internal/predict/shadow"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

// This file answers which part of a run is over and done with: where a schedule may start from the state
// that the run really was in. Reads that raced have no certain writer, but in the run's own beginning, executed as it was,
// they saw what they saw.

// raced is what is known of a word's observed races.
type raced struct {
	mask shadow.Mask
	last trace.Seq // of the later accesses of its races, the last
}

// forever is later than any event.
const forever = ^trace.Seq(0)

// Meeting sums up the races observed between two goroutines.
type Meeting struct {
	A, B        trace.G
	First, Last trace.Seq // all their racing accesses lie within
}

// maxRacy bounds the words whose races are remembered.
const maxRacy = 1 << 20

// maxMeetings bounds the pairs of goroutines that are told apart.
const maxMeetings = 1 << 16

func (p *Predictor) meet(r *shadow.Record, seq trace.Seq, ev *trace.Event) {
	k := [2]trace.G{min(r.Ev.G, ev.G), max(r.Ev.G, ev.G)}
	m, ok := p.meetings[k]
	if !ok {
		if len(p.meetings) >= maxMeetings {
			p.unsure = true
			return
		}
		m = Meeting{A: k[0], B: k[1], First: r.Seq}
	}
	m.First, m.Last = min(m.First, r.Seq), seq
	p.meetings[k] = m
}

// Meetings reports whether f holds for all pairs of goroutines that raced. When not all are known, it reports false.
func (p *Predictor) Meetings(f func(Meeting) bool) bool {
	if p.sometimesBlind() {
		return false
	}
	for _, m := range p.meetings {
		if !f(m) {
			return false
		}
	}
	return true
}

// sometimesBlind reports whether something was forgotten that a race could need.
func (p *Predictor) sometimesBlind() bool {
	return p.unsure || p.slots.Forced > 0 || p.Crowded > 0 || p.acc.Evicted > 0
}

// did notes an access of the slot's owner.
func (p *Predictor) did(s vclock.Slot, t vclock.Time) {
	for int(s) >= len(p.lastAccess) {
		p.lastAccess = append(p.lastAccess, 0)
	}
	p.lastAccess[s] = t
}

// Settled reports whether every access so far, of any goroutine, happens before goroutine id's present event.
func (p *Predictor) Settled(id trace.G) bool {
	g := p.gs.Get(id)
	if g == nil || p.sometimesBlind() {
		return false
	}
	known := g.Known.Vec()
	for s, t := range p.lastAccess {
		if vclock.Slot(s) != g.Slot && t > known.At(vclock.Slot(s)) {
			return false
		}
	}
	return true
}

// Racy reports whether a byte of [addr, addr+size) is in a race whose later access is at from or after it,
// or may be without having been noticed: what a read of it saw is not known for sure.
func (p *Predictor) Racy(addr trace.Addr, size uint32, from trace.Seq) bool {
	if size == 0 {
		return false
	}
	for w := shadow.WordOf(addr); w <= shadow.WordOf(addr+trace.Addr(size)-1); w++ {
		if r := p.racy[w]; r.last >= from && r.mask&shadow.MaskOf(w, addr, size) != 0 || p.acc.Gone(w) {
			return true
		}
	}
	return false
}

func (p *Predictor) markRacy(w shadow.Word, m shadow.Mask, seq trace.Seq) {
	r, ok := p.racy[w]
	if !ok && len(p.racy) >= maxRacy {
		p.unsure = true
		return
	}
	p.racy[w] = raced{r.mask | m, max(r.last, seq)}
}
