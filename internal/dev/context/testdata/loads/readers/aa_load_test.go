// Package load has 70 goroutines that read a word each of them can reach: a plain one, and an atomic one.
package load

import (
	"sync"
	"sync/atomic"
	"testing"
)

func TestNoRaceLoadReaders(t *testing.T) {
	type config struct {
		limit int
		level atomic.Int64
	}
	c := &config{limit: 7}
	c.level.Store(1)
	start := make(chan int)
	var readers sync.WaitGroup
	var sum atomic.Int64
	for range 70 {
		readers.Go(func() {
			<-start
			sum.Add(int64(c.limit) + c.level.Load())
		})
	}
	close(start)
	readers.Wait()
	if got := sum.Load(); got != 70*8 {
		t.Error(got)
	}
}
