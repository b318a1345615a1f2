package accidental

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/racepred/racepred/examples/internal/sched"
)

// hits counts.
type hits struct{ n atomic.Int64 }

func (h *hits) hit() int64   { return h.n.Add(1) }
func (h *hits) twice() int64 { h.n.Add(1); return h.hit() }
func (h *hits) ask() int64   { return h.n.Add(1) }

// Both call a function that returns the count; no goroutine looks at that.
func TestRacePredictedWrapper(t *testing.T) {
	var (
		h hits
		x int
	)
	sched.InTurn(
		func() {
			x = 1
			h.hit()
		},
		func() {
			_ = h.twice()
			x++
		},
	)
}

// One of the callers looks at it.
func TestNoRaceWrapperAsked(t *testing.T) {
	var (
		h hits
		x int
	)
	sched.InTurn(
		func() {
			x = 1
			h.ask()
		},
		func() {
			if h.ask() == 2 {
				x++
			}
		},
	)
}

// counted is a count under a lock, which every call returns.
type counted struct {
	mu sync.Mutex
	n  int
}

func (c *counted) next() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	return c.n
}

func (c *counted) draw() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	return c.n
}

// No goroutine looks at what the lock's owner returns.
func TestRacePredictedWrapperOfLock(t *testing.T) {
	var (
		c counted
		x int
	)
	sched.InTurn(
		func() {
			x = 1
			c.next()
		},
		func() {
			c.next()
			x++
		},
	)
}

// One of the callers does.
func TestNoRaceWrapperOfLockAsked(t *testing.T) {
	var (
		c counted
		x int
	)
	sched.InTurn(
		func() {
			x = 1
			c.draw()
		},
		func() {
			if c.draw() == 2 {
				x++
			}
		},
	)
}
