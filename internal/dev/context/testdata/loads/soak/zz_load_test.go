// Package load has a soak of 10 s after the others.
package load

import (
	"sync"
	"testing"
	"time"
)

func TestNoRaceLoadSoak(t *testing.T) {
	var mu sync.Mutex
	shared := make(map[int]int)
	end := time.Now().Add(10 * time.Second)
	var workers sync.WaitGroup
	for w := range 4 {
		workers.Go(func() {
			for i := 0; time.Now().Before(end); i++ {
				mu.Lock()
				shared[i%1000] += w
				mu.Unlock()
			}
		})
	}
	workers.Wait()
}
