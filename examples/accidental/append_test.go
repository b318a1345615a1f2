package accidental

import (
	"errors"
	"sync"
	"testing"

	"github.com/racepred/racepred/examples/internal/sched"
)

// results are what workers have found.
type results struct {
	mu    sync.Mutex
	found []string
	errs  []error
}

func (r *results) add(text ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.found = append(r.found, text...)
}

// Both append to a list, and no goroutine looks at it before both are done.
func TestRacePredictedResults(t *testing.T) {
	var (
		mu   sync.Mutex
		list []int
		x    int
	)
	sched.InTurn(
		func() {
			x = 1
			mu.Lock()
			list = append(list, 1)
			mu.Unlock()
		},
		func() {
			mu.Lock()
			list = append(list, 2)
			mu.Unlock()
			x++
		},
	)
	if len(list) != 2 {
		t.Error(list)
	}
}

// The list has room for all.
func TestRacePredictedResultsWithRoom(t *testing.T) {
	r := results{found: make([]string, 0, 10)}
	var x int
	sched.InTurn(
		func() {
			x = 1
			r.add("a", "b")
		},
		func() {
			r.add("c")
			r.add("d", "e", "f")
			x++
		},
	)
}

// There are many, so that the array grows a few times.
func TestRacePredictedManyResults(t *testing.T) {
	var (
		r results
		x int
	)
	sched.InTurn(
		func() {
			x = 1
			for range 30 {
				r.add("a")
			}
		},
		func() {
			for range 30 {
				r.add("b")
			}
			x++
		},
	)
}

// What is appended comes from a call.
func TestRacePredictedErrors(t *testing.T) {
	var (
		r results
		x int
	)
	fails := func(why string) {
		r.mu.Lock()
		r.errs = append(r.errs, errors.New(why))
		r.mu.Unlock()
	}
	sched.InTurn(
		func() {
			x = 1
			fails("one")
		},
		func() {
			fails("two")
			x++
		},
	)
}

// The second one waits for the first one's result.
func TestNoRaceResultsCounted(t *testing.T) {
	var (
		r results
		x int
	)
	sched.InTurn(
		func() {
			x = 1
			r.add("a")
		},
		func() {
			r.mu.Lock()
			r.found = append(r.found, "b")
			both := len(r.found) == 2
			r.mu.Unlock()
			if both {
				x++
			}
		},
	)
}

// The second one finds it in the array, by another slice.
func TestNoRaceResultsSeen(t *testing.T) {
	r := results{found: make([]string, 0, 4)}
	room := r.found[:4]
	var x int
	sched.InTurn(
		func() {
			x = 1
			r.add("a")
		},
		func() {
			r.add("b")
			r.mu.Lock()
			first := room[0]
			r.mu.Unlock()
			if first == "a" {
				x++
			}
		},
	)
}
