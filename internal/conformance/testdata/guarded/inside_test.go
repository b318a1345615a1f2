// What tells is the runtime or the library: stacks, counts, profiles, settings, what the collector did.

package guarded

import (
	"bytes"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"runtime/pprof"
	"strings"
	"sync"
	"testing"
	"time"
	"weak"
)

// handOver calls on one goroutine before, a section of a lock, and tell, and on another goroutine told until it returns true, a section
// of the lock, and after.
func handOver(t *testing.T, before, after func(), tell func(), told func() bool) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	wg.Add(2)
	go func() {
		defer wg.Done()
		time.Sleep(10 * time.Millisecond)
		before()
		mu.Lock()
		mu.Unlock()
		tell()
	}()
	go func() {
		defer wg.Done()
		for i := 0; !told(); i++ {
			if i == 5000 {
				t.Error("nobody told")
				break
			}
			time.Sleep(time.Millisecond)
		}
		mu.Lock()
		mu.Unlock()
		after()
	}()
	wg.Wait()
}

// settled is how many goroutines there are when those that are about to end have ended.
func settled() int {
	n := runtime.NumGoroutine()
	for same := 0; same < 20; same++ {
		time.Sleep(time.Millisecond)
		if now := runtime.NumGoroutine(); now != n {
			n, same = now, 0
		}
	}
	return n
}

//go:noinline
func told(ch chan int) { <-ch }

func stacks() string {
	buf := make([]byte, 1<<16)
	return string(buf[:runtime.Stack(buf, true)])
}

func TestNoRaceStackGone(t *testing.T) {
	ch := make(chan int)
	settled()
	go told(ch)
	for !strings.Contains(stacks(), ".told(") {
		runtime.Gosched()
	}
	x := 0
	handOver(t, func() { x++ }, func() { x++ }, func() { close(ch) }, func() bool { return !strings.Contains(stacks(), ".told(") })
}

// As goleak has it: the goroutine is gone that had the section.
func TestNoRaceStackEnded(t *testing.T) {
	var mu sync.Mutex
	x := 0
	go leaver(&mu, &x)
	time.Sleep(5 * time.Millisecond)
	for strings.Contains(stacks(), ".leaver(") {
		time.Sleep(time.Millisecond)
	}
	mu.Lock()
	mu.Unlock()
	x++
}

//go:noinline
func leaver(mu *sync.Mutex, x *int) {
	*x = 1
	mu.Lock()
	mu.Unlock()
	time.Sleep(10 * time.Millisecond)
}

func TestNoRaceStackShown(t *testing.T) {
	ch := make(chan int)
	x := 0
	settled()
	handOver(t, func() { x++ }, func() { x++ }, func() { told(ch) }, func() bool {
		if strings.Contains(stacks(), ".told(") {
			close(ch)
			return true
		}
		return false
	})
}

func TestNoRaceNumGoroutineEnded(t *testing.T) {
	ch := make(chan int)
	go told(ch)
	n := settled() + 2
	x := 0
	handOver(t, func() { x++ }, func() { x++ }, func() { close(ch) }, func() bool { return runtime.NumGoroutine() < n })
}

func TestNoRaceNumGoroutineStarted(t *testing.T) {
	ch := make(chan int)
	n := settled() + 2
	x := 0
	handOver(t, func() { x++ }, func() { x++ }, func() { go told(ch) }, func() bool { return runtime.NumGoroutine() > n })
	close(ch)
}

// The goroutine that ended is the first one itself.
func TestNoRaceNumGoroutineSelf(t *testing.T) {
	var mu sync.Mutex
	x := 0
	n := settled()
	go func() {
		x++
		mu.Lock()
		mu.Unlock()
		time.Sleep(10 * time.Millisecond)
	}()
	for runtime.NumGoroutine() > n {
		time.Sleep(time.Millisecond)
	}
	mu.Lock()
	mu.Unlock()
	x++
}

func TestNoRaceGoroutineProfile(t *testing.T) {
	ch := make(chan int)
	n := settled() + 2
	x := 0
	handOver(t, func() { x++ }, func() { x++ }, func() { go told(ch) }, func() bool {
		got, _ := runtime.GoroutineProfile(make([]runtime.StackRecord, 100))
		return got > n
	})
	close(ch)
}

func TestNoRacePprofGoroutine(t *testing.T) {
	ch := make(chan int)
	x := 0
	settled()
	handOver(t, func() { x++ }, func() { x++ }, func() { go told(ch) }, func() bool {
		var b bytes.Buffer
		pprof.Lookup("goroutine").WriteTo(&b, 2)
		return strings.Contains(b.String(), ".told(")
	})
	close(ch)
}

func TestNoRacePprofGoroutineCount(t *testing.T) {
	ch := make(chan int)
	n := settled() + 2
	x := 0
	handOver(t, func() { x++ }, func() { x++ }, func() { go told(ch) }, func() bool { return pprof.Lookup("goroutine").Count() > n })
	close(ch)
}

var kept []byte

func TestNoRaceMemStats(t *testing.T) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	n := m.TotalAlloc + 64<<20
	x := 0
	handOver(t, func() { x++ }, func() { x++ }, func() { kept = make([]byte, 64<<20) }, func() bool {
		runtime.ReadMemStats(&m)
		return m.TotalAlloc >= n
	})
	kept = nil
}

func TestNoRaceMetrics(t *testing.T) {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	n := s[0].Value.Uint64() + 64<<20
	x := 0
	handOver(t, func() { x++ }, func() { x++ }, func() { kept = make([]byte, 64<<20) }, func() bool {
		metrics.Read(s)
		return s[0].Value.Uint64() >= n
	})
	kept = nil
}

func TestNoRaceGCStats(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // nobody else collects
	var s debug.GCStats
	debug.ReadGCStats(&s)
	n := s.NumGC
	x := 0
	handOver(t, func() { x++ }, func() { x++ }, func() { runtime.GC() }, func() bool {
		debug.ReadGCStats(&s)
		return s.NumGC > n
	})
}

const odd = 9<<20 + 3<<13 // bytes, which nothing else takes

//go:noinline
func profiled() []byte { return make([]byte, odd) }

func TestNoRaceMemProfile(t *testing.T) {
	defer func(old int) { runtime.MemProfileRate = old }(runtime.MemProfileRate)
	runtime.MemProfileRate = 1
	x := 0
	handOver(t, func() { x++ }, func() { x++ }, func() { kept = profiled(); runtime.GC(); runtime.GC() }, func() bool {
		r := make([]runtime.MemProfileRecord, 10000)
		n, _ := runtime.MemProfile(r, true)
		for i := range r[:n] {
			if r[i].AllocBytes == odd {
				return true
			}
		}
		return false
	})
	kept = nil
}

func TestNoRaceBlockProfile(t *testing.T) {
	runtime.SetBlockProfileRate(1)
	defer runtime.SetBlockProfileRate(0)
	x := 0
	handOver(t, func() { x++ }, func() { x++ }, blocked, func() bool {
		var b bytes.Buffer
		pprof.Lookup("block").WriteTo(&b, 1)
		return strings.Contains(b.String(), ".blocked")
	})
}

//go:noinline
func blocked() {
	ch := make(chan int)
	go func() { time.Sleep(5 * time.Millisecond); close(ch) }()
	<-ch
}

func TestNoRaceMutexProfile(t *testing.T) {
	runtime.SetMutexProfileFraction(1)
	defer runtime.SetMutexProfileFraction(0)
	x := 0
	handOver(t, func() { x++ }, func() { x++ }, contended, func() bool {
		var b bytes.Buffer
		pprof.Lookup("mutex").WriteTo(&b, 1)
		return strings.Contains(b.String(), ".contended")
	})
}

//go:noinline
func contended() {
	var mu sync.Mutex
	mu.Lock()
	go func() { mu.Lock(); mu.Unlock() }()
	time.Sleep(5 * time.Millisecond)
	mu.Unlock()
}

type object struct{ a, b [64]int }

func TestNoRaceWeakNil(t *testing.T) {
	o := new(object)
	w := weak.Make(o)
	x := 0
	handOver(t, func() { x++ }, func() { x++ }, func() { runtime.KeepAlive(o); o = nil }, func() bool {
		runtime.GC()
		return w.Value() == nil
	})
}

// Who finds the object comes before who collects it.
func TestNoRaceWeakNotYet(t *testing.T) {
	var mu sync.Mutex
	o := new(object)
	w := weak.Make(o)
	x := 0
	inTurn(func() {
		mu.Lock()
		there := w.Value() != nil
		if there {
			x++
		}
		mu.Unlock()
	}, func() {
		mu.Lock()
		runtime.KeepAlive(o)
		o = nil
		runtime.GC()
		mu.Unlock()
		x++
	})
}

func TestNoRaceFinalizer(t *testing.T) {
	var mu sync.Mutex
	o := new(object)
	x := 0
	done := make(chan int)
	runtime.SetFinalizer(o, func(*object) {
		mu.Lock()
		mu.Unlock()
		x++
		close(done)
	})
	go func() {
		x++
		mu.Lock()
		mu.Unlock()
		runtime.KeepAlive(o)
		o = nil
	}()
	for {
		select {
		case <-done:
			return
		case <-time.After(5 * time.Millisecond):
			runtime.GC()
		}
	}
}

func TestNoRaceCleanup(t *testing.T) {
	var mu sync.Mutex
	o := new(object)
	x := 0
	done := make(chan int)
	runtime.AddCleanup(o, func(int) {
		mu.Lock()
		mu.Unlock()
		x++
		close(done)
	}, 0)
	go func() {
		x++
		mu.Lock()
		mu.Unlock()
		runtime.KeepAlive(o)
		o = nil
	}()
	for {
		select {
		case <-done:
			return
		case <-time.After(5 * time.Millisecond):
			runtime.GC()
		}
	}
}

func TestNoRaceGOMAXPROCS(t *testing.T) {
	n := runtime.GOMAXPROCS(0)
	x := 0
	handOver(t, func() { x++ }, func() { x++ }, func() { runtime.GOMAXPROCS(n + 1) }, func() bool { return runtime.GOMAXPROCS(0) > n })
	runtime.GOMAXPROCS(n)
}

func TestNoRaceGCPercent(t *testing.T) {
	x := 0
	handOver(t, func() { x++ }, func() { x++ }, func() { debug.SetGCPercent(123) }, func() bool { return debug.SetGCPercent(100) == 123 })
}

func TestNoRaceMemoryLimit(t *testing.T) {
	old := debug.SetMemoryLimit(-1)
	x := 0
	handOver(t, func() { x++ }, func() { x++ }, func() { debug.SetMemoryLimit(1 << 40) }, func() bool { return debug.SetMemoryLimit(-1) == 1<<40 })
	debug.SetMemoryLimit(old)
}

func TestNoRaceMaxThreads(t *testing.T) {
	x := 0
	handOver(t, func() { x++ }, func() { x++ }, func() { debug.SetMaxThreads(12345) }, func() bool { return debug.SetMaxThreads(10000) == 12345 })
}

func TestNoRaceMaxStack(t *testing.T) {
	old := debug.SetMaxStack(1 << 29)
	x := 0
	handOver(t, func() { x++ }, func() { x++ }, func() { debug.SetMaxStack(1 << 28) }, func() bool { return debug.SetMaxStack(1<<29) == 1<<28 })
	debug.SetMaxStack(old)
}

func TestNoRaceMutexProfileFraction(t *testing.T) {
	x := 0
	handOver(t, func() { x++ }, func() { x++ }, func() { runtime.SetMutexProfileFraction(7) }, func() bool { return runtime.SetMutexProfileFraction(-1) == 7 })
	runtime.SetMutexProfileFraction(0)
}

func TestNoRaceGOMAXPROCSNotYet(t *testing.T) {
	var mu sync.Mutex
	x := 0
	n := runtime.GOMAXPROCS(0)
	inTurn(func() {
		mu.Lock()
		same := runtime.GOMAXPROCS(0) == n
		if same {
			x++
		}
		mu.Unlock()
	}, func() {
		mu.Lock()
		runtime.GOMAXPROCS(n + 1)
		mu.Unlock()
		x++
	})
	runtime.GOMAXPROCS(n)
}

func TestNoRaceNumGoroutineNotYet(t *testing.T) {
	var mu sync.Mutex
	x := 0
	ch := make(chan int)
	n := settled() + 2
	inTurn(func() {
		mu.Lock()
		same := runtime.NumGoroutine() <= n
		if same {
			x++
		}
		mu.Unlock()
	}, func() {
		mu.Lock()
		go told(ch)
		mu.Unlock()
		x++
	})
	close(ch)
}

func TestNoRaceStackNotYet(t *testing.T) {
	var mu sync.Mutex
	x := 0
	ch := make(chan int)
	inTurn(func() {
		mu.Lock()
		same := !strings.Contains(stacks(), ".told(")
		if same {
			x++
		}
		mu.Unlock()
	}, func() {
		mu.Lock()
		time.AfterFunc(time.Millisecond, func() { close(ch) })
		told(ch)
		mu.Unlock()
		x++
	})
}
