// Wrappers of methods that the compiler makes, and that the rewriter has no function for.

package guarded

import (
	"sync"
	"testing"
)

// In each program the one who writes out sets something under mu that only a wrapper reads, and the reader looks at out if the wrapper shows it.

func throughWrapper(t *testing.T, set func(), shows func() bool) {
	var mu sync.Mutex
	out := 0
	oneByOne(func() {
		out = 1
		mu.Lock()
		set()
		mu.Unlock()
	}, func() {
		mu.Lock()
		done := shows()
		mu.Unlock()
		if done && out != 1 {
			t.Error(out)
		}
	})
}

type flagOf[T any] struct{ on T }

func (f flagOf[T]) isOn() T { return f.on }

func TestNoRaceWrapperOfGenericType(t *testing.T) {
	p := &flagOf[bool]{}
	var flag interface{ isOn() bool } = p
	throughWrapper(t, func() { p.on = true }, func() bool { return flag.isOn() })
}

// The wrapper is not called under the lock.
func TestRaceWrapperOfGenericType(t *testing.T) {
	var mu sync.Mutex
	var flag interface{ isOn() bool } = &flagOf[bool]{}
	out := 0
	oneByOne(func() {
		out = 1
		mu.Lock()
		mu.Unlock()
	}, func() {
		on := flag.isOn()
		mu.Lock()
		mu.Unlock()
		if !on {
			_ = out
		}
	})
}

type same struct{ _ int }

func (s *same) is(o *same) bool { return s == o }

func TestNoRaceWrapperOfLocalType(t *testing.T) {
	type local struct{ *same }
	y := &same{}
	p := &local{&same{}}
	var flag interface{ is(*same) bool } = p
	throughWrapper(t, func() { p.same = y }, func() bool { return flag.is(y) })
}

func TestNoRaceWrapperOfTypeWithoutName(t *testing.T) {
	y := &same{}
	p := &struct{ *same }{&same{}}
	var flag interface{ is(*same) bool } = p
	throughWrapper(t, func() { p.same = y }, func() bool { return flag.is(y) })
}

type lockOf[T any] struct {
	*sync.Mutex
	_ T
}

func isTaken(mu *sync.Mutex) bool {
	if mu.TryLock() {
		mu.Unlock()
		return false
	}
	return true
}

// The reader takes one of two locks, and tries which one.
func tells(taken *sync.Mutex, lock func(), unlock func()) bool {
	lock()
	defer unlock()
	return isTaken(taken)
}

func TestNoRaceWrapperOfGenericLock(t *testing.T) {
	var before, after sync.Mutex
	p := &lockOf[int]{Mutex: &before}
	var l sync.Locker = p
	throughWrapper(t, func() { p.Mutex = &after }, func() bool { return tells(&after, l.Lock, l.Unlock) })
}

type embedded struct{ *sync.Mutex }

func tellsGiven[L sync.Locker](taken *sync.Mutex, l L) bool {
	l.Lock()
	defer l.Unlock()
	return isTaken(taken)
}

func TestNoRaceWrapperByTypeParameter(t *testing.T) {
	var before, after sync.Mutex
	p := &embedded{&before}
	throughWrapper(t, func() { p.Mutex = &after }, func() bool { return tellsGiven(&after, p) })
}

type embeddedTwice struct{ embedded }

func TestNoRaceWrapperOfTwoByTypeParameter(t *testing.T) {
	var before, after sync.Mutex
	p := &embeddedTwice{embedded{&before}}
	throughWrapper(t, func() { p.Mutex = &after }, func() bool { return tellsGiven(&after, p) })
}
