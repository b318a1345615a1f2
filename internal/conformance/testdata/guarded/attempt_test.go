// A writer that waits for a reader keeps others from reading: whoever tries finds that it waits, though it has not got the lock.

package guarded

import (
	"sync"
	"testing"
)

// refused says whether an attempt to read fails.
func refused(rw *sync.RWMutex) func() bool {
	return func() bool {
		if rw.TryRLock() {
			rw.RUnlock()
			return false
		}
		return true
	}
}

func TestNoRaceWriterWaits(t *testing.T) {
	var b box
	var rw sync.RWMutex
	reading := make(chan bool)
	together(func() {
		<-reading
		b.x = 1
		b.pass()
		rw.Lock()
		rw.Unlock()
	}, func() {
		rw.RLock()
		close(reading)
		until(t, refused(&rw))
		b.pass()
		b.x = 2
		rw.RUnlock()
	})
}

// The writer that is found to wait is another one.
func TestRaceWriterWaits(t *testing.T) {
	var b box
	var rw sync.RWMutex
	reading, written := make(chan bool), make(chan bool)
	together(func() {
		<-reading
		rw.Lock()
		rw.Unlock()
	}, func() {
		rw.RLock()
		close(reading)
		until(t, refused(&rw))
		longNap()
		b.pass()
		b.x = 2
		rw.RUnlock()
		<-written
	}, func() {
		<-reading
		nap()
		nap()
		b.x = 1
		b.pass()
		close(written)
	})
}

func TestNoRaceWriterHolds(t *testing.T) {
	var b box
	var rw sync.RWMutex
	seen := make(chan bool)
	together(func() {
		b.x = 1
		b.pass()
		rw.Lock()
		<-seen
		rw.Unlock()
	}, func() {
		until(t, refused(&rw))
		b.pass()
		b.x = 2
		close(seen)
	})
}

func TestRaceWriterHolds(t *testing.T) {
	var b box
	var rw sync.RWMutex
	seen := make(chan bool)
	together(func() {
		rw.Lock()
		b.x = 1
		b.pass()
		<-seen
		rw.Unlock()
	}, func() {
		until(t, refused(&rw))
		longNap()
		b.pass()
		b.x = 2
		close(seen)
	})
}
