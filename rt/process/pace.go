//go:build racepred_seam

package process

import (
	"github.com/racepred/racepred/internal/naming"
	"github.com/racepred/racepred/internal/trace"
)

// A run may cost so much and no more: it has an allowance of events (naming.Sample), which is earned anew bit by bit and by each
// test. When it is used up, accesses of busy code are left out until there is enough again (trace.Sparse to trace.Full,
// runtimehooks/sparse.go); what is predicted then comes from the parts between, and happens-before goes on with all that is
// recorded. What is earned goes by what the program does more than by time, so that a busy machine changes nothing.
const (
	earnedBy      = 32      // accesses left out, or events of a sparse part, are one event earned
	nanosPerOne   = 16e9    // of the run earn a whole allowance
	testsPerOne   = 64      // that begin earn one
	enoughPerOne  = 4       // a quarter of the allowance is worth the change
	lookupsPerOne = 8       // accesses that were not recorded, but looked for in the shadow, cost as much as an event
	hotPerOne     = 1 << 10 // a 1024th of the allowance is what a position may record in sparse parts
)

// pace decides when the run is recorded in full.
type pace struct {
	allowance float64 // events, to begin with and at most; 0: everything is recorded all the time
	sparse    bool    // as the recorder was told
	credit    float64 // events
	flip      uint64  // random, if not 0 (naming.SampleFlip)
	at        int64   // when credit was right, and what had been done by then:
	full      uint64  // events
	thin      uint64  // events of sparse parts
	skips     uint64  // runtime_breaths
	lookups   uint64

	fullNow, thinNow uint64 // the same by now

	partial bool    // events are missing: from SparseBegin on until nobody waits after SparseEnd
	ends    uint64  // how many times everything was to be recorded again
	begun   float64 // credit when it last was
	ended   bool    // the last of their records was read
	from    uint64  // its stamp
	waiting int     // goroutines that may still execute accesses nobody knows of
}

func newPace(opts string, now int64) pace {
	n := naming.Sample(opts)
	runtime_hotAt(uint32(n / hotPerOne))
	p := pace{allowance: float64(n), credit: float64(n), at: now}
	if naming.HasOption(opts, naming.SampleFlip) {
		p.flip = uint64(now) | 1
	}
	return p
}

// look counts what was done since it looked last, and switches. It runs in the goroutine that drained.
func (a *analysis) look(now int64) {
	p := &a.pace
	if p.allowance == 0 || a.discard {
		return
	}
	p.credit = min(max(p.now(now), -p.allowance), p.allowance)
	p.full, p.thin, p.at = p.fullNow, p.thinNow, now
	p.skips, p.lookups = runtime_breaths()
	if p.flip > 0 {
		p.flip = p.flip*6364136223846793005 + 1442695040888963407
		p.credit = []float64{p.allowance, p.allowance, p.allowance, -1}[p.flip>>62]
	}
	switch {
	case !p.sparse && p.credit < 0:
		p.sparse = runtime_sparse()
	case !p.sparse && p.partial && p.begun-p.credit > p.enough()/2:
		// Somebody computes on and on: this does not become a full part soon.
		p.credit = min(p.credit, 0)
		p.sparse = runtime_sparse()
	case p.sparse && p.credit >= p.enough():
		p.record()
	}
}

// record makes the recorder record everything again.
func (p *pace) record() {
	if n := runtime_full(p.ends + 1); n >= 0 {
		p.ends++
		p.sparse, p.ended, p.waiting, p.begun = false, false, n, p.credit
	}
}

// due reports whether look would switch.
func (a *analysis) due(now int64) bool {
	p := &a.pace
	if p.allowance == 0 {
		return false
	}
	credit := p.now(now)
	return p.sparse && credit >= p.enough() || !p.sparse && credit < 0
}

// now is the credit.
func (p *pace) now(now int64) float64 {
	skips, lookups := runtime_breaths()
	return p.credit - float64(p.fullNow-p.full) - float64(lookups-p.lookups)/lookupsPerOne +
		float64(p.thinNow-p.thin+skips-p.skips)/earnedBy + float64(now-p.at)/nanosPerOne*p.allowance
}

// count counts an event.
func (p *pace) count() {
	if p.partial && !p.ended {
		p.thinNow++
	} else {
		p.fullNow++
	}
}

// foresee ends a full part when what waits to be analysed is all that may be recorded.
func (a *analysis) foresee(now int64) {
	p := &a.pace
	if p.allowance == 0 || p.sparse || p.flip > 0 || a.discard {
		return
	}
	if p.now(now) < float64(runtime_outstanding()*rpChunkLen) {
		p.sparse = runtime_sparse()
	}
}

func (p *pace) enough() float64 { return p.allowance / enoughPerOne }

// begin lets a test begin with everything recorded, if it can be afforded.
func (a *analysis) begin() {
	p := &a.pace
	p.credit = min(max(p.credit, 0)+p.allowance/testsPerOne, p.allowance)
	if p.sparse {
		p.record()
	}
}

// switched follows the stream: it is called with every record that begins or ends a sparse part.
func (a *analysis) switched(kind uint64, ev *trace.Event, stamp uint64) {
	p := &a.pace
	if kind == rpSparseBegin {
		p.ended = false
		if !p.partial {
			p.partial = true
			a.emit(trace.Sparse, &trace.Event{G: ev.G})
		}
		return
	}
	if uint64(ev.Addr) == p.ends {
		p.ended, p.from = true, stamp
		a.whole(ev.G)
	}
}

// arrived is called with every synchronization while goroutines are waited for (Q2).
func (a *analysis) arrived(s *rpG, stamp uint64) {
	p := &a.pace
	if !s.waits || !p.ended || stamp <= p.from {
		return
	}
	s.waits = false
	p.waiting--
	a.whole(trace.G(s.id))
}

// whole ends the part with missing events when nobody is waited for any more.
func (a *analysis) whole(g trace.G) {
	p := &a.pace
	if p.partial && p.ended && p.waiting == 0 {
		p.partial = false
		a.emit(trace.Full, &trace.Event{G: g})
	}
}
