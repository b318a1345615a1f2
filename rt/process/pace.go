//go:build racepred_seam

package process

import (
	"github.com/racepred/racepred/internal/naming"
	"github.com/racepred/racepred/internal/trace"
)

// A run may cost so much and no more: it has an allowance of events (naming.Sample), which is earned anew bit by bit and by each
// test. When it is used up, accesses of busy code are left out until there is enough again (trace.Sparse to trace.Full,
// runtimehooks/sparse.go); what is predicted then comes from the parts between, and happens-before goes on with all that is
// recorded. What accesses are left out is not counted, so time earns.
const (
	earnedBy      = 32      // events of a sparse part, or accesses that were looked for there, are one event earned
	nanosPerOne   = 4e9     // of the run earn a whole allowance
	testsPerOne   = 16      // that begin earn one
	enoughPerOne  = 4       // a quarter of the allowance is worth the change
	lookupsPerOne = 8       // accesses of a full part that were not recorded, but looked for, cost as much as an event
	hotPerOne     = 1 << 10 // a 1024th of the allowance is what a position may record in sparse parts
	askAgain      = 1e6     // nanoseconds
	beginWaits    = 5e6     // nanoseconds that a test's begin may take to make all of the test count
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
	lookups   uint64  // runtime_lookups
	thinned   int64   // nanoseconds in sparse parts

	fullNow, thinNow uint64 // the same by now

	partial bool    // events are missing: from SparseBegin on until nobody waits after SparseEnd
	ends    uint64  // how many times everything was to be recorded again
	begun   float64 // credit when it last was
	ended   bool    // the last of their records was read
	from    uint64  // its stamp
	waiting int     // goroutines that may still execute accesses nobody knows of
	asked   int64   // when they were counted again
}

func newPace(opts string, now int64) pace {
	n := naming.Sample(opts)
	p := pace{allowance: float64(n), credit: float64(n), at: now}
	runtime_hotAt(uint32(n / hotPerOne))
	if naming.HasOption(opts, naming.SampleFlip) {
		p.flip = uint64(now) | 1
	}
	return p
}

// window is how many events the engine's window need have room for, 0 for as many as it likes: predictions lie within one full part.
func (p *pace) window() int {
	if p.allowance == 0 {
		return 0
	}
	return max(int(p.allowance)/4*5, 1<<16)
}

// look counts what was done since it looked last, and switches. It runs in the goroutine that drained.
func (a *analysis) look(now int64) {
	p := &a.pace
	if p.allowance == 0 || a.discarding {
		return
	}
	p.settle(now)
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
	case !p.sparse && p.ended && p.waiting > 0 && now-p.asked > askAgain:
		p.asked = now
		p.await()
	}
}

// settle counts what was done since it was last called.
func (p *pace) settle(now int64) {
	p.credit = min(max(p.now(now), -p.allowance), p.allowance)
	if p.sparse {
		p.thinned += now - p.at
	}
	p.full, p.thin, p.at = p.fullNow, p.thinNow, now
	p.lookups = runtime_lookups()
}

// record makes the recorder record everything again.
func (p *pace) record() {
	if p.await() {
		p.sparse, p.begun = false, p.credit
	}
}

// await asks who has to be waited for.
func (p *pace) await() bool {
	n := runtime_full(p.ends + 1)
	if n < 0 {
		return false
	}
	p.ends++
	p.ended, p.waiting = false, n
	return true
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
	lookups := float64(runtime_lookups() - p.lookups)
	credit := p.credit - float64(p.fullNow-p.full) + float64(p.thinNow-p.thin)/earnedBy + float64(now-p.at)/nanosPerOne*p.allowance
	if p.sparse {
		return credit + lookups/earnedBy
	}
	return credit - lookups/lookupsPerOne
}

// count counts an event, and what it costs beyond that if it is an access of many bytes.
func (p *pace) count(bytes uint32) {
	if p.partial && !p.ended {
		p.thinNow++ // does not earn more
	} else {
		p.fullNow += 1 + uint64(bytes/rpWideUnit)
	}
}

// foresee ends a full part when what waits to be analysed is all that may be recorded.
func (a *analysis) foresee(now int64) {
	p := &a.pace
	if p.allowance == 0 || p.sparse || p.flip > 0 || a.discarding {
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
	p.settle(runtime_now())
	p.credit = min(max(p.credit, 0)+p.allowance/testsPerOne, p.allowance)
	if p.sparse {
		p.record()
	}
}

// whenWhole reports whether the full part that begin began counts by now, or there is none. Who asks lets others run in
// between: those that are waited for may only have to come to their ends.
func (a *analysis) whenWhole() bool {
	p := &a.pace
	if p.sparse || !p.partial {
		return true
	}
	if a.drain(false); p.ended && p.waiting > 0 {
		p.await()
	}
	return !p.partial
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
