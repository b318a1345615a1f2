package accidental

import (
	"sync/atomic"
	"testing"

	"github.com/racepred/racepred/examples/internal/sched"
)

// hits counts.
type hits struct{ n atomic.Int64 }

func (h *hits) hit() int64   { return h.n.Add(1) }
func (h *hits) twice() int64 { h.n.Add(1); return h.hit() }
func (h *hits) ask() int64   { return h.n.Add(1) }

// Both call a function that returns the count; nobody looks at that.
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
