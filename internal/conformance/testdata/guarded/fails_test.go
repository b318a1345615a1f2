// What tells is an operation that fails.

package guarded

import (
	"encoding/gob"
	"expvar"
	"io"
	"iter"
	"reflect"
	"runtime/pprof"
	"runtime/trace"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

// fails reports whether f panics.
func fails(f func()) (failed bool) {
	defer func() { failed = recover() != nil }()
	f()
	return
}

// failing calls on one goroutine before, a section of a lock, and first, and on another one second, which panics, a section of the lock, and after.
func failing(t *testing.T, before, after func(), first, second func()) {
	var mu sync.Mutex
	inTurn(func() {
		before()
		mu.Lock()
		mu.Unlock()
		first()
	}, func() {
		failed := fails(second)
		mu.Lock()
		mu.Unlock()
		if !failed {
			t.Error("it did not fail")
			return
		}
		after()
	})
}

// A send on a channel that another goroutine closes, and that nothing orders, is a race itself.

func TestNoRaceChannelCloseTwice(t *testing.T) {
	ch := make(chan int)
	x := 0
	failing(t, func() { x++ }, func() { x++ }, func() { close(ch) }, func() { close(ch) })
}

func TestNoRaceChannelCloseTwiceBuffered(t *testing.T) {
	ch := make(chan int, 1)
	x := 0
	failing(t, func() { x++ }, func() { x++ }, func() { close(ch) }, func() { close(ch) })
}

// Who closes without a panic comes first.
func TestNoRaceCloseNotYet(t *testing.T) {
	ch := make(chan int)
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		mu.Lock()
		failed := fails(func() { close(ch) })
		if !failed {
			x++
		}
		mu.Unlock()
	}, func() {
		mu.Lock()
		failed := fails(func() { close(ch) })
		mu.Unlock()
		if failed {
			x++
		}
	})
}

func TestNoRaceReflectClose(t *testing.T) {
	v := reflect.ValueOf(make(chan int))
	x := 0
	failing(t, func() { x++ }, func() { x++ }, v.Close, v.Close)
}

func TestNoRaceReflectLen(t *testing.T) {
	ch := make(chan int, 1)
	x := 0
	handOver(t, func() { x++ }, func() { x++ }, func() { ch <- 1 }, func() bool { return reflect.ValueOf(ch).Len() == 1 })
}

func TestNoRaceReflectTryRecv(t *testing.T) {
	ch := make(chan int, 1)
	x := 0
	handOver(t, func() { x++ }, func() { x++ }, func() { ch <- 1 }, func() bool { _, ok := reflect.ValueOf(ch).TryRecv(); return ok })
}

func TestNoRaceDoneBelowZero(t *testing.T) {
	var wg sync.WaitGroup
	wg.Add(1)
	x := 0
	failing(t, func() { x++ }, func() { x++ }, wg.Done, wg.Done)
}

func TestNoRaceAddBelowZero(t *testing.T) {
	var wg sync.WaitGroup
	wg.Add(5)
	x := 0
	failing(t, func() { x++ }, func() { x++ }, func() { wg.Add(-3) }, func() { wg.Add(-3) })
}

// Who is not below zero comes before who takes away.
func TestNoRaceDoneNotYet(t *testing.T) {
	var wg sync.WaitGroup
	wg.Add(1)
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		mu.Lock()
		failed := fails(wg.Done)
		if !failed {
			x++
		}
		mu.Unlock()
	}, func() {
		mu.Lock()
		failed := fails(wg.Done)
		mu.Unlock()
		if failed {
			x++
		}
	})
}

func TestNoRaceValueOfOtherType(t *testing.T) {
	var v atomic.Value
	x := 0
	failing(t, func() { x++ }, func() { x++ }, func() { v.Store(1) }, func() { v.Store("") })
}

func TestNoRaceValueSwapOfOtherType(t *testing.T) {
	var v atomic.Value
	x := 0
	failing(t, func() { x++ }, func() { x++ }, func() { v.Store(1) }, func() { v.Swap("") })
}

func TestNoRaceValueCompareAndSwap(t *testing.T) {
	var v atomic.Value
	v.Store(0)
	x := 0
	handOver(t, func() { x++ }, func() { x++ }, func() { v.CompareAndSwap(0, 1) }, func() bool { return v.CompareAndSwap(1, 2) })
}

func TestNoRaceGobRegister(t *testing.T) {
	type one struct{ A int }
	type two struct{ A int }
	x := 0
	failing(t, func() { x++ }, func() { x++ }, func() { gob.RegisterName(".name", one{}) }, func() { gob.RegisterName(".name", two{}) })
}

func TestNoRaceExpvarGet(t *testing.T) {
	x := 0
	handOver(t, func() { x++ }, func() { x++ }, func() { expvar.NewInt(".int") }, func() bool { return expvar.Get(".int") != nil })
}

func TestNoRaceCPUProfileTaken(t *testing.T) {
	x := 0
	handOver(t, func() { x++ }, func() { x++ }, func() {
		if err := pprof.StartCPUProfile(io.Discard); err != nil {
			t.Skip(err)
		}
	}, func() bool {
		if pprof.StartCPUProfile(io.Discard) != nil {
			return true
		}
		pprof.StopCPUProfile()
		return false
	})
	pprof.StopCPUProfile()
}

func TestNoRaceTraceEnabled(t *testing.T) {
	x := 0
	handOver(t, func() { x++ }, func() { x++ }, func() { trace.Start(io.Discard) }, trace.IsEnabled)
	trace.Stop()
}

func TestNoRaceProfileCount(t *testing.T) {
	p := pprof.NewProfile(".profile")
	x := 0
	handOver(t, func() { x++ }, func() { x++ }, func() { p.Add(t, 0) }, func() bool { return p.Count() == 1 })
}

func TestNoRacePullEnded(t *testing.T) {
	next, stop := iter.Pull(slices.Values([]int{1}))
	defer stop()
	var in, mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		mu.Unlock()
		in.Lock()
		next()
		in.Unlock()
	}, func() {
		in.Lock()
		_, ok := next()
		in.Unlock()
		mu.Lock()
		mu.Unlock()
		if !ok {
			x++
		}
	})
}
