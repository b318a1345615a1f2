//go:build racepred_seam

package process

import (
	"github.com/racepred/racepred/internal/engine"
	"github.com/racepred/racepred/internal/protocol"
)

// A position may record only so many accesses at the beginning of each test, and a few now and then
// later. For predictions, the accesses that it leaves out are like unrecorded code
// (runtimehooks/busy.go), so a position may get busy at any time.
const (
	busyPerOne  = 1 << 10 // a 1024th of the allowance (protocol.Sample) is what a position may record of a test
	againPerOne = 1 << 15 // a 32768th is what it may record in each half of a look
	testsAfter  = 20e6    // positions have all of that for a test if so many nanoseconds have gone by since they last had it
)

// pace sets when positions get busy, and looks at them afresh when a test begins.
type pace struct {
	allowance int    // 0: everything is recorded
	flip      uint64 // random, if not 0 (protocol.Options.Flip)
	tested    int64  // when positions last had all that they may record of a test
}

func newPace(o protocol.Options, now int64) pace {
	n := o.Sample.Allowance(engine.DefaultSample)
	p := pace{allowance: n}
	if n > 0 {
		runtime_busyAt(uint32(max(n/busyPerOne, 1)), uint32(max(n/againPerOne, 1)))
	}
	switch {
	case o.Flip:
		p.flip = uint64(now) | 1
	case n > 0:
		runtime_looksNext(now, 0)
	}
	return p
}

// window is how many events the engine's window must have room for; 0 means its default.
func (p *pace) window() int {
	if n := p.allowance / 4 * 5; n > engine.DefaultWindow {
		return n
	}
	return 0
}

// around runs drain, and lets busy positions record again when it is time. It runs in the goroutine
// that drains.
//
// A look has two halves, since a race needs two goroutines. While this goroutine drains, others
// make the records of the first half; afterwards it may make those of the second half itself. Often
// one goroutine does all the draining while others fill the chunks. If the look began only after a
// drain, that one would make nearly all of its records.
func (p *pace) around(drain func()) {
	busy, looks := runtime_look(runtime_now())
	drain()
	switch {
	case looks:
		runtime_afresh(false)
		runtime_looksNext(runtime_now(), busy)
	case p.flip > 0:
		p.flip = p.flip*6364136223846793005 + 1442695040888963407
		if p.flip>>62 == 0 {
			runtime_afresh(p.flip>>61&1 == 0)
		}
	}
}

// begin makes all positions record when a test begins.
func (p *pace) begin(now int64) {
	switch {
	case p.allowance == 0:
	case now-p.tested >= testsAfter:
		p.tested = now
		runtime_afresh(true)
	default:
		runtime_begins(now)
	}
}
