// What Go's runtime shows of other goroutines, and of what they have done.

package guarded

import (
	"bytes"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"runtime/pprof"
	"runtime/trace"
	"strings"
	"sync"
	"testing"
	"time"
	"weak"
)

//go:noinline
func leaving(f func()) { f() }

//go:noinline
func staying(c chan bool) { <-c }

// As goleak does, it waits until nobody is left in the function.
func TestNoRaceStack(t *testing.T) {
	var b box
	begun := make(chan bool)
	together(func() {
		leaving(func() {
			close(begun)
			b.x = 1
			b.pass()
		})
	}, func() {
		<-begun
		until(t, func() bool {
			return !strings.Contains(stacks(), ".leaving(")
		})
		b.pass()
		b.x = 2
	})
}

// It has left the function before. As in other tests here, the first one waits until the other one has looked, since whoever looks is told of all that was done
// until then.
func TestRaceStack(t *testing.T) {
	var b box
	seen, looked := make(chan bool), make(chan bool)
	together(func() {
		leaving(func() { <-seen })
		<-looked
		b.x = 1
		b.pass()
	}, func() {
		until(t, func() bool { return strings.Contains(stacks(), ".leaving(") })
		close(seen)
		until(t, func() bool { return !strings.Contains(stacks(), ".leaving(") })
		close(looked)
		time.Sleep(40 * time.Millisecond)
		b.pass()
		b.x = 2
	})
}

// waiting has a goroutine that waits within a function that shows where it is.
//
//go:noinline
func waiting(mu *sync.Mutex) {
	mu.Lock()
	mu.Unlock()
}

// It waits until the other one is waiting, too.
func TestNoRaceStackWaits(t *testing.T) {
	var b box
	var held sync.Mutex
	held.Lock()
	together(func() {
		b.x = 1
		b.pass()
		waiting(&held)
	}, func() {
		until(t, func() bool { return strings.Contains(stacks(), ".waiting(") })
		b.pass()
		b.x = 2
		held.Unlock()
	})
}

// The other one is not waiting any more.
func TestRaceStackWaits(t *testing.T) {
	var b box
	c := make(chan bool)
	together(func() {
		staying(c)
		b.x = 1
		b.pass()
	}, func() {
		until(t, func() bool { return strings.Contains(stacks(), ".staying(") })
		close(c)
		nap()
		b.pass()
		b.x = 2
	})
}

// A goroutine less.
func TestNoRaceNumGoroutine(t *testing.T) {
	var b box
	go1, go2 := make(chan bool), make(chan bool)
	var done sync.WaitGroup
	done.Add(1)
	go func() {
		<-go1
		b.x = 1
		b.pass()
	}()
	go func() {
		defer done.Done()
		<-go2
		n := runtime.NumGoroutine()
		close(go1)
		until(t, func() bool { return runtime.NumGoroutine() < n })
		b.pass()
		b.x = 2
	}()
	close(go2)
	done.Wait()
}

// It is another goroutine that has ended, before.
func TestRaceNumGoroutine(t *testing.T) {
	var b box
	end, ended := make(chan bool), make(chan bool)
	go func() { <-end }()
	n := runtime.NumGoroutine()
	together(func() {
		<-ended
		b.x = 1
		b.pass()
	}, func() {
		close(end)
		until(t, func() bool { return runtime.NumGoroutine() <= n+1 })
		close(ended)
		nap()
		b.pass()
		b.x = 2
	})
}

func TestNoRaceGoroutineStacks(t *testing.T) {
	var b box
	begun := make(chan bool)
	together(func() {
		leaving(func() {
			close(begun)
			b.x = 1
			b.countLeft()
		})
	}, func() {
		<-begun
		until(t, func() bool {
			var w bytes.Buffer
			must(pprof.Lookup("goroutine").WriteTo(&w, 2))
			return !strings.Contains(w.String(), ".leaving(")
		})
		b.countRight()
		b.x = 2
	})
}

// The profile is taken before.
func TestRaceGoroutineStacks(t *testing.T) {
	var b box
	begun, looked := make(chan bool), make(chan bool)
	together(func() {
		leaving(func() {
			close(begun)
			<-looked
			b.x = 1
			b.pass()
		})
	}, func() {
		<-begun
		until(t, func() bool {
			var w bytes.Buffer
			must(pprof.Lookup("goroutine").WriteTo(&w, 2))
			return strings.Contains(w.String(), ".leaving(")
		})
		close(looked)
		time.Sleep(40 * time.Millisecond)
		b.pass()
		b.x = 2
	})
}

func TestNoRaceGoroutineRecords(t *testing.T) {
	var b box
	begun := make(chan bool)
	has := func(function string) bool {
		list := make([]runtime.StackRecord, 1000)
		n, _ := runtime.GoroutineProfile(list)
		for i := range list[:n] {
			frames := runtime.CallersFrames(list[i].Stack())
			for {
				f, more := frames.Next()
				if strings.HasSuffix(f.Function, function) {
					return true
				}
				if !more {
					break
				}
			}
		}
		return false
	}
	together(func() {
		leaving(func() {
			close(begun)
			b.x = 1
			b.pass()
		})
	}, func() {
		<-begun
		until(t, func() bool { return !has(".leaving") })
		b.pass()
		b.x = 2
	})
}

// Only the first one looks at all goroutines.
func TestRaceGoroutineRecords(t *testing.T) {
	var b box
	together(func() {
		b.x = 1
		b.pass()
		time.Sleep(20 * time.Millisecond)
		runtime.GoroutineProfile(make([]runtime.StackRecord, 1000))
	}, func() {
		nap()
		b.pass()
		b.x = 2
	})
}

// The profile's count of goroutines.
func TestNoRaceProfileAdded(t *testing.T) {
	var b box
	p := pprof.NewProfile("guarded." + t.Name())
	together(func() {
		b.x = 1
		b.pass()
		p.Add(&b, 1)
	}, func() {
		until(t, func() bool { return p.Count() == 1 })
		b.pass()
		b.x = 2
	})
}

// Each adds something.
func TestRaceProfileAdded(t *testing.T) {
	var b box
	p, q := pprof.NewProfile("guarded."+t.Name()), pprof.NewProfile("guarded2."+t.Name())
	together(func() {
		b.x = 1
		b.pass()
		p.Add(&b, 1)
	}, func() {
		nap()
		q.Add(&b, 1)
		b.pass()
		b.x = 2
	})
}

func TestNoRaceForcedCollections(t *testing.T) {
	var b box
	forced := func() uint32 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.NumForcedGC
	}
	n := forced()
	together(func() {
		b.x = 1
		b.pass()
		runtime.GC()
	}, func() {
		until(t, func() bool { return forced() > n })
		b.pass()
		b.x = 2
	})
}

// It has been forced before.
func TestRaceForcedCollections(t *testing.T) {
	var b box
	forced := func() uint32 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.NumForcedGC
	}
	n := forced()
	looked := make(chan bool)
	together(func() {
		runtime.GC()
		<-looked
		b.x = 1
		b.pass()
	}, func() {
		until(t, func() bool { return forced() > n })
		close(looked)
		time.Sleep(20 * time.Millisecond)
		b.pass()
		b.x = 2
	})
}

func TestNoRaceForcedMetrics(t *testing.T) {
	var b box
	s := []metrics.Sample{{Name: "/gc/cycles/forced:gc-cycles"}}
	metrics.Read(s)
	n := s[0].Value.Uint64()
	together(func() {
		b.x = 1
		b.countLeft()
		debug.FreeOSMemory()
	}, func() {
		until(t, func() bool {
			metrics.Read(s)
			return s[0].Value.Uint64() > n
		})
		b.countRight()
		b.x = 2
	})
}

// They were forced before.
func TestRaceForcedMetrics(t *testing.T) {
	var b box
	s := []metrics.Sample{{Name: "/gc/cycles/forced:gc-cycles"}}
	metrics.Read(s)
	n := s[0].Value.Uint64()
	looked := make(chan bool)
	together(func() {
		debug.FreeOSMemory()
		<-looked
		b.x = 1
		b.countLeft()
	}, func() {
		until(t, func() bool {
			metrics.Read(s)
			return s[0].Value.Uint64() > n
		})
		close(looked)
		nap()
		b.countRight()
		b.x = 2
	})
}

func TestNoRaceProcs(t *testing.T) {
	var b box
	old := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(old)
	together(func() {
		b.x = 1
		b.pass()
		runtime.GOMAXPROCS(old + 1)
	}, func() {
		until(t, func() bool { return runtime.GOMAXPROCS(0) == old+1 })
		b.pass()
		b.x = 2
	})
}

// The number is changed before.
func TestRaceProcs(t *testing.T) {
	var b box
	old := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(old)
	together(func() {
		runtime.GOMAXPROCS(old + 1)
		b.x = 1
		b.pass()
	}, func() {
		until(t, func() bool { return runtime.GOMAXPROCS(0) == old+1 })
		nap()
		b.pass()
		b.x = 2
	})
}

func TestNoRaceLimitSet(t *testing.T) {
	var b box
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	together(func() {
		b.x = 1
		b.pass()
		debug.SetMemoryLimit(1 << 40)
	}, func() {
		until(t, func() bool { return debug.SetMemoryLimit(-1) == 1<<40 })
		b.pass()
		b.x = 2
	})
}

// It has been set before.
func TestRaceLimitSet(t *testing.T) {
	var b box
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	together(func() {
		debug.SetMemoryLimit(1 << 40)
		b.x = 1
		b.pass()
	}, func() {
		until(t, func() bool { return debug.SetMemoryLimit(-1) == 1<<40 })
		nap()
		b.pass()
		b.x = 2
	})
}

func TestNoRaceProfileRate(t *testing.T) {
	var b box
	defer runtime.SetMutexProfileFraction(runtime.SetMutexProfileFraction(-1))
	together(func() {
		b.x = 1
		b.pass()
		runtime.SetMutexProfileFraction(77)
	}, func() {
		until(t, func() bool { return runtime.SetMutexProfileFraction(-1) == 77 })
		b.pass()
		b.x = 2
	})
}

// It has been set before.
func TestRaceProfileRate(t *testing.T) {
	var b box
	defer runtime.SetMutexProfileFraction(runtime.SetMutexProfileFraction(-1))
	together(func() {
		runtime.SetMutexProfileFraction(77)
		b.x = 1
		b.pass()
	}, func() {
		until(t, func() bool { return runtime.SetMutexProfileFraction(-1) == 77 })
		nap()
		b.pass()
		b.x = 2
	})
}

// Of two that start the profile one fails.
func TestNoRaceCPUProfile(t *testing.T) {
	var b box
	together(func() {
		b.x = 1
		b.pass()
		must(pprof.StartCPUProfile(new(bytes.Buffer)))
		time.Sleep(30 * time.Millisecond)
		pprof.StopCPUProfile()
	}, func() {
		nap()
		if pprof.StartCPUProfile(new(bytes.Buffer)) == nil {
			pprof.StopCPUProfile()
		} else {
			b.pass()
			b.x = 2
		}
	})
}

// The profile had been started before.
func TestRaceCPUProfile(t *testing.T) {
	var b box
	must(pprof.StartCPUProfile(new(bytes.Buffer)))
	defer pprof.StopCPUProfile()
	together(func() {
		b.x = 1
		b.pass()
	}, func() {
		nap()
		if pprof.StartCPUProfile(new(bytes.Buffer)) != nil {
			b.pass()
			b.x = 2
		}
	})
}

func TestNoRaceTraceStarted(t *testing.T) {
	var b box
	together(func() {
		b.x = 1
		b.pass()
		must(trace.Start(new(bytes.Buffer)))
	}, func() {
		until(t, trace.IsEnabled)
		b.pass()
		b.x = 2
		trace.Stop()
	})
}

// It had been switched on before.
func TestRaceTraceStarted(t *testing.T) {
	var b box
	must(trace.Start(new(bytes.Buffer)))
	defer trace.Stop()
	together(func() {
		b.x = 1
		b.pass()
	}, func() {
		nap()
		until(t, trace.IsEnabled)
		b.pass()
		b.x = 2
	})
}

// thing is large enough to be allocated by itself.
type thing struct{ p [64]*int }

//go:noinline
func newThing() *thing { return &thing{p: [64]*int{new(int)}} }

func TestNoRaceWeak(t *testing.T) {
	var b box
	v := newThing()
	w := weak.Make(v)
	together(func() {
		b.x = 1
		b.pass()
		runtime.KeepAlive(v)
		v = nil
	}, func() {
		until(t, func() bool {
			runtime.GC()
			return w.Value() == nil
		})
		b.pass()
		b.x = 2
	})
}

// Nobody has the value any more, and then something is done.
func TestRaceWeak(t *testing.T) {
	var b box
	w := weak.Make(newThing())
	gone := make(chan bool)
	together(func() {
		<-gone
		b.x = 1
		b.pass()
	}, func() {
		until(t, func() bool {
			runtime.GC()
			return w.Value() == nil
		})
		close(gone)
		nap()
		b.pass()
		b.x = 2
	})
}

func TestNoRaceFinalizerLast(t *testing.T) {
	var b box
	v := newThing()
	done := make(chan bool)
	runtime.SetFinalizer(v, func(*thing) {
		b.pass()
		b.x = 2
		close(done)
	})
	together(func() {
		b.x = 1
		b.pass()
		runtime.KeepAlive(v)
		v = nil
	})
	for finished := false; !finished; {
		runtime.GC()
		select {
		case <-done:
			finished = true
		case <-time.After(time.Millisecond):
		}
	}
}

// Something is done while the finalizer runs.
func TestRaceFinalizerLast(t *testing.T) {
	var b box
	begun, done := make(chan bool), make(chan bool)
	together(func() {
		<-begun
		b.x = 1
		b.pass()
	}, func() {
		runtime.SetFinalizer(newThing(), func(*thing) {
			close(begun)
			nap()
			b.pass()
			b.x = 2
			close(done)
		})
		for finished := false; !finished; {
			runtime.GC()
			select {
			case <-done:
				finished = true
			case <-time.After(time.Millisecond):
			}
		}
	})
}

func TestNoRaceCleanupLast(t *testing.T) {
	var b box
	v := newThing()
	done := make(chan bool)
	runtime.AddCleanup(v, func(c chan bool) {
		b.pass()
		b.x = 2
		close(c)
	}, done)
	together(func() {
		b.x = 1
		b.pass()
		runtime.KeepAlive(v)
		v = nil
	})
	for finished := false; !finished; {
		runtime.GC()
		select {
		case <-done:
			finished = true
		case <-time.After(time.Millisecond):
		}
	}
}

// Something is done while it is cleaned up.
func TestRaceCleanupLast(t *testing.T) {
	var b box
	begun, done := make(chan bool), make(chan bool)
	together(func() {
		<-begun
		b.x = 1
		b.pass()
	}, func() {
		runtime.AddCleanup(newThing(), func(c chan bool) {
			close(begun)
			nap()
			b.pass()
			b.x = 2
			close(c)
		}, done)
		for finished := false; !finished; {
			runtime.GC()
			select {
			case <-done:
				finished = true
			case <-time.After(time.Millisecond):
			}
		}
	})
}

// The environment is the process's.
func TestNoRaceEnvironment(t *testing.T) {
	var b box
	t.Setenv("GUARDED", "")
	together(func() {
		b.x = 1
		b.pass()
		must(os.Setenv("GUARDED", "done"))
	}, func() {
		until(t, func() bool { return os.Getenv("GUARDED") == "done" })
		b.pass()
		b.x = 2
	})
}

// It is set before.
func TestRaceEnvironment(t *testing.T) {
	var b box
	t.Setenv("GUARDED", "")
	together(func() {
		must(os.Setenv("GUARDED", "done"))
		b.x = 1
		b.pass()
	}, func() {
		until(t, func() bool { return os.Getenv("GUARDED") == "done" })
		nap()
		b.pass()
		b.x = 2
	})
}

// The working directory, too.
func TestNoRaceWorkingDirectory(t *testing.T) {
	var b box
	dir := get(os.MkdirTemp(t.TempDir(), "wd"))
	t.Chdir(t.TempDir())
	together(func() {
		b.x = 1
		b.pass()
		must(os.Chdir(dir))
	}, func() {
		until(t, func() bool { return get(os.Getwd()) == dir })
		b.pass()
		b.x = 2
	})
}

// It is left before.
func TestRaceWorkingDirectory(t *testing.T) {
	var b box
	dir := get(os.MkdirTemp(t.TempDir(), "wd"))
	t.Chdir(t.TempDir())
	together(func() {
		must(os.Chdir(dir))
		b.x = 1
		b.pass()
	}, func() {
		until(t, func() bool { return get(os.Getwd()) == dir })
		nap()
		b.pass()
		b.x = 2
	})
}
