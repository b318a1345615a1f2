package cache

import (
	"testing"

	"github.com/racepred/racepred/examples/internal/sched"
)

// All methods used here hold the lock while they touch the cache.
func TestNoRaceCache(t *testing.T) {
	c := New(map[string]string{"a": "1"})
	sched.InTurn(
		func() { c.NoRacePut("b", "2") },
		func() { c.NoRaceGet("a") },
		func() { c.NoRaceGet("b") },
	)
	if got := c.NoRaceHits(); got != 2 {
		t.Errorf("%d hits, want 2", got)
	}
}

// The hit is counted after the unlock, by both goroutines.
func TestRaceMissedLock(t *testing.T) {
	c := New(map[string]string{"a": "1"})
	sched.InTurn(
		func() { c.RaceGet("a") },
		func() { c.RaceGet("a") },
	)
}

// Touch writes before its lock and Stat reads after it: in this order, and only in it, the lock
// hides the race.
func TestRacePredictedMissedLock(t *testing.T) {
	c := New(map[string]string{"a": "1"})
	sched.InTurn(
		func() { c.RaceTouch("a") },
		func() { c.RaceStat() },
	)
}

// One of the two holds the lock.
func TestRaceClosedFlag(t *testing.T) {
	c := New(nil)
	sched.InTurn(
		func() { c.RaceClosed() },
		func() { c.RaceClose() },
	)
}
