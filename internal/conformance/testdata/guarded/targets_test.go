// What is read to find the variable that a select or a range assigns to: the text after it depends on it.

package guarded

import (
	"sync"
	"testing"
	"time"
)

type chosen struct {
	mu   sync.Mutex
	n    int
	at   *[2]int
	list [2]int
}

// choosing has a goroutine write and then choose under a lock, and another one look later at what was chosen.
func choosing(choose func(*chosen), looks func(s *chosen, written *int)) {
	s, written := new(chosen), new(int)
	s.at = new([2]int)
	var wg sync.WaitGroup
	wg.Go(func() {
		*written = 42
		s.mu.Lock()
		choose(s)
		s.mu.Unlock()
	})
	wg.Go(func() {
		time.Sleep(5 * time.Millisecond)
		looks(s, written)
	})
	wg.Wait()
}

func second(s *chosen) { s.n = 1 }

func ofSeven() chan int {
	c := make(chan int, 1)
	c <- 7
	return c
}

func TestNoRaceTargetOfSelect(t *testing.T) {
	choosing(second, func(s *chosen, written *int) {
		c := ofSeven()
		var seen [2]int
		s.mu.Lock()
		select {
		case seen[s.n] = <-c:
		}
		s.mu.Unlock()
		if seen[1] == 7 {
			*written++
		}
	})
}

// TestRaceTargetOfSelect is led to its target by what nobody writes.
func TestRaceTargetOfSelect(t *testing.T) {
	choosing(second, func(s *chosen, written *int) {
		c := ofSeven()
		var seen [2]int
		s.mu.Lock()
		select {
		case seen[s.list[0]] = <-c:
		}
		s.mu.Unlock()
		if seen[0] == 7 {
			*written++
		}
	})
}

func TestNoRaceTargetInMap(t *testing.T) {
	choosing(second, func(s *chosen, written *int) {
		c := ofSeven()
		seen := map[int]int{}
		s.mu.Lock()
		select {
		case seen[s.n] = <-c:
		default:
		}
		s.mu.Unlock()
		if seen[1] == 7 {
			*written++
		}
	})
}

func TestNoRaceTargetOfRange(t *testing.T) {
	choosing(second, func(s *chosen, written *int) {
		var last [2]int
		s.mu.Lock()
		for last[s.n] = range 3 {
		}
		s.mu.Unlock()
		if last[1] == 2 {
			*written++
		}
	})
}

func TestNoRaceTargetOfValue(t *testing.T) {
	choosing(second, func(s *chosen, written *int) {
		var last [2]int
		s.mu.Lock()
		for _, last[s.n] = range []int{3, 4} {
		}
		s.mu.Unlock()
		if last[1] == 4 {
			*written++
		}
	})
}

// TestNoRaceTargetBehindPointer finds by the old pointer that the new one is there.
func TestNoRaceTargetBehindPointer(t *testing.T) {
	choosing(func(s *chosen) { s.at = &s.list }, func(s *chosen, written *int) {
		c := ofSeven()
		s.mu.Lock()
		select {
		case s.at[1] = <-c:
		}
		s.mu.Unlock()
		s.mu.Lock()
		moved := s.list[1] == 7
		s.mu.Unlock()
		if moved {
			*written++
		}
	})
}

// TestRaceTargetItself reads the index beside its write.
func TestRaceTargetItself(t *testing.T) {
	choosing(func(s *chosen) { s.mu.Unlock(); s.n = 1; s.mu.Lock() }, func(s *chosen, written *int) {
		c := ofSeven()
		var seen [2]int
		select {
		case seen[s.n] = <-c:
		}
		_ = seen
	})
}

// TestNoRaceTargetNil: a key that no variable can have the value of.
func TestNoRaceTargetNil(t *testing.T) {
	choosing(second, func(s *chosen, written *int) {
		c := ofSeven()
		seen := map[any]int{}
		s.mu.Lock()
		select {
		case seen[nil] = <-c:
		}
		if s.n == 1 {
			*written++
		}
		s.mu.Unlock()
	})
}
