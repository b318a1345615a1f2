package soak

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// bank moves money between accounts with a lock each, taken in order.
func bank(n int) (got, want int) {
	type account struct {
		mu    sync.Mutex
		money int
	}
	var accounts [8]account
	for i := range accounts {
		accounts[i].money = 100
	}
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := range n * 4 {
				a, b := (i*7+w)%8, (i*3+w+1)%8
				if a == b {
					continue
				}
				lo, hi := &accounts[min(a, b)], &accounts[max(a, b)]
				lo.mu.Lock()
				hi.mu.Lock()
				accounts[a].money--
				accounts[b].money++
				hi.mu.Unlock()
				lo.mu.Unlock()
			}
		})
	}
	wg.Wait()
	for i := range accounts {
		got += accounts[i].money
	}
	return got, 800
}

// readers read a table that writers keep consistent.
func readers(n int) (got, want int) {
	var mu sync.RWMutex
	var table [16]int
	var wrong atomic.Int64
	var wg sync.WaitGroup
	for w := range 2 {
		wg.Go(func() {
			for i := range n {
				mu.Lock()
				for k := range table {
					table[k] = w*n + i
				}
				mu.Unlock()
			}
		})
	}
	for range 4 {
		wg.Go(func() {
			for range n * 2 {
				mu.RLock()
				first := table[0]
				for _, v := range table {
					if v != first {
						wrong.Add(1)
					}
				}
				mu.RUnlock()
			}
		})
	}
	wg.Wait()
	return int(wrong.Load()), 0
}

// tryLock spins on locks of both kinds.
func tryLock(n int) (got, want int) {
	var mu sync.Mutex
	var rw sync.RWMutex
	x, y := 0, 0
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for range n {
				for !mu.TryLock() {
					runtime.Gosched()
				}
				x++
				mu.Unlock()
				for !rw.TryLock() {
					runtime.Gosched()
				}
				y++
				rw.Unlock()
				if rw.TryRLock() {
					_ = y
					rw.RUnlock()
				}
			}
		})
	}
	wg.Wait()
	return x + y, 6 * n
}

// condQueue is a bounded queue on two conditions.
func condQueue(n int) (got, want int) {
	var mu sync.Mutex
	notEmpty, notFull := sync.NewCond(&mu), sync.NewCond(&mu)
	var queue []int
	closed := false
	var wg, producers sync.WaitGroup
	sums := make([]int, 3)
	for c := range sums {
		wg.Go(func() {
			for {
				mu.Lock()
				for len(queue) == 0 && !closed {
					notEmpty.Wait()
				}
				if len(queue) == 0 {
					mu.Unlock()
					return
				}
				sums[c] += queue[0]
				queue = queue[1:]
				notFull.Signal()
				mu.Unlock()
			}
		})
	}
	for range 2 {
		producers.Go(func() {
			for i := range n * 3 {
				mu.Lock()
				for len(queue) >= 4 {
					notFull.Wait()
				}
				queue = append(queue, i)
				notEmpty.Signal()
				mu.Unlock()
			}
		})
	}
	producers.Wait()
	mu.Lock()
	closed = true
	notEmpty.Broadcast()
	mu.Unlock()
	wg.Wait()
	for _, s := range sums {
		got += s
	}
	return got, 2 * (3 * n) * (3*n - 1) / 2
}

// once initializes in one of several goroutines.
func once(n int) (got, want int) {
	for range n {
		var o sync.Once
		v := 0
		value := sync.OnceValue(func() *int { return new(int) })
		var wg sync.WaitGroup
		sum := make([]int, 3)
		for i := range sum {
			wg.Go(func() {
				o.Do(func() { v = 1 })
				sum[i] = v + *value()
			})
		}
		wg.Wait()
		got += sum[0] + sum[1] + sum[2]
	}
	return got, 3 * n
}

// atomics publishes by a pointer, counts, and swaps.
func atomics(n int) (got, want int) {
	type config struct{ a, b int }
	var current atomic.Pointer[config]
	current.Store(&config{})
	var counter atomic.Int64
	var bits atomic.Uint32
	var value atomic.Value
	var wg sync.WaitGroup
	for w := range 3 {
		wg.Go(func() {
			for i := range n * 3 {
				old := current.Load()
				for !current.CompareAndSwap(old, &config{a: old.a + 1, b: old.a + 1}) {
					old = current.Load()
				}
				if c := current.Load(); c.a != c.b {
					counter.Add(1000)
				}
				counter.Add(1)
				bits.Or(1 << w)
				value.Store(i)
			}
		})
	}
	wg.Wait()
	return int(counter.Load()) + current.Load().a + int(bits.Load()), 18*n + 7
}

// maps are used through sync.Map, and behind a lock.
func maps(n int) (got, want int) {
	var m sync.Map
	plain := map[int]int{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for w := range 3 {
		wg.Go(func() {
			for i := range n * 2 {
				v, _ := m.LoadOrStore(i, &config{sums: make([]int, 3)})
				v.(*config).sums[w]++
				mu.Lock()
				plain[i]++
				if plain[i] == 3 {
					delete(plain, i)
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	m.Range(func(_, v any) bool {
		for _, s := range v.(*config).sums {
			got += s
		}
		return true
	})
	return got + len(plain), 6 * n
}

type config struct{ sums []int }
