// Package spawn starts a million goroutines that each do next to nothing.
package spawn

import (
	"sync"
	"testing"
)

func TestSpawn(t *testing.T) {
	const goroutines, batch = 1_000_000, 1000
	out := make([]int, batch)
	sum := 0
	for range goroutines / batch {
		var wg sync.WaitGroup
		for i := range out {
			wg.Go(func() { out[i]++ })
		}
		wg.Wait()
	}
	for _, n := range out {
		sum += n
	}
	if sum != goroutines {
		t.Fatalf("%d goroutines ran, want %d", sum, goroutines)
	}
}
