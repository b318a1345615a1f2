package blocking

import (
	"sync"
	"testing"

	"github.com/racepred/racepred/examples/internal/sched"
)

// A worker that returns early does not say that it is done.
func TestLeakGroup(t *testing.T) {
	var all sync.WaitGroup
	for i := range 3 {
		all.Add(1)
		go func() {
			if i == 1 {
				return
			}
			all.Done()
		}()
	}
	go all.Wait()
	sched.Rest(1)
}

// Each says so on every way.
func TestNoRaceGroup(t *testing.T) {
	var all sync.WaitGroup
	for i := range 3 {
		all.Add(1)
		go func() {
			defer all.Done()
			if i == 1 {
				return
			}
		}()
	}
	go all.Wait()
	sched.Rest(1)
}

// A worker waits for the group that counts it.
func TestLeakGroupWaitsForItself(t *testing.T) {
	var (
		all     sync.WaitGroup
		results = make(chan int, 2)
	)
	for i := range 2 {
		all.Add(1)
		go func() {
			defer all.Done()
			results <- i
			if i == 1 {
				all.Wait()
				close(results)
			}
		}()
	}
	sched.Rest(1)
}

// No goroutine that the group counts waits for it.
func TestNoRaceGroupWaits(t *testing.T) {
	var (
		all     sync.WaitGroup
		results = make(chan int, 2)
	)
	for i := range 2 {
		all.Add(1)
		go func() {
			defer all.Done()
			results <- i
		}()
	}
	all.Wait()
	close(results)
}

// The signal comes before the wait and is lost; no flag keeps it.
func TestLeakLostSignal(t *testing.T) {
	var mu sync.Mutex
	ready := sync.NewCond(&mu)
	ready.Signal()
	go func() {
		mu.Lock()
		ready.Wait()
		mu.Unlock()
	}()
	sched.Rest(1)
}

// A flag keeps it.
func TestNoRaceKeptSignal(t *testing.T) {
	var (
		mu    sync.Mutex
		happy bool
	)
	ready := sync.NewCond(&mu)
	mu.Lock()
	happy = true
	ready.Signal()
	mu.Unlock()
	go func() {
		mu.Lock()
		for !happy {
			ready.Wait()
		}
		mu.Unlock()
	}()
	sched.Rest(1)
}

// buffer is a bounded buffer with one condition for both of its ends.
type buffer struct {
	mu      sync.Mutex
	changed *sync.Cond
	items   []int
	cap     int
	wake    func(*sync.Cond)
}

func newBuffer(n int, wake func(*sync.Cond)) *buffer {
	b := &buffer{cap: n, wake: wake}
	b.changed = sync.NewCond(&b.mu)
	return b
}

func (b *buffer) put(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.items) == b.cap {
		b.changed.Wait()
	}
	b.items = append(b.items, n)
	b.wake(b.changed)
}

func (b *buffer) take() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.items) == 0 {
		b.changed.Wait()
	}
	n := b.items[0]
	b.items = b.items[1:]
	b.wake(b.changed)
	return n
}

// No goroutine is woken when the buffer has room again.
func TestLeakBoundedBuffer(t *testing.T) {
	b := newBuffer(1, func(*sync.Cond) {})
	b.put(1)
	go b.put(2)
	sched.Rest(1)
	_ = b.take()
	sched.Rest(1)
}

// All are woken, and each looks again.
func TestNoRaceBoundedBuffer(t *testing.T) {
	b := newBuffer(1, (*sync.Cond).Broadcast)
	b.put(1)
	go b.put(2)
	sched.Rest(1)
	_ = b.take()
	_ = b.take()
}

// barrier lets n goroutines go on when all of them are there.
type barrier struct {
	mu    sync.Mutex
	all   *sync.Cond
	n     int
	there int
}

func newBarrier(n int) *barrier {
	b := &barrier{n: n}
	b.all = sync.NewCond(&b.mu)
	return b
}

func (b *barrier) await() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.there++
	if b.there == b.n {
		b.all.Broadcast()
		return
	}
	for b.there < b.n {
		b.all.Wait()
	}
}

// A barrier for three has two visitors.
func TestLeakBarrier(t *testing.T) {
	b := newBarrier(3)
	for range 2 {
		go b.await()
	}
	sched.Rest(1)
}

// All three come.
func TestNoRaceBarrier(t *testing.T) {
	b := newBarrier(3)
	for range 3 {
		go b.await()
	}
	sched.Rest(1)
}

// elevator moves between floors on orders; whoever shuts it down waits until it stands.
type elevator struct {
	mu     sync.Mutex
	idle   *sync.Cond
	orders []int
	floor  int
	off    bool
	stands chan bool
}

func newElevator() *elevator {
	e := &elevator{stands: make(chan bool)}
	e.idle = sync.NewCond(&e.mu)
	return e
}

func (e *elevator) order(floor int) {
	e.mu.Lock()
	e.orders = append(e.orders, floor)
	e.mu.Unlock()
	e.idle.Signal()
}

func (e *elevator) run() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for {
		for len(e.orders) == 0 && !e.off {
			e.idle.Wait()
		}
		if len(e.orders) == 0 {
			close(e.stands)
			return
		}
		e.floor, e.orders = e.orders[0], e.orders[1:]
	}
}

// The one that switches the elevator off waits with the lock in its hand that the elevator needs to
// see it.
func TestLeakElevator(t *testing.T) {
	e := newElevator()
	go e.run()
	e.order(3)
	sched.Rest(1)
	go func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.off = true
		e.idle.Signal()
		<-e.stands
	}()
	sched.Rest(1)
}

// It gives the lock back before it waits.
func TestNoRaceElevator(t *testing.T) {
	e := newElevator()
	go e.run()
	e.order(3)
	sched.Rest(1)
	e.mu.Lock()
	e.off = true
	e.mu.Unlock()
	e.idle.Signal()
	<-e.stands
	if e.floor != 3 {
		t.Errorf("the elevator stands on floor %d", e.floor)
	}
}
