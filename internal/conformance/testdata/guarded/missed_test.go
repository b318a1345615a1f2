// Accesses that are left out, as their code is busy, and after them one that is recorded: of another goroutine, which the run orders or does not.

package guarded

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// stamp is done so often that it is left out.
func stamp(all []int, with int) {
	for i := range all {
		all[i] = with
	}
}

func halves(upTo int) {
	all := make([]int, 10_000)
	stamp(make([]int, 10_000), 1)
	var wg sync.WaitGroup
	wg.Add(2)
	go func() {
		defer wg.Done()
		stamp(all[:upTo], 2)
	}()
	go func() {
		defer wg.Done()
		stamp(all[5000:], 3)
	}()
	wg.Wait()
}

func TestNoRaceHalves(t *testing.T) { halves(5000) }

func TestRaceHalves(t *testing.T) { halves(5001) }

type generation struct {
	mu sync.Mutex
	n  int
}

func (g *generation) add() {
	g.mu.Lock()
	g.n++
	g.mu.Unlock()
}

// generations begins the last of three goroutines first mostly, and the second one last.
func generations(last func(*generation)) {
	for i := range 400 {
		g := &generation{}
		var wg sync.WaitGroup
		for j := range 3 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				if i%100 == 99 && j == 1 {
					time.Sleep(time.Millisecond)
					last(g)
				} else {
					g.add()
				}
			}()
		}
		wg.Wait()
	}
}

func TestNoRaceLastOfGeneration(t *testing.T) { generations((*generation).add) }

func TestRaceLastOfGeneration(t *testing.T) { generations(func(g *generation) { g.n = 0 }) }

// meeting has two goroutines meet, and then each do its part.
func meeting(first, second func()) {
	met, over := make(chan bool), make(chan bool)
	go func() {
		<-met
		first()
		time.Sleep(10 * time.Millisecond)
		over <- true
	}()
	go func() {
		met <- true
		second()
		over <- true
	}()
	<-over
	<-over
}

// handing has a goroutine fill memory in busy code and tell another one by some means, which then looks at it.
func handing(tells func(), told func(all []int)) {
	stamp(make([]int, 10_000), 1)
	all := make([]int, 1000)
	meeting(func() { stamp(all, 2); tells() }, func() { told(all) })
}

// thenLooks is for those that do not race: the place is the same for all.
func thenLooks(told func()) func([]int) {
	return func(all []int) {
		told()
		all[500]++
	}
}

func sleeps() { time.Sleep(5 * time.Millisecond) }

func TestRaceHandedByNothing(t *testing.T) {
	handing(func() {}, func(all []int) { sleeps(); all[500] = 7 })
}

func TestNoRaceHandedBySend(t *testing.T) {
	c := make(chan bool)
	handing(func() { c <- true }, thenLooks(func() { <-c }))
}

func TestNoRaceHandedByBuffer(t *testing.T) {
	c := make(chan bool, 4)
	handing(func() { c <- true }, thenLooks(func() { sleeps(); <-c }))
}

func TestRaceHandedByOtherBuffer(t *testing.T) {
	c, d := make(chan bool, 4), make(chan bool, 4)
	d <- true
	handing(func() { c <- true }, func(all []int) { sleeps(); <-d; all[500] = 7 })
}

func TestNoRaceHandedByRoom(t *testing.T) {
	c := make(chan bool, 1)
	c <- true
	handing(func() { <-c }, thenLooks(func() { c <- true }))
}

func TestNoRaceHandedByClose(t *testing.T) {
	c := make(chan bool)
	handing(func() { close(c) }, thenLooks(func() {
		select {
		case <-c:
		case <-time.After(time.Minute):
		}
	}))
}

// handingUnder tells by a variable under a lock, which is read under the same lock or its read mode.
func handingUnder(writes, reads sync.Locker) {
	told := false
	handing(func() { writes.Lock(); told = true; writes.Unlock() }, thenLooks(func() {
		for over := false; !over; {
			reads.Lock()
			over = told
			reads.Unlock()
		}
	}))
}

func TestNoRaceHandedByLock(t *testing.T) {
	var mu sync.Mutex
	handingUnder(&mu, &mu)
}

func TestRaceHandedByOtherLock(t *testing.T) {
	var mu, other sync.Mutex
	handing(func() { mu.Lock(); mu.Unlock() }, func(all []int) { sleeps(); other.Lock(); other.Unlock(); all[500] = 7 })
}

func TestNoRaceHandedByReaders(t *testing.T) {
	var mu sync.RWMutex
	handingUnder(&mu, mu.RLocker())
}

func TestNoRaceHandedByWaitGroup(t *testing.T) {
	var wg sync.WaitGroup
	wg.Add(1)
	handing(wg.Done, thenLooks(wg.Wait))
}

func TestNoRaceHandedByFlag(t *testing.T) {
	var set atomic.Bool
	handing(func() { set.Store(true) }, thenLooks(func() {
		for !set.Load() {
			runtime.Gosched()
		}
	}))
}

func TestRaceHandedByOtherFlag(t *testing.T) {
	var set, other atomic.Bool
	handing(func() { set.Store(true) }, func(all []int) { sleeps(); other.Load(); all[500] = 7 })
}

func TestNoRaceHandedByPointer(t *testing.T) {
	var p atomic.Pointer[int]
	handing(func() { p.Store(new(int)) }, thenLooks(func() {
		for p.Load() == nil {
			time.Sleep(time.Millisecond)
		}
	}))
}

func TestNoRaceHandedByCond(t *testing.T) {
	c, ready := sync.NewCond(new(sync.Mutex)), false
	handing(func() { c.L.Lock(); ready = true; c.L.Unlock(); c.Broadcast() }, thenLooks(func() {
		c.L.Lock()
		for !ready {
			c.Wait()
		}
		c.L.Unlock()
	}))
}

func TestNoRaceHandedByContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	handing(cancel, thenLooks(func() { <-ctx.Done() }))
}

func TestNoRaceHandedByTimer(t *testing.T) {
	c := make(chan bool)
	handing(func() { time.AfterFunc(time.Millisecond, func() { close(c) }) }, thenLooks(func() { <-c }))
}

func TestNoRaceHandedByMap(t *testing.T) {
	var m sync.Map
	handing(func() { m.Store(1, 1) }, thenLooks(func() {
		for {
			if _, ok := m.Load(1); ok {
				return
			}
			time.Sleep(time.Millisecond)
		}
	}))
}

func TestNoRaceHandedByThird(t *testing.T) {
	c, d := make(chan bool), make(chan bool)
	go func() { <-c; close(d) }()
	handing(func() { c <- true }, thenLooks(func() { <-d }))
}

func TestNoRaceHandedByStart(t *testing.T) {
	stamp(make([]int, 10_000), 1)
	all := make([]int, 1000)
	var wg sync.WaitGroup
	wg.Add(2)
	go func() {
		defer wg.Done()
		stamp(all, 2)
		go func() {
			defer wg.Done()
			all[500]++
		}()
	}()
	wg.Wait()
}

func TestRaceHandedByEarlyStart(t *testing.T) {
	stamp(make([]int, 10_000), 1)
	all := make([]int, 1000)
	var wg sync.WaitGroup
	wg.Add(2)
	go func() {
		defer wg.Done()
		go func() {
			defer wg.Done()
			sleeps()
			all[500]++
		}()
		stamp(all, 2)
	}()
	wg.Wait()
}

// turns has many goroutines do the same under one lock, some of it in code that is new to them, beside one that synchronizes all the time.
func turns(mu sync.Locker) {
	stamp(make([]int, 10_000), 1)
	all, steps := make([]int, 64), new(atomic.Int64)
	var over atomic.Bool
	var counts sync.WaitGroup
	counts.Go(func() {
		for !over.Load() {
			steps.Add(1)
		}
	})
	for range 60 {
		var wg sync.WaitGroup
		for j := range 8 {
			wg.Go(func() {
				for k := range 50 {
					mu.Lock()
					if k == 20+j {
						all[60]++
						all[61] += all[62]
					}
					stamp(all, k)
					mu.Unlock()
				}
			})
		}
		wg.Wait()
	}
	over.Store(true)
	counts.Wait()
}

func TestNoRaceTurns(t *testing.T) { turns(new(sync.Mutex)) }

type noLock struct{}

func (noLock) Lock()   {}
func (noLock) Unlock() {}

func TestRaceTurns(t *testing.T) { turns(noLock{}) }

type cell struct {
	next *cell
	n    [14]int
}

// reused has one goroutine fill objects and drop them, and another one, which knows nothing of the first, make objects in the same memory.
func reused(shared *cell) {
	stamp(make([]int, 10_000), 1)
	var wg sync.WaitGroup
	wg.Add(2)
	own := make(chan *cell, 1)
	go func() {
		defer wg.Done()
		for range 2000 {
			own <- new(cell)
			c := <-own
			stamp(c.n[:], 2)
		}
		stamp(shared.n[:1], 2)
		runtime.GC()
	}()
	go func() {
		defer wg.Done()
		others := make(chan *cell, 1)
		for range 20 {
			time.Sleep(time.Millisecond)
			for range 300 {
				others <- new(cell)
				c := <-others
				c.n[3] = 1
			}
		}
		shared.n[1] = 3
	}()
	wg.Wait()
}

func TestNoRaceReused(t *testing.T) { reused(new(cell)) }

// neighbours has one goroutine set all flags but one in busy code, and another one set that or its neighbour.
func neighbours(sets func(all []bool)) {
	set := func(all []bool) {
		for i := range all {
			if i != 500 {
				all[i] = true
			}
		}
	}
	for range 10 {
		set(make([]bool, 1000))
	}
	all := make([]bool, 1000)
	meeting(func() { set(all) }, func() { sleeps(); sets(all) })
}

func TestNoRaceNeighbours(t *testing.T) { neighbours(func(all []bool) { all[500] = true }) }

func TestRaceNeighbours(t *testing.T) { neighbours(func(all []bool) { all[501] = true }) }

// TestNoRaceTimersGrow makes the runtime's list of timers grow in memory in which there were tickers: in a goroutine that goes to sleep, and then in one that sets a timer.
func TestNoRaceTimersGrow(t *testing.T) {
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 300 {
				time.NewTicker(time.Hour).Stop()
			}
		})
	}
	time.Sleep(20 * time.Millisecond)
	runtime.GC()
	runtime.GC()
	for range 5 {
		go time.Sleep(time.Second)
		runtime.Gosched()
	}
	for range 64 {
		wg.Go(func() {
			for range 4 {
				time.AfterFunc(time.Hour, func() {}).Stop()
				runtime.Gosched()
			}
		})
	}
	wg.Wait()
}

// stampBytes is done so often that it is left out.
func stampBytes(all []byte, with byte) {
	for i := range all {
		all[i] = with
	}
}

// wide copies the first 64 KiB, in more than one record, while another goroutine is busy with the 64 bytes from there on.
func wide(from int) {
	all, with := make([]byte, 1<<17), make([]byte, 1<<16)
	var wg sync.WaitGroup
	wg.Add(2)
	go func() {
		defer wg.Done()
		var mu sync.Mutex
		for i := range 5000 {
			mu.Lock()
			stampBytes(all[from:from+64], byte(i))
			mu.Unlock()
		}
	}()
	go func() {
		defer wg.Done()
		longNap()
		copy(all, with)
	}()
	wg.Wait()
}

func TestNoRaceWideCopy(t *testing.T) { wide(1 << 16) }

func TestRaceWideCopy(t *testing.T) { wide(0) }
