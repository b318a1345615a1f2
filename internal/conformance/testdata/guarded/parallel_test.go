// What package testing promises of parallel tests keeps its order. What it does besides, to count them and to print, orders nothing.

package guarded

import (
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// parallel runs a parallel subtest for each function.
func parallel(t *testing.T, functions ...func(t *testing.T)) {
	for i, f := range functions {
		t.Run(string(rune('a'+i)), func(t *testing.T) {
			t.Parallel()
			f(t)
		})
	}
}

// atOnce is a goroutine for each function, one after the other by sleeping.
func atOnce(functions ...func()) {
	var wg sync.WaitGroup
	for i, f := range functions {
		wg.Go(func() {
			time.Sleep(time.Duration(i) * 10 * time.Millisecond)
			f()
		})
	}
	wg.Wait()
}

// The parent's body, to its end, comes before what its parallel subtests do.
func TestNoRaceParallelParentGoesOn(t *testing.T) {
	n := 0
	parallel(t, func(t *testing.T) { n++ })
	n++
	defer func() { n++ }()
}

func TestRaceParallelParentLeavesGoroutine(t *testing.T) {
	n := 0
	var wg sync.WaitGroup
	wg.Add(1)
	parallel(t, func(t *testing.T) { n++; wg.Wait() })
	go func() {
		defer wg.Done()
		time.Sleep(10 * time.Millisecond)
		n++
	}()
}

// A cleanup of the parent comes after all of its parallel subtests.
func TestNoRaceParallelCleanup(t *testing.T) {
	n, m := 0, 0
	t.Cleanup(func() { n++; m++ })
	parallel(t, func(t *testing.T) { n++ }, func(t *testing.T) { m++ })
}

func TestRaceParallelCleanups(t *testing.T) {
	n := 0
	cleans := func(t *testing.T) { t.Cleanup(func() { n++ }) }
	parallel(t, cleans, cleans)
}

// That a goroutine of a test asks for a cleanup is no news for another one.
func TestRaceCleanupAndLog(t *testing.T) {
	n := 0
	inTurn(func() {
		n++
		t.Cleanup(func() {})
	}, func() {
		t.Log("two")
		n++
	})
}

func TestRaceLogAndCleanup(t *testing.T) {
	n := 0
	inTurn(func() {
		n++
		t.Log("one")
	}, func() {
		t.Cleanup(func() {})
		n++
	})
}

// The order of two cleanups shows when they are called.
func TestNoRaceCleanupsInOrder(t *testing.T) {
	last := 0
	var n, m int
	t.Cleanup(func() {
		if last != 2 {
			t.Error("cleanups are called in the order in which they were made")
		}
		n, m = n+1, m+1
	})
	inTurn(func() {
		n++
		t.Cleanup(func() { last = 2 })
	}, func() {
		t.Cleanup(func() { last = 1 })
		m++
	})
}

func TestNoRaceCleanupOfATest(t *testing.T) {
	n := 0
	t.Run("inner", func(t *testing.T) {
		t.Cleanup(func() { n++ })
		n++
	})
	n++
}

// Run of a group returns after the parallel subtests of the group.
func TestNoRaceParallelGroup(t *testing.T) {
	n, m := 0, 0
	for range 2 {
		t.Run("group", func(t *testing.T) {
			parallel(t, func(t *testing.T) { n++ }, func(t *testing.T) { m++ })
		})
		n, m = n+1, m+1
	}
}

func TestRaceParallelInOneGroup(t *testing.T) {
	n := 0
	t.Run("group", func(t *testing.T) {
		parallel(t, func(t *testing.T) { n++ }, func(t *testing.T) { n++ })
	})
}

// A test begins after the parallel subtests of the one before it.
var inTwoTests int

func TestNoRaceParallelThenNextTest(t *testing.T) {
	parallel(t, func(t *testing.T) { inTwoTests++ })
}

func TestNoRaceParallelNextTest(t *testing.T) { inTwoTests++ }

// What a subtest does before it calls Parallel belongs to the parent's sequence.
func TestNoRaceParallelBegin(t *testing.T) {
	n := 0
	for _, name := range []string{"a", "b"} {
		t.Run(name, func(t *testing.T) {
			n++
			t.Parallel()
		})
	}
	n++
}

func TestRaceParallelBeginTooLate(t *testing.T) {
	n := 0
	for _, name := range []string{"a", "b"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n++
		})
	}
	n++
}

// A parallel subtest's own parallel subtests come after its body and before its cleanup.
func TestNoRaceParallelDeeper(t *testing.T) {
	parallel(t, func(t *testing.T) {
		n := 0
		t.Cleanup(func() { n++ })
		parallel(t, func(t *testing.T) { n++ })
		n++
	}, func(t *testing.T) {})
}

func TestRaceParallelDeeper(t *testing.T) {
	n := 0
	deeper := func(t *testing.T) {
		parallel(t, func(t *testing.T) { n++ })
	}
	parallel(t, deeper, deeper)
}

// Subtests that are not parallel keep their order, those of a parallel test, too.
func TestNoRaceParallelSequence(t *testing.T) {
	parallel(t, func(t *testing.T) {
		n := 0
		for range 3 {
			t.Run("s", func(t *testing.T) { n++ })
		}
		n++
	}, func(t *testing.T) { t.Run("s", func(t *testing.T) {}) })
}

func TestRaceParallelSequences(t *testing.T) {
	n := 0
	sequence := func(t *testing.T) {
		t.Run("first", func(t *testing.T) {})
		t.Run("second", func(t *testing.T) { n++ })
		t.Run("third", func(t *testing.T) {})
	}
	parallel(t, sequence, sequence)
}

// Two that fail see nothing of each other.
func TestRaceParallelFail(t *testing.T) {
	other := new(testing.T)
	n := 0
	atOnce(func() { n++; other.Fail() }, func() { other.Fail(); n++ })
}

// Who sees that a test was skipped comes after what it did before. (That one has failed is seen after a race, too, whoever raced.)
func TestNoRaceParallelSkipped(t *testing.T) {
	other := new(testing.T)
	var mu sync.Mutex
	n := 0
	atOnce(func() {
		n++
		mu.Lock()
		mu.Unlock()
		other.SkipNow()
	}, func() {
		for !other.Skipped() {
			runtime.Gosched()
		}
		mu.Lock()
		mu.Unlock()
		n++
	})
}

// A test's context is done after its body, and the bodies of its parallel subtests.
func TestNoRaceParallelContext(t *testing.T) {
	var mu sync.Mutex
	n, m := 0, 0
	tests := make(chan *testing.T)
	done := make(chan bool)
	go func() {
		defer close(done)
		t.Run("ends", func(t *testing.T) {
			tests <- t
			parallel(t, func(t *testing.T) {
				m++
				mu.Lock()
				mu.Unlock()
			})
			n++
		})
	}()
	<-(<-tests).Context().Done()
	mu.Lock()
	mu.Unlock()
	n++
	m++
	<-done
}

// The name of a subtest tells of others that had that name before.
func TestNoRaceParallelSameName(t *testing.T) {
	n := 0
	atOnce(func() {
		n++
		t.Run("same", func(*testing.T) {})
	}, func() {
		second := false
		t.Run("same", func(t *testing.T) { second = strings.HasSuffix(t.Name(), "#01") })
		if second {
			n++
		}
	})
}

func TestNoRaceParallelNumberedName(t *testing.T) {
	n := 0
	atOnce(func() {
		n++
		t.Run("same#01", func(*testing.T) {})
	}, func() {
		second := false
		t.Run("same", func(*testing.T) {})
		t.Run("same", func(t *testing.T) { second = strings.HasSuffix(t.Name(), "#02") })
		if second {
			n++
		}
	})
}

func TestRaceParallelOtherName(t *testing.T) {
	n := 0
	atOnce(func() {
		n++
		t.Run("one", func(*testing.T) {})
	}, func() {
		t.Run("two", func(*testing.T) {})
		n++
	})
}

// What two parallel subtests tell each other by other means is in order.
func TestNoRaceParallelMessage(t *testing.T) {
	n := 0
	told := make(chan bool, 1)
	parallel(t, func(t *testing.T) {
		n++
		told <- true
	}, func(t *testing.T) {
		select {
		case <-told:
			n++
		default:
		}
	})
}

// Nothing that a test asks of package testing while it runs orders it with others.
func TestRaceParallelUses(t *testing.T) {
	n := 0
	uses := func(t *testing.T) {
		t.Helper()
		t.Log(t.Name(), t.Failed(), t.Skipped())
		t.TempDir()
		t.Context()
		t.Deadline()
		t.Cleanup(func() {})
		t.Attr("key", "value")
		t.Output().Write([]byte("a line\n"))
		t.Run("sub", func(t *testing.T) { t.Logf("in %s", t.Name()) })
	}
	body := func(t *testing.T) {
		uses(t)
		n++
		uses(t)
	}
	parallel(t, body, body, body)
}
