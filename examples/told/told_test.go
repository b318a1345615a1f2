// Package told has goroutines that learn of each other from the runtime and from operations that
// fail. What they learn keeps its order; what somebody else learns, or what tells nothing of the
// two accesses, hides no race. internal/conformance/testdata/guarded has the twins that do not
// race.
package told

import (
	"bytes"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"runtime/pprof"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"weak"
)

// watched has two goroutines with a section of one lock each, which orders their accesses in the
// usual run, and a third one that looks again and again.
func watched(look, first, second func()) {
	var mu sync.Mutex
	var all, both sync.WaitGroup
	over := make(chan int)
	step := 10 * time.Millisecond
	all.Add(1)
	go func() {
		defer all.Done()
		ticker := time.NewTicker(step / 10)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				look()
			case <-over:
				return
			}
		}
	}()
	both.Add(2)
	go func() {
		defer both.Done()
		time.Sleep(step)
		first()
		mu.Lock()
		mu.Unlock()
	}()
	go func() {
		defer both.Done()
		time.Sleep(2 * step)
		mu.Lock()
		mu.Unlock()
		second()
	}()
	both.Wait()
	close(over)
	all.Wait()
}

// Somebody else counts the goroutines.
func TestRacePredictedCountWatched(t *testing.T) {
	x := 0
	watched(func() { runtime.NumGoroutine() }, func() { x++ }, func() { x++ })
}

// Somebody else looks at all stacks.
func TestRacePredictedStacksWatched(t *testing.T) {
	x := 0
	buf := make([]byte, 1<<16)
	watched(func() { runtime.Stack(buf, true) }, func() { x++ }, func() { x++ })
}

// Somebody else takes a profile of all goroutines.
func TestRacePredictedProfileWatched(t *testing.T) {
	x := 0
	watched(func() { pprof.Lookup("goroutine").WriteTo(new(bytes.Buffer), 1) }, func() { x++ }, func() { x++ })
}

// Somebody else takes heap, block and mutex profiles.
func TestRacePredictedOtherProfilesWatched(t *testing.T) {
	x := 0
	watched(func() {
		for _, p := range []string{"heap", "block", "mutex", "threadcreate"} {
			pprof.Lookup(p).WriteTo(new(bytes.Buffer), 0)
		}
	}, func() { x++ }, func() { x++ })
}

// Somebody else reads the statistics of memory.
func TestRacePredictedMemoryWatched(t *testing.T) {
	x := 0
	var m runtime.MemStats
	var gc debug.GCStats
	watched(func() { runtime.ReadMemStats(&m); debug.ReadGCStats(&gc) }, func() { x++ }, func() { x++ })
}

// Somebody else reads metrics.
func TestRacePredictedMetricsWatched(t *testing.T) {
	x := 0
	s := []metrics.Sample{{Name: "/sched/goroutines:goroutines"}}
	watched(func() { metrics.Read(s) }, func() { x++ }, func() { x++ })
}

// Somebody else collects garbage and finds that an object is gone.
func TestRacePredictedWeakWatched(t *testing.T) {
	x := 0
	watched(func() {
		w := weak.Make(new([64]int))
		runtime.GC()
		if w.Value() != nil {
			t.Log("not collected yet")
		}
	}, func() { x++ }, func() { x++ })
}

// Somebody else sets what the runtime lets one set.
func TestRacePredictedSettingWatched(t *testing.T) {
	x := 0
	old := debug.SetGCPercent(100)
	watched(func() { debug.SetGCPercent(100); debug.SetMemoryLimit(-1) }, func() { x++ }, func() { x++ })
	debug.SetGCPercent(old)
}

// Something of other goroutines fails.
func TestRacePredictedFailureWatched(t *testing.T) {
	x := 0
	var wg sync.WaitGroup
	closed := make(chan int)
	close(closed)
	watched(func() {
		fails(wg.Done)
		wg = sync.WaitGroup{}
		fails(func() { close(closed) })
	}, func() { x++ }, func() { x++ })
}

func fails(f func()) {
	defer func() { recover() }()
	f()
}

// inTurn has two goroutines with a section of one lock each, one after the other, that end
// together.
func inTurn(first, second func()) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	over := make(chan int)
	wg.Add(2)
	go func() {
		defer wg.Done()
		time.Sleep(10 * time.Millisecond)
		first()
		mu.Lock()
		mu.Unlock()
		<-over
	}()
	go func() {
		defer wg.Done()
		time.Sleep(20 * time.Millisecond)
		mu.Lock()
		mu.Unlock()
		second()
		close(over)
	}()
	wg.Wait()
}

// Both count the goroutines, and none began or ended meanwhile.
func TestRacePredictedCountByBoth(t *testing.T) {
	x := 0
	inTurn(func() { x++; runtime.NumGoroutine() }, func() { runtime.NumGoroutine(); x++ })
}

// The second one waits until a goroutine has ended, which knows nothing of the first one.
func TestRacePredictedCountOfOthers(t *testing.T) {
	x := 0
	go time.Sleep(5 * time.Millisecond)
	n := runtime.NumGoroutine() + 2
	inTurn(func() { x++ }, func() {
		for runtime.NumGoroutine() >= n {
			time.Sleep(time.Millisecond)
		}
		x++
	})
}

// Both read a setting that is not changed.
func TestRacePredictedSettingReadByBoth(t *testing.T) {
	x := 0
	inTurn(func() { x++; runtime.GOMAXPROCS(0) }, func() { runtime.GOMAXPROCS(0); x++ })
}

// Both find an object through a weak pointer.
func TestRacePredictedWeakFoundByBoth(t *testing.T) {
	x := 0
	o := new([64]int)
	w := weak.Make(o)
	inTurn(func() { x++; w.Value() }, func() { w.Value(); x++ })
	runtime.KeepAlive(o)
}

// Both collect garbage.
func TestRacePredictedCollectedByBoth(t *testing.T) {
	x := 0
	inTurn(func() { x++; runtime.GC() }, func() { runtime.GC(); x++ })
}

// Both ask whether a signal is ignored.
func TestRacePredictedSignalAskedByBoth(t *testing.T) {
	x := 0
	inTurn(func() { x++; signal.Ignored(os.Interrupt) }, func() { signal.Ignored(os.Interrupt); x++ })
}

// Both close what was closed before.
func TestRacePredictedBothFail(t *testing.T) {
	x := 0
	ch := make(chan int)
	close(ch)
	inTurn(func() { x++; fails(func() { close(ch) }) }, func() { fails(func() { close(ch) }); x++ })
}

// Each closes another channel, and one of them was closed before.
func TestRacePredictedOtherClose(t *testing.T) {
	x := 0
	ch, closed := make(chan int), make(chan int)
	close(closed)
	inTurn(func() { x++; close(ch) }, func() { fails(func() { close(closed) }); x++ })
}

// In a bubble, both sleep until the same time.
func TestRacePredictedBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var wg sync.WaitGroup
		x := 0
		wg.Add(2)
		go func() {
			defer wg.Done()
			time.Sleep(time.Second)
			x++
			mu.Lock()
			mu.Unlock()
		}()
		go func() {
			defer wg.Done()
			time.Sleep(time.Second)
			for range 1000 {
				runtime.Gosched() // the other one comes first, as a rule
			}
			mu.Lock()
			mu.Unlock()
			x++
		}()
		wg.Wait()
	})
}

// In a bubble with a ticker that concerns neither, no goroutine sleeps between the two accesses.
func TestRacePredictedBubbleTicker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var wg sync.WaitGroup
		x := 0
		wg.Add(3)
		go func() {
			defer wg.Done()
			ticker := time.NewTicker(time.Second / 10)
			for range 20 {
				<-ticker.C
			}
		}()
		go func() {
			defer wg.Done()
			time.Sleep(time.Second)
			x++
			mu.Lock()
			mu.Unlock()
			time.Sleep(time.Minute)
		}()
		go func() {
			defer wg.Done()
			time.Sleep(time.Second)
			for range 1000 {
				runtime.Gosched()
			}
			mu.Lock()
			mu.Unlock()
			x++
		}()
		wg.Wait()
	})
}
