// Package elements shares slices and maps (Uber's study, 4.2 and 4.3).
package elements

import (
	"bytes"
	"fmt"
	"sort"
	"sync"
)

func appendAll(ids []string) {
	var results []string
	for _, id := range ids {
		go func() {
			results = append(results, id) // want `results is written by several goroutines of line \d+ at a time`
		}()
	}
}

// The header is copied without the lock when the goroutine is started.
func header(ids []string) {
	var mu sync.Mutex
	var results []string
	safeAppend := func(s string) {
		mu.Lock()
		results = append(results, s)
		mu.Unlock()
	}
	for _, id := range ids {
		go func(id string, results []string) {
			safeAppend(id)
		}(id, results) // want `results is written by the goroutine of line \d+ and read here`
	}
}

func locked(ids []string) {
	var mu sync.Mutex
	var results []string
	var wg sync.WaitGroup
	for _, id := range ids {
		wg.Add(1)
		go func() {
			defer wg.Done()
			mu.Lock()
			defer mu.Unlock()
			results = append(results, id)
		}()
	}
	wg.Wait()
	fmt.Println(results)
}

func byIndex(ids []string) []string {
	results := make([]string, len(ids))
	var wg sync.WaitGroup
	for i, id := range ids {
		wg.Go(func() { results[i] = id })
	}
	wg.Wait()
	return results
}

func byIndexUnawaited(ids []string) {
	results := make([]string, len(ids))
	for i, id := range ids {
		go func() { results[i] = id }()
	}
	for _, r := range results { // want `results\[...\] is written by the goroutine of line \d+ and read here`
		println(r)
	}
}

func errMap(ids []int) error {
	errs := make(map[int]error)
	var wg sync.WaitGroup
	for _, id := range ids {
		wg.Add(1)
		go func(id int) {
			defer wg.Done()
			errs[id] = nil // want `what errs holds is written by several goroutines of line \d+ at a time`
		}(id)
	}
	wg.Wait()
	return errs[0]
}

func errMapLocked(ids []int) error {
	errs := make(map[int]error)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for _, id := range ids {
		wg.Add(1)
		go func(id int) {
			defer wg.Done()
			mu.Lock()
			errs[id] = nil
			mu.Unlock()
		}(id)
	}
	wg.Wait()
	return errs[0]
}

func handedOver() {
	m := map[string]int{}
	go fill(m)
	fmt.Println(m["a"]) // want `what m holds is written by the goroutine of line \d+ and read here`
}

func handedOverLiteral() {
	m := map[string]int{}
	go func(other map[string]int) { other["a"] = 1 }(m)
	for k := range m { // want `what m holds is written by the goroutine of line \d+ and read here`
		println(k)
	}
}

func handedOverForGood() {
	m := map[string]int{"b": 2}
	go fill(m)
}

func fill(m map[string]int) { m["a"] = 1 }

func buffer() string {
	var b bytes.Buffer
	go func() { b.WriteString("x") }()
	return b.String() // want `b is written by the goroutine of line \d+ and read here`
}

func semaphore(ids []string) {
	sem := make(chan struct{}, 1)
	n := 0
	for range ids {
		go func() {
			sem <- struct{}{}
			n++
			<-sem
		}()
	}
}

// What a call takes and gives back says nothing of a group that no call leads to.

func collect(jobs []int) []error {
	var errs []error
	var wg sync.WaitGroup
	for _, j := range jobs {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if err := guarded(j); err != nil {
				errs = append(errs, err) // want `errs is written by several goroutines of line \d+ at a time`
			}
		}()
	}
	wg.Wait()
	return errs
}

func collectRight(jobs []int) []error {
	var errs []error
	var wg sync.WaitGroup
	for _, j := range jobs {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if err := waits(&wg, j); err != nil {
				errs = append(errs, err)
			}
		}()
	}
	wg.Wait()
	return errs
}

var errMu sync.Mutex

func guarded(j int) error {
	errMu.Lock()
	defer errMu.Unlock()
	return nil
}

func waits(wg *sync.WaitGroup, j int) error {
	errMu.Lock()
	defer errMu.Unlock()
	return nil
}

func turns(jobs []int) (n int) {
	done := make(chan bool)
	next := func() { <-done }
	for range jobs {
		go func() {
			run(next)
			n++
			done <- true
		}()
	}
	done <- true
	run(next)
	return n
}

func run(f func()) { f() }

func itself(n int) {
	var again func()
	again = func() { run(again) }
	go again()
	n++
	run(again)
}

// A loop that waits runs once at least.

func fanOut(n int) []int {
	x := make([]int, n)
	done := make(chan bool)
	for i := range n {
		go func() {
			x[i] = n - i
			done <- true
		}()
	}
	for range n {
		<-done
	}
	sort.Ints(x)
	return x
}

func drained(jobs []int) (sum int) {
	sem := make(chan struct{}, 1)
	for _, j := range jobs {
		sem <- struct{}{}
		go func() {
			defer func() { <-sem }()
			sum += j
		}()
	}
	for i := 0; i < cap(sem); i++ {
		sem <- struct{}{}
	}
	return sum
}

func undrained(n int) []int {
	x := make([]int, n)
	done := make(chan bool, n)
	for i := range n {
		go func() {
			x[i] = n - i
			done <- true
		}()
	}
	sort.Ints(x) // want `x\[...\] is written by the goroutine of line \d+ and written here`
	for range n {
		<-done
	}
	return x
}
