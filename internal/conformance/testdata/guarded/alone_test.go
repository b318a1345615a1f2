// A goroutine that all others wait for, and what runs beside it nevertheless.

package guarded

import (
	"runtime"
	"sync"
	"testing"
	"time"
)

// worksAlone does what would make some thousand records.
func worksAlone() {
	var mu sync.Mutex
	for range 1 << 10 {
		mu.Lock()
		mu.Unlock()
	}
}

// The finalizer comes after all that was done before.
func TestNoRaceFinalizerBesideLoner(t *testing.T) {
	var mu sync.Mutex
	x := 0
	done := make(chan bool)
	worksAlone()
	x = 1
	mu.Lock()
	mu.Unlock()
	runtime.SetFinalizer(new([64]int), func(*[64]int) {
		mu.Lock()
		mu.Unlock()
		x++
		close(done)
	})
	runtime.GC()
	worksAlone()
	<-done
	x++
}

// It does not come before what is done afterwards.
func TestRaceFinalizerBesideLoner(t *testing.T) {
	x := 0
	done := make(chan bool)
	runtime.SetFinalizer(new([64]int), func(*[64]int) {
		x++
		close(done)
	})
	worksAlone()
	runtime.GC()
	time.Sleep(50 * time.Millisecond)
	worksAlone()
	x++
	<-done
}

// A timer far away comes nearer.
func TestRaceTimerResetByLoner(t *testing.T) {
	x := 0
	done := make(chan bool)
	timer := time.AfterFunc(time.Hour, func() {
		x++
		close(done)
	})
	worksAlone()
	timer.Reset(20 * time.Millisecond)
	worksAlone()
	x++
	<-done
}

// So does the time of a channel, for which another goroutine has waited since before.
func TestRaceTimerChannelResetByLoner(t *testing.T) {
	x := 0
	done := make(chan bool)
	timer := time.NewTimer(time.Hour)
	go func() {
		<-timer.C
		x++
		close(done)
	}()
	time.Sleep(20 * time.Millisecond)
	worksAlone()
	timer.Reset(20 * time.Millisecond)
	x++
	<-done
}

func TestNoRaceTimerChannelResetByLoner(t *testing.T) {
	x := 0
	done := make(chan bool)
	timer := time.NewTimer(time.Hour)
	go func() {
		<-timer.C
		x++
		close(done)
	}()
	time.Sleep(20 * time.Millisecond)
	worksAlone()
	x++
	timer.Reset(20 * time.Millisecond)
	worksAlone()
	<-done
}

// What was done before that comes first.
func TestNoRaceTimerResetByLoner(t *testing.T) {
	x := 0
	done := make(chan bool)
	timer := time.AfterFunc(time.Hour, func() {
		x++
		close(done)
	})
	worksAlone()
	x++
	timer.Reset(20 * time.Millisecond)
	worksAlone()
	<-done
}
