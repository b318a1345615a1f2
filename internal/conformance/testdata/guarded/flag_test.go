// Flags that one section looks at and another goroutine sets, inside of its own section or just after it.

package guarded

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// flagged is a server that counts what it does until it is closed.
type flagged struct {
	mu     sync.Mutex
	closed atomic.Bool
	conns  []int
	count  int
}

func (s *flagged) add() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed.Load() {
		s.count++
	}
}

func (s *flagged) drop() {
	s.mu.Lock()
	s.conns = nil
	s.mu.Unlock()
}

// closing runs s.add, and then f.
func (s *flagged) closing(f func()) {
	var wg sync.WaitGroup
	wg.Go(s.add)
	time.Sleep(time.Millisecond)
	f()
	wg.Wait()
}

// The flag is set in the section: who found it unset has left the section.
func TestNoRaceFlagInSection(t *testing.T) {
	s := &flagged{}
	s.closing(func() {
		s.mu.Lock()
		s.conns = nil
		s.closed.Store(true)
		s.mu.Unlock()
		_ = s.count
	})
}

// The flag is set before the section.
func TestNoRaceFlagBeforeSection(t *testing.T) {
	s := &flagged{}
	s.closing(func() {
		s.closed.Store(true)
		s.drop()
		_ = s.count
	})
}

// The flag is set between two sections: the second one waits for who found it unset.
func TestNoRaceFlagBetweenSections(t *testing.T) {
	s := &flagged{}
	s.closing(func() {
		s.drop()
		s.closed.Store(true)
		s.mu.Lock()
		s.mu.Unlock()
		_ = s.count
	})
}

// The flag is set after the section: another goroutine may have found it unset since then.
func TestRaceFlagAfterSection(t *testing.T) {
	s := &flagged{}
	s.closing(func() {
		s.drop()
		s.closed.Store(true)
		_ = s.count
	})
}

// So it is with a flag that is swapped, and with accesses between the two.
func TestRaceFlagSwappedAfterSection(t *testing.T) {
	s := &flagged{}
	n := 0
	s.closing(func() {
		s.drop()
		n++
		if s.closed.CompareAndSwap(false, true) {
			_ = s.count
		}
	})
	_ = n
}

// What the section wrote is looked at before the flag is set: it comes after the section, and nothing races.
func TestNoRaceFlagAfterLook(t *testing.T) {
	s := &flagged{}
	s.closing(func() {
		s.mu.Lock()
		n := s.count
		s.mu.Unlock()
		if n == 1 {
			s.closed.Store(true)
			_ = s.count
		}
	})
}
