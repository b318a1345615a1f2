//go:build racepred_seam

package process

import (
	"github.com/racepred/racepred/internal/engine"
	"github.com/racepred/racepred/internal/protocol"
)

// A position may record so much and no more: some accesses of each test, and some now and then later on. What it leaves out beyond that is to
// predictions what code is that nobody records (runtimehooks/busy.go), so there is no need to say when.
const (
	hotPerOne   = 1 << 10 // a 1024th of the allowance (protocol.Sample) is what a position may record of a test
	againPerOne = 1 << 15 // a 32768th is what it may record in each half of a look
	testsAfter  = 20e6    // nanoseconds that a test gets until the beginning of another one counts
)

// pace decides what is busy, and when a test makes all of it be looked at afresh.
type pace struct {
	allowance int    // 0: everything is recorded
	flip      uint64 // random, if not 0 (protocol.Options.Flip)
	tested    int64  // when a test last began that counted
}

func newPace(o protocol.Options, now int64) pace {
	n := o.Sample.Allowance(engine.DefaultSample)
	p := pace{allowance: n}
	if n > 0 {
		runtime_busyAt(uint32(max(n/hotPerOne, 1)), uint32(max(n/againPerOne, 1)))
	}
	switch {
	case o.Flip:
		p.flip = uint64(now) | 1
	case n > 0:
		runtime_looksNext(now, 0)
	}
	return p
}

// window is how many events the engine's window need have room for, 0 for as many as it likes.
func (p *pace) window() int {
	if p.allowance == 0 {
		return 0
	}
	return max(p.allowance/4*5, 1<<16)
}

// around runs drain, and has busy positions record again when it is time. It runs in the goroutine that drains.
//
// A look has two halves, since a race needs two goroutines. While this one drains, others make the records of the first half; it may itself make
// those of the second, right afterwards. Often one goroutine drains all the time while others fill the chunks, and if it looked only afterwards it
// would make nearly all of the records.
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

// begin has a test begin with everything recorded.
func (p *pace) begin(now int64) {
	if p.allowance > 0 && now-p.tested >= testsAfter {
		p.tested = now
		runtime_afresh(true)
	}
}
