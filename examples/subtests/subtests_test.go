// Package subtests shares state among parallel subtests.
package subtests

import (
	"sync"
	"testing"

	"github.com/racepred/racepred/examples/internal/sched"
)

// Two parallel subtests write one variable. Whether their bodies meet is up to the scheduler;
// package testing's own locks and signals order them by accident when they do not, and `go test
// -race` sees the race now and then.
func TestRaceParallelSubtests(t *testing.T) {
	var shared struct{ note string }
	for _, name := range []string{"a", "b"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shared.note = name
		})
	}
}

// Run takes a lock that all tests share, which orders what comes before it in one subtest and after
// it in another.
func TestRacePredictedParallelRuns(t *testing.T) {
	n := 0
	for i, name := range []string{"a", "b"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sched.Rest(i)
			if i == 0 {
				n++
			}
			t.Run("step", func(t *testing.T) {})
			if i == 1 {
				n++
			}
		})
	}
}

// Until the parent returns, none of its parallel subtests goes on.
func TestNoRaceParentGoesOn(t *testing.T) {
	table := map[string]int{}
	for _, name := range []string{"a", "b"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if table[name] != 1 {
				t.Error("missing")
			}
		})
	}
	table["a"], table["b"] = 1, 1
}

// A group's Run returns when its parallel subtests are done.
func TestNoRaceAfterGroup(t *testing.T) {
	n := 0
	t.Run("group", func(t *testing.T) {
		t.Run("one", func(t *testing.T) {
			t.Parallel()
			n++
		})
	})
	if n != 1 {
		t.Errorf("n = %d, want 1", n)
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
