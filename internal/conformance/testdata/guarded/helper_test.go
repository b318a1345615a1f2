// A call of T.Helper, as each assertion of a library for tests makes one, orders goroutines no more than a line that they log. What else they do while they assert still does.

package guarded

import (
	"sync"
	"testing"
)

// equal asserts as such libraries do.
func equal(t *testing.T, want, got int) {
	t.Helper()
	if want != got {
		t.Errorf("%d, want %d", got, want)
	}
}

func TestRaceHelper(t *testing.T) {
	n := 0
	inTurn(func() {
		n++
		equal(t, 1, 1)
	}, func() {
		equal(t, 2, 2)
		n++
	})
}

func TestRaceHelperAndLog(t *testing.T) {
	n := 0
	inTurn(func() {
		n++
		t.Log("one")
	}, func() {
		equal(t, 2, 2)
		n++
	})
}

func TestRaceOutput(t *testing.T) {
	n := 0
	inTurn(func() {
		n++
		t.Output().Write([]byte("one\n"))
	}, func() {
		t.Output().Write([]byte("two"))
		n++
	})
}

func TestRaceHelperInSections(t *testing.T) {
	var mu sync.Mutex
	n := 0
	inTurn(func() {
		n++
		mu.Lock()
		equal(t, 1, 1)
		mu.Unlock()
	}, func() {
		mu.Lock()
		equal(t, 2, 2)
		mu.Unlock()
		n++
	})
}

func TestNoRaceHelperUnderALock(t *testing.T) {
	var mu sync.Mutex
	n := 0
	inTurn(func() {
		mu.Lock()
		n++
		equal(t, 1, n)
		mu.Unlock()
	}, func() {
		mu.Lock()
		n++
		equal(t, 2, n)
		mu.Unlock()
	})
}

func TestNoRaceHelperAfterAChannel(t *testing.T) {
	n, done := 0, make(chan bool)
	inTurn(func() {
		n++
		equal(t, 1, n)
		close(done)
	}, func() {
		<-done
		equal(t, 1, n)
		n++
	})
}

func TestNoRaceHelperToldByALock(t *testing.T) {
	var mu sync.Mutex
	n, done := 0, false
	inTurn(func() {
		n++
		equal(t, 1, 1)
		mu.Lock()
		done = true
		mu.Unlock()
	}, func() {
		mu.Lock()
		over := done
		mu.Unlock()
		equal(t, 2, 2)
		if over {
			n++
		}
	})
}

// Goroutines that share a test share its set of helpers, which a call before them made.
func TestNoRaceHelpers(t *testing.T) {
	t.Helper()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { equal(t, 1, 1) })
		wg.Go(func() { t.Helper() })
		wg.Go(func() { t.Log("in a goroutine") })
	}
	wg.Wait()
}

func TestNoRaceHelpersOfParent(t *testing.T) {
	t.Helper()
	for range 4 {
		t.Run("", func(sub *testing.T) {
			sub.Parallel()
			equal(t, 1, 1)
			equal(sub, 1, 1)
			t.Log("the parent's")
		})
	}
}

func TestRaceHelpers(t *testing.T) {
	t.Helper()
	n := 0
	inTurn(func() {
		n++
		equal(t, 1, 1)
	}, func() {
		equal(t, 2, 2)
		n++
	})
}
