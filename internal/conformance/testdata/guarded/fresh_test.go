// Locks and atomic variables of an object that other goroutines get to know later, or while its lock is held.

package guarded

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

type fresh struct {
	mu   sync.Mutex
	once sync.Once
	flag atomic.Bool
	x    int
}

// sent makes an object, does something with it, and sends it to another goroutine, which does something with it 30 ms later.
func sent(first func(*fresh, chan<- *fresh), then func(*fresh)) {
	c, done := make(chan *fresh, 2), make(chan bool)
	go func() {
		o := <-c
		time.Sleep(30 * time.Millisecond)
		then(o)
		close(done)
	}()
	first(&fresh{}, c)
	<-done
}

// The object is sent while its lock is held.
func TestNoRaceFreshSentLocked(t *testing.T) {
	sent(func(o *fresh, c chan<- *fresh) {
		o.mu.Lock()
		c <- o
		o.x = 1
		o.mu.Unlock()
	}, func(o *fresh) {
		o.mu.Lock()
		o.x++
		o.mu.Unlock()
	})
}

func TestRaceFreshSentLocked(t *testing.T) {
	sent(func(o *fresh, c chan<- *fresh) {
		o.mu.Lock()
		c <- o
		o.x = 2
		o.mu.Unlock()
	}, func(o *fresh) {
		o.x += 2
	})
}

// After the section that nobody else can wait for there is one that others can.
func TestRacePredictedFreshSecondSection(t *testing.T) {
	y := 0
	sent(func(o *fresh, c chan<- *fresh) {
		o.mu.Lock()
		o.x = 3
		o.mu.Unlock()
		c <- o
		y = 3
		o.mu.Lock()
		_ = o.x
		o.mu.Unlock()
	}, func(o *fresh) {
		o.mu.Lock()
		_ = o.x
		o.mu.Unlock()
		y += 3
	})
}

// It is put where others find it while its lock is held, under another lock.
func TestNoRaceFreshListedLocked(t *testing.T) {
	var mu sync.Mutex
	var list []*fresh
	y := 0
	sent(func(o *fresh, c chan<- *fresh) {
		o.mu.Lock()
		mu.Lock()
		list = append(list, o)
		mu.Unlock()
		y = 4
		o.mu.Unlock()
		c <- nil
	}, func(*fresh) {
		mu.Lock()
		o := list[0]
		mu.Unlock()
		o.mu.Lock()
		y += 4
		o.mu.Unlock()
	})
}

func TestNoRaceFreshPublishedLocked(t *testing.T) {
	var p atomic.Pointer[fresh]
	y := 0
	done := make(chan bool)
	go func() {
		for p.Load() == nil {
			time.Sleep(time.Millisecond)
		}
		o := p.Load()
		o.mu.Lock()
		y += 5
		o.mu.Unlock()
		close(done)
	}()
	time.Sleep(10 * time.Millisecond)
	o := &fresh{}
	o.mu.Lock()
	p.Store(o)
	for until := time.Now().Add(30 * time.Millisecond); time.Now().Before(until); {
	}
	y = 5
	o.mu.Unlock()
	<-done
}

func TestRaceFreshPublishedLocked(t *testing.T) {
	var p atomic.Pointer[fresh]
	y := 0
	done := make(chan bool)
	go func() {
		for p.Load() == nil {
			time.Sleep(time.Millisecond)
		}
		y += 6
		close(done)
	}()
	time.Sleep(10 * time.Millisecond)
	o := &fresh{}
	o.mu.Lock()
	p.Store(o)
	time.Sleep(30 * time.Millisecond)
	y = 6
	o.mu.Unlock()
	<-done
}

// A goroutine that is started while the lock is held waits for it.
func TestNoRaceFreshStartsLocked(t *testing.T) {
	done := make(chan bool)
	o := &fresh{}
	y := 0
	o.mu.Lock()
	go func() {
		o.mu.Lock()
		y += 7
		o.mu.Unlock()
		close(done)
	}()
	y = 7
	o.mu.Unlock()
	<-done
}

func TestNoRaceFreshFlag(t *testing.T) {
	y := 0
	sent(func(o *fresh, c chan<- *fresh) {
		y = 8
		o.flag.Store(true)
		c <- o
	}, func(o *fresh) {
		if o.flag.Load() {
			y += 8
		}
	})
}

// What sets the flag again is not what sent it.
func TestRaceFreshFlag(t *testing.T) {
	y := 0
	sent(func(o *fresh, c chan<- *fresh) {
		o.flag.Store(true)
		c <- o
		y = 9
	}, func(o *fresh) {
		if o.flag.Load() {
			y += 9
		}
	})
}

// The function of a Once hands its object on.
func TestNoRaceFreshOnce(t *testing.T) {
	y := 0
	sent(func(o *fresh, c chan<- *fresh) {
		o.once.Do(func() {
			c <- o
			y = 10
		})
	}, func(o *fresh) {
		o.once.Do(func() {})
		y += 10
	})
}

func TestRaceFreshOnce(t *testing.T) {
	y := 0
	sent(func(o *fresh, c chan<- *fresh) {
		o.once.Do(func() { c <- o })
		y = 11
	}, func(o *fresh) {
		o.once.Do(func() {})
		y += 11
	})
}

// collects runs the collector in another goroutine until the test ends.
func collects(t *testing.T) {
	var stop atomic.Bool
	stopped := make(chan bool)
	go func() {
		for !stop.Load() {
			runtime.GC()
			time.Sleep(time.Millisecond)
		}
		close(stopped)
	}()
	t.Cleanup(func() {
		stop.Store(true)
		<-stopped
	})
	time.Sleep(10 * time.Millisecond)
}

// A finalizer gets to know a flag and a lock that are made before it is set.
func TestNoRaceFreshFinalizerFlag(t *testing.T) {
	y := 0
	collects(t)
	flag := new(atomic.Bool)
	runtime.SetFinalizer(&[4]*int{}, func(*[4]*int) {
		y = 12
		flag.Store(true)
	})
	for !flag.Load() {
		runtime.Gosched()
	}
	y += 12
}

func TestNoRaceFreshFinalizerLock(t *testing.T) {
	y := 0
	collects(t)
	mu := new(sync.Mutex)
	runtime.SetFinalizer(&[4]*int{}, func(*[4]*int) {
		mu.Lock()
		y = 13
		mu.Unlock()
	})
	for t0 := time.Now(); time.Since(t0) < 50*time.Millisecond; {
		runtime.Gosched()
	}
	mu.Lock()
	y += 13
	mu.Unlock()
}

func TestRaceFreshFinalizer(t *testing.T) {
	collects(t)
	o := &fresh{}
	runtime.SetFinalizer(&[4]*int{}, func(*[4]*int) { o.x = 14 })
	for t0 := time.Now(); time.Since(t0) < 50*time.Millisecond; {
		runtime.Gosched()
	}
	o.mu.Lock()
	o.x += 14
	o.mu.Unlock()
}
