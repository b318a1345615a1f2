// Package accidental has goroutines that meet in something that neither of them looks at: in the
// usual run that orders them, and -race is silent. Its twins do look, and have no race.
package accidental

import (
	"sync/atomic"
	"testing"

	"github.com/racepred/racepred/examples/internal/sched"
)

// Both count how often they ran; no goroutine looks at the count.
func TestRacePredictedCounter(t *testing.T) {
	var (
		calls atomic.Int64
		x     int
	)
	sched.InTurn(
		func() {
			x = 1
			calls.Add(1)
		},
		func() {
			calls.Add(1)
			x++
		},
	)
}

// The same with the functions of sync/atomic, on different ways out.
func TestRacePredictedCounterFunction(t *testing.T) {
	var (
		busy int32
		x    int
	)
	sched.InTurn(
		func() {
			defer atomic.AddInt32(&busy, -1)
			x = 1
		},
		func() {
			atomic.AddInt32(&busy, 1)
			x++
		},
	)
}

// A goroutine that waits for the second worker alone has not waited for the first, though the
// second one counted after it.
func TestRacePredictedCounterAndWait(t *testing.T) {
	var (
		calls atomic.Uint32
		x     int
	)
	done := make(chan bool)
	sched.InTurn(
		func() {
			x = 1
			calls.Add(1)
		},
		func() {
			calls.Add(1)
			close(done)
		},
		func() {
			<-done
			x++
		},
	)
}

// The counter is looked at after all: a goroutine that sees 1 comes second.
func TestNoRaceCounterSeen(t *testing.T) {
	var (
		calls atomic.Int64
		x     int
	)
	sched.InTurn(
		func() {
			x = 1
			calls.Add(1)
		},
		func() {
			if calls.Load() == 1 {
				x++
			}
		},
	)
}

// The result of the second addition is looked at.
func TestNoRaceCounterResult(t *testing.T) {
	var (
		calls atomic.Int64
		x     int
	)
	sched.InTurn(
		func() {
			x = 1
			calls.Add(1)
		},
		func() {
			if calls.Add(1) == 2 {
				x++
			}
		},
	)
}

// The sum of two additions is seen by a third goroutine: both have come before.
func TestNoRaceCounterSum(t *testing.T) {
	var (
		calls atomic.Int64
		x, y  int
	)
	sched.InTurn(
		func() {
			x = 1
			calls.Add(1)
		},
		func() {
			y = 1
			calls.Add(1)
		},
		func() {
			if calls.Load() == 2 {
				x++
				y++
			}
		},
	)
}

// A bit operation and an addition do not trade places: 0|1 is 1, and then 2.
func TestNoRaceCounterBits(t *testing.T) {
	var (
		word atomic.Uint32
		x    int
	)
	sched.InTurn(
		func() {
			x = 1
			word.Or(1)
		},
		func() {
			word.Add(1)
			if word.Load() == 2 {
				x++
			}
		},
	)
}

// Of three bit operations of one kind, the second and third trade places.
func TestRacePredictedFlags(t *testing.T) {
	var (
		seen atomic.Uint32
		x    int
	)
	seen.Or(1)
	sched.InTurn(
		func() {
			x = 1
			seen.Or(2)
		},
		func() {
			seen.Or(4)
			x++
		},
	)
}
