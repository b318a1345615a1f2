package accidental

import (
	"sync"
	"testing"

	"github.com/racepred/racepred/examples/internal/sched"
)

// total is a sum that nobody asks for.
type total struct {
	mu    sync.Mutex
	n     int
	flags uint16
	cells [2]int32
}

func (s *total) add(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n += n
}

// Both count under a lock, and no goroutine looks at the count.
func TestRacePredictedTotal(t *testing.T) {
	var (
		mu       sync.Mutex
		total, x int
	)
	sched.InTurn(
		func() {
			x = 1
			mu.Lock()
			total++
			mu.Unlock()
		},
		func() {
			mu.Lock()
			total++
			mu.Unlock()
			x++
		},
	)
}

// Both add to a sum, in a method that unlocks when it returns.
func TestRacePredictedSum(t *testing.T) {
	var (
		s total
		x int
	)
	sched.InTurn(
		func() {
			x = 1
			s.add(3)
		},
		func() {
			s.add(4)
			x++
		},
	)
}

// Both set bits.
func TestRacePredictedBits(t *testing.T) {
	var (
		s total
		x int
	)
	sched.InTurn(
		func() {
			x = 1
			s.mu.Lock()
			s.flags |= 1
			s.mu.Unlock()
		},
		func() {
			s.mu.Lock()
			s.flags |= 2
			s.flags |= 4
			s.mu.Unlock()
			x++
		},
	)
}

// Both add to elements of an array, in a loop.
func TestRacePredictedElements(t *testing.T) {
	var (
		s total
		x int
	)
	add := func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		for i := range 10 {
			s.cells[i%2] += int32(i)
			s.n++
		}
	}
	sched.InTurn(
		func() {
			x = 1
			add()
		},
		func() {
			add()
			x++
		},
	)
}

// The sum is asked for when both are done; until then they may trade places.
func TestRacePredictedTotalAsked(t *testing.T) {
	var (
		s total
		x int
	)
	sched.InTurn(
		func() {
			x = 1
			s.add(1)
		},
		func() {
			s.add(2)
			x++
		},
	)
	if s.n != 3 {
		t.Error("the sum is wrong")
	}
}

// A goroutine that adds without the lock races with one that holds it.
func TestRaceTotalWithoutLock(t *testing.T) {
	var s total
	sched.InTurn(
		func() { s.add(1) },
		func() { s.n++ },
	)
}

// A goroutine that sees that the other one has added comes second.
func TestNoRaceTotalSeen(t *testing.T) {
	var (
		s total
		x int
	)
	sched.InTurn(
		func() {
			x = 1
			s.add(1)
		},
		func() {
			s.mu.Lock()
			s.n++
			last := s.n == 2
			s.mu.Unlock()
			if last {
				x++
			}
		},
	)
}

// An addition and a bit operation do not trade places: 0+1|1 is 1, and 0|1+1 is 2.
func TestNoRaceTotalBits(t *testing.T) {
	var (
		s total
		x int
	)
	sched.InTurn(
		func() {
			x = 1
			s.mu.Lock()
			s.flags++
			s.mu.Unlock()
		},
		func() {
			s.mu.Lock()
			s.flags |= 1
			s.mu.Unlock()
			s.mu.Lock()
			one := s.flags == 1
			s.mu.Unlock()
			if one {
				x++
			}
		},
	)
}
