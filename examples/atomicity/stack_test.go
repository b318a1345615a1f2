package atomicity

import (
	"sync"
	"testing"

	"github.com/racepred/racepred/examples/internal/sched"
)

// stack is one with a lock.
type stack struct {
	mu    sync.Mutex
	items [8]int
	n     int
}

func (s *stack) push(v int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.items[s.n] = v
	s.n = s.n + 1
}

func (s *stack) top() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.n == 0 {
		return 0
	}
	return s.items[s.n-1]
}

func (s *stack) pop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.n > 0 {
		s.n = s.n - 1
	}
}

func (s *stack) clear() {
	s.mu.Lock()
	s.n = 0
	s.mu.Unlock()
}

// take is top and then pop: each is right by itself.
//
//racepred:atomic
func (s *stack) take() int {
	v := s.top()
	s.pop()
	return v
}

// takeLocked does both in one section.
//
//racepred:atomic
func (s *stack) takeLocked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.n == 0 {
		return 0
	}
	s.n--
	return s.items[s.n]
}

// The stack is cleared between top and pop.
func TestAtomicityTopThenPop(t *testing.T) {
	s := stack{}
	s.push(1)
	s.push(2)
	sched.InTurn(
		func() { s.take() },
		func() { s.clear() },
	)
}

// Top and pop in one section are atomic.
func TestNoRaceTopAndPop(t *testing.T) {
	s := stack{}
	s.push(1)
	s.push(2)
	sched.InTurn(
		func() { s.takeLocked() },
		func() { s.clear() },
	)
}

// object counts its users, and is closed with the last one.
type object struct {
	mu     sync.Mutex
	users  int
	closed bool
}

func (o *object) use() {
	o.mu.Lock()
	o.users++
	o.mu.Unlock()
}

// drop counts in one section and closes in the next, when somebody may use the object again.
//
//racepred:atomic
func (o *object) drop() {
	o.mu.Lock()
	o.users--
	o.mu.Unlock()
	o.mu.Lock()
	if o.users == 0 {
		o.closed = true
	}
	o.mu.Unlock()
}

// dropLocked counts and closes in one.
//
//racepred:atomic
func (o *object) dropLocked() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.users--
	if o.users == 0 {
		o.closed = true
	}
}

// Somebody begins to use the object between the count and the look at it.
func TestAtomicityReferences(t *testing.T) {
	o := object{users: 1}
	sched.InTurn(
		func() { o.drop() },
		func() { o.use() },
	)
}

// Counting and closing in one section are atomic.
func TestNoRaceReferences(t *testing.T) {
	o := object{users: 1}
	sched.InTurn(
		func() { o.dropLocked() },
		func() { o.use() },
	)
}

// floors are the calls of an elevator, after von Praun's.
type floors struct {
	mu    sync.Mutex
	up    [4]bool // somebody waits to go up
	taken [4]bool // a cabin is on its way
}

func (f *floors) waits(n int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.up[n] && !f.taken[n]
}

func (f *floors) take(n int) {
	f.mu.Lock()
	f.taken[n] = true
	f.mu.Unlock()
}

func (f *floors) cancel(n int) {
	f.mu.Lock()
	f.up[n], f.taken[n] = false, false
	f.mu.Unlock()
}

// claim has a cabin go where somebody waits.
//
//racepred:atomic
func (f *floors) claim(n int) bool {
	if !f.waits(n) {
		return false
	}
	f.take(n)
	return true
}

// claimLocked does so in one section.
//
//racepred:atomic
func (f *floors) claimLocked(n int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.up[n] || f.taken[n] {
		return false
	}
	f.taken[n] = true
	return true
}

// The call is cancelled after the cabin saw it, and the cabin goes all the same.
func TestAtomicityElevator(t *testing.T) {
	f := floors{up: [4]bool{2: true}}
	sched.InTurn(
		func() { f.claim(2) },
		func() { f.cancel(2) },
	)
}

// In one section the call is there or not.
func TestNoRaceElevator(t *testing.T) {
	f := floors{up: [4]bool{2: true}}
	sched.InTurn(
		func() { f.claimLocked(2) },
		func() { f.cancel(2) },
	)
}
