// Package load has a race that every run shows, earlier.
package load

import (
	"sync"
	"testing"
)

func TestRaceLoadEarlier(t *testing.T) {
	var both sync.WaitGroup
	count := 0
	for range 2 {
		both.Go(func() {
			for range 100 {
				count++
			}
		})
	}
	both.Wait()
}
