// Package load has a goroutine that spins until the process ends.
package load

import (
	"sync/atomic"
	"testing"
	"time"
)

func TestNoRaceLoadSpin(t *testing.T) {
	var stop atomic.Bool
	turns := 0
	go func() {
		for !stop.Load() {
			turns++
		}
	}()
	time.Sleep(50 * time.Millisecond)
}
