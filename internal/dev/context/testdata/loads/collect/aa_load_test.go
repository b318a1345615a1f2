// Package load collects garbage in a loop until the process ends.
package load

import (
	"runtime"
	"testing"
	"time"
)

func TestNoRaceLoadCollect(t *testing.T) {
	go func() {
		for {
			waste := make([][]byte, 100)
			for i := range waste {
				waste[i] = make([]byte, 1000)
			}
			runtime.GC()
			time.Sleep(time.Millisecond)
		}
	}()
	time.Sleep(50 * time.Millisecond)
}
