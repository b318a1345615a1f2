// Package load has a race that every run shows, across the others: a goroutine reads from the first test on what the last one writes.
package load

import (
	"testing"
	"time"
)

var loadAcross int

func TestRaceLoadAcrossBegins(t *testing.T) {
	go func() {
		for loadAcross == 0 {
			time.Sleep(5 * time.Millisecond)
		}
	}()
	time.Sleep(20 * time.Millisecond)
}
