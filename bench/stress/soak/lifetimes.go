package soak

import (
	"fmt"
	"io"
	"log"
	"os"
	"runtime"
	"strings"
	"sync"
)

// churn starts goroutines that start goroutines.
func churn(n int) (got, want int) {
	var wg sync.WaitGroup
	sums := make([]int, n*4)
	for i := range sums {
		wg.Go(func() {
			part := make(chan int)
			go func() { part <- i }()
			sums[i] = <-part
		})
	}
	wg.Wait()
	for _, s := range sums {
		got += s
	}
	return got, len(sums) * (len(sums) - 1) / 2
}

// panics are recovered with locks held and given back by defers.
func panics(n int) (got, want int) {
	var mu sync.Mutex
	count := 0
	var wg sync.WaitGroup
	for w := range 3 {
		wg.Go(func() {
			for i := range n {
				func() {
					defer func() {
						if r := recover(); r != nil && r != any("soak") {
							if _, ok := r.(runtime.Error); !ok {
								panic(r)
							}
						}
					}()
					mu.Lock()
					defer mu.Unlock()
					count++
					switch (i + w) % 3 {
					case 0:
						panic("soak")
					case 1:
						var nothing []int
						nothing[i]++
					}
				}()
			}
		})
	}
	wg.Wait()
	return count, 3 * n
}

func goexit(n int) (got, want int) {
	var wg sync.WaitGroup
	left := make([]int, n)
	for i := range left {
		wg.Add(1)
		go func() {
			defer wg.Done()
			defer func() { left[i]++ }()
			runtime.Goexit()
		}()
	}
	wg.Wait()
	for _, l := range left {
		got += l
	}
	return got, n
}

var buffers = sync.Pool{New: func() any { return new([64]int) }}

// pools hands values from goroutine to goroutine.
func pools(n int) (got, want int) {
	var wg sync.WaitGroup
	sums := make([]int, 4)
	for w := range sums {
		wg.Go(func() {
			for i := range n * 2 {
				b := buffers.Get().(*[64]int)
				b[i%64] = w
				runtime.Gosched()
				if b[i%64] == w {
					sums[w]++
				}
				buffers.Put(b)
			}
		})
	}
	wg.Wait()
	return sums[0] + sums[1] + sums[2] + sums[3], 8 * n
}

// garbage makes some, and collects it.
func garbage(n int) (got, want int) {
	type tree struct{ left, right *tree }
	var grow func(depth int) *tree
	grow = func(depth int) *tree {
		if depth == 0 {
			return nil
		}
		return &tree{grow(depth - 1), grow(depth - 1)}
	}
	var count func(t *tree) int
	count = func(t *tree) int {
		if t == nil {
			return 0
		}
		return 1 + count(t.left) + count(t.right)
	}
	for i := range max(1, n/5) {
		t := grow(8)
		if i%4 == 0 {
			runtime.GC()
		}
		done := make(chan int)
		go func() { done <- count(t) }()
		got += <-done
	}
	return got, max(1, n/5) * 255
}

// finalizers write objects that nobody else has any more.
func finalizers(n int) (got, want int) {
	type object struct{ n, ran int }
	ran := make(chan int, n)
	for i := range n {
		o := &object{n: i}
		runtime.SetFinalizer(o, func(o *object) {
			o.ran++
			ran <- o.ran
		})
		note := &object{}
		runtime.AddCleanup(&[]int{i}[0], func(o *object) { o.ran++ }, note)
	}
	runtime.GC()
	select {
	case got = <-ran:
	default:
		got = 1 // not yet
	}
	return got, 1
}

// printing goes through a logger and through fmt.
func printing(n int) (got, want int) {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return 0, 1
	}
	defer null.Close()
	l := log.New(null, "soak ", log.LstdFlags)
	var wg sync.WaitGroup
	lengths := make([]int, 3)
	for w := range lengths {
		wg.Go(func() {
			for i := range n {
				l.Printf("worker %d at %d", w, i)
				s := fmt.Sprintf("%03d", i%1000)
				b, _ := io.ReadAll(strings.NewReader(s))
				lengths[w] += len(b)
			}
		})
	}
	wg.Wait()
	return lengths[0] + lengths[1] + lengths[2], 9 * n
}
