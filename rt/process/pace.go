//go:build racepred_seam

package process

import (
	"time"

	"github.com/racepred/racepred/internal/naming"
	"github.com/racepred/racepred/internal/trace"
)

// A run may cost so much and no more: it has an allowance of events (naming.Sample), which is earned anew bit by bit and by each
// test. When it is used up, accesses of busy code are left out until there is enough again (trace.Sparse to trace.Full,
// runtimehooks/sparse.go); what is predicted then comes from the parts between, and happens-before goes on with all that is
// recorded. What is earned goes by what the program does more than by time, so that a busy machine changes nothing.
const (
	earnedBy      = 32      // accesses left out, or events of a sparse part, are one event earned
	secondsPerOne = 16      // of the run earn a whole allowance
	testsPerOne   = 64      // that begin earn one
	enoughPerOne  = 4       // a quarter of the allowance is worth the change, and is the most that has to be paid back
	hotPerOne     = 1 << 10 // a 1024th of the allowance is what a position may record in sparse parts
)

// pace decides when the run is recorded in full.
type pace struct {
	allowance float64   // events, to begin with and at most; 0: everything is recorded all the time
	sparse    bool      // as the recorder was told
	credit    float64   // events
	flip      uint64    // random, if not 0 (naming.SampleFlip)
	seen      uint64    // analysis.events when credit was right
	at        time.Time // the same
	skips     uint64    // runtime_breaths then

	partial bool   // events are missing: from SparseBegin on until nobody waits after SparseEnd
	ends    uint64 // how many times everything was to be recorded again
	ended   bool   // the last of their records was read
	from    uint64 // its stamp
	waiting int    // goroutines that may still execute accesses nobody knows of
	skipped bool   // there was a sparse part
}

func newPace(opts string, now time.Time) pace {
	n := naming.Sample(opts)
	runtime_hotAt(uint32(n / hotPerOne))
	p := pace{allowance: float64(n), credit: float64(n), at: now}
	if naming.HasOption(opts, naming.SampleFlip) {
		p.flip = uint64(now.UnixNano())
	}
	return p
}

// look counts what was done since it looked last, and switches. It runs in the goroutine that drained.
func (a *analysis) look(now time.Time) {
	p := &a.pace
	if p.allowance == 0 || a.discard {
		return
	}
	done := float64(a.events - p.seen)
	p.credit += p.earned(now)
	if p.sparse {
		p.credit += done / earnedBy
	} else {
		p.credit -= done
	}
	p.credit = min(max(p.credit, -p.enough()), p.allowance)
	p.seen, p.at, p.skips = a.events, now, runtime_breaths()
	if p.flip > 0 {
		p.flip = p.flip*6364136223846793005 + 1442695040888963407
		p.credit = []float64{p.allowance, p.allowance, p.allowance, -1}[p.flip>>62]
	}
	switch {
	case !p.sparse && p.credit < 0:
		p.sparse = runtime_sparse()
	case p.sparse && p.credit >= p.enough():
		p.full()
	}
}

// full makes the recorder record everything again.
func (p *pace) full() {
	p.ends++
	if n := runtime_full(p.ends); n >= 0 {
		p.sparse, p.ended, p.waiting = false, false, n
	}
}

// due reports whether look might switch to recording everything.
func (p *pace) due(now time.Time) bool {
	return p.sparse && p.credit+p.earned(now) >= p.enough()
}

// earned is what there is since the last look, but for events of a sparse part.
func (p *pace) earned(now time.Time) float64 {
	return now.Sub(p.at).Seconds()*p.allowance/secondsPerOne + float64(runtime_breaths()-p.skips)*rpBreath/earnedBy
}

func (p *pace) enough() float64 { return p.allowance / enoughPerOne }

// begin lets a test begin with everything recorded, if it can be afforded.
func (a *analysis) begin() {
	p := &a.pace
	p.credit = min(max(p.credit, 0)+p.allowance/testsPerOne, p.allowance)
	if p.sparse {
		p.full()
	}
}

// switched follows the stream: it is called with every record that begins or ends a sparse part.
func (a *analysis) switched(kind uint64, ev *trace.Event, stamp uint64) {
	p := &a.pace
	if kind == rpSparseBegin {
		p.ended, p.skipped = false, true
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
