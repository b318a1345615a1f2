// Package load has a janitor with a ticker of 1 ms, which goes through a map until the process ends.
package load

import (
	"sync"
	"testing"
	"time"
)

type loadSessions struct {
	mu    sync.Mutex
	until map[int]time.Time
	swept int
}

func (s *loadSessions) sweep(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, until := range s.until {
		if until.Before(now) {
			delete(s.until, id)
		}
	}
	s.until[s.swept] = now.Add(50 * time.Millisecond)
	s.swept++
}

func TestNoRaceLoadJanitor(t *testing.T) {
	s := &loadSessions{until: make(map[int]time.Time)}
	go func() {
		ticker := time.NewTicker(time.Millisecond)
		defer ticker.Stop()
		for now := range ticker.C {
			s.sweep(now)
		}
	}()
	for range 20 {
		time.Sleep(5 * time.Millisecond)
		s.sweep(time.Now())
	}
}
