// Package subtests shares state among parallel subtests.
package subtests

import (
	"sync"
	"testing"

	"github.com/racepred/racepred/examples/internal/sched"
)

// Two parallel subtests count in one variable.
func TestRaceParallelSubtests(t *testing.T) {
	n := 0
	for _, name := range []string{"a", "b"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// Keeps clear of the locks that package testing takes to print.
			sched.Rest(1)
			n++
			sched.Rest(1)
		})
	}
}

// They may all read what was there before them.
func TestNoRaceParallelReads(t *testing.T) {
	table := map[string]int{"a": 1, "b": 2}
	for _, name := range []string{"a", "b"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if table[name] == 0 {
				t.Error("missing")
			}
		})
	}
}

// Subtests that are not parallel run one after the other.
func TestNoRaceSequentialSubtests(t *testing.T) {
	n := 0
	for _, name := range []string{"a", "b"} {
		t.Run(name, func(t *testing.T) { n++ })
	}
	if n != 2 {
		t.Errorf("n = %d, want 2", n)
	}
}

// A cleanup of the parent runs after all parallel subtests.
func TestNoRaceCleanup(t *testing.T) {
	results := make(map[string]int)
	var mu sync.Mutex
	t.Cleanup(func() {
		if len(results) != 2 {
			t.Errorf("%d results, want 2", len(results))
		}
	})
	for _, name := range []string{"a", "b"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mu.Lock()
			results[name]++
			mu.Unlock()
		})
	}
}

// The part of a subtest before t.Parallel belongs to the sequence.
func TestNoRaceBeforeParallel(t *testing.T) {
	n := 0
	for _, name := range []string{"a", "b"} {
		t.Run(name, func(t *testing.T) {
			n++
			t.Parallel()
		})
	}
	n++
}
