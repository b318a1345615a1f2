package soak

import (
	"context"
	"sync"
	"time"
)

// pipeline sends pointers through three stages, each of which writes what they point to.
func pipeline(n int) (got, want int) {
	type item struct{ v, hops int }
	stage := func(in <-chan *item, room int) <-chan *item {
		out := make(chan *item, room)
		go func() {
			defer close(out)
			for it := range in {
				it.v *= 2
				it.hops++
				out <- it
			}
		}()
		return out
	}
	first := make(chan *item)
	last := stage(stage(stage(first, 0), 1), 8)
	go func() {
		defer close(first)
		for i := range n * 10 {
			first <- &item{v: i}
		}
	}()
	for it := range last {
		got += it.v + it.hops
	}
	for i := range n * 10 {
		want += 8*i + 3
	}
	return got, want
}

// workers share jobs and results.
func workers(n int) (got, want int) {
	jobs, results := make(chan []int, 4), make(chan int)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for j := range jobs {
				for i := range j {
					j[i]++
					j[0] += j[i]
				}
				results <- j[0]
			}
		})
	}
	go func() {
		for range n * 5 {
			jobs <- make([]int, 8)
		}
		close(jobs)
		wg.Wait()
		close(results)
	}()
	for r := range results {
		got += r
	}
	return got, n * 5 * 9
}

// rendezvous hands a counter to and fro.
func rendezvous(n int) (got, want int) {
	there, back := make(chan *int), make(chan *int)
	go func() {
		for p := range there {
			*p++
			back <- p
		}
		close(back)
	}()
	p := new(int)
	for range n * 10 {
		there <- p
		p = <-back
		*p++
	}
	close(there)
	<-back
	return *p, n * 20
}

// selects takes from many channels, with defaults, closed and nil ones among them.
func selects(n int) (got, want int) {
	var ins [5]chan int
	for i := range ins {
		ins[i] = make(chan int, i)
		go func() {
			for k := range n {
				select {
				case ins[i] <- k:
				default:
					ins[i] <- k
				}
			}
			close(ins[i])
		}()
	}
	a, b, c, d, e := ins[0], ins[1], ins[2], ins[3], ins[4]
	take := func(c *chan int, v int, ok bool) {
		if !ok {
			*c = nil
		}
		got += v
	}
	for a != nil || b != nil || c != nil || d != nil || e != nil {
		select {
		case v, ok := <-a:
			take(&a, v, ok)
		case v, ok := <-b:
			take(&b, v, ok)
		case v, ok := <-c:
			take(&c, v, ok)
		case v, ok := <-d:
			take(&d, v, ok)
		case v, ok := <-e:
			take(&e, v, ok)
		}
	}
	return got, 5 * n * (n - 1) / 2
}

// timers start, stop, reset and fire.
func timers(n int) (got, want int) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := range n {
		wg.Add(1)
		t := time.AfterFunc(time.Duration(i%4)*time.Millisecond, func() {
			mu.Lock()
			got++
			mu.Unlock()
			wg.Done()
		})
		if i%5 == 0 && t.Stop() {
			t.Reset(time.Millisecond)
		}
		if i%7 == 0 && t.Stop() {
			mu.Lock()
			got++
			mu.Unlock()
			wg.Done()
		}
	}
	wg.Wait()
	t := time.NewTimer(time.Hour)
	t.Reset(time.Microsecond)
	<-t.C
	<-time.After(time.Microsecond)
	return got, n
}

func tickers(n int) (got, want int) {
	t := time.NewTicker(200 * time.Microsecond)
	defer t.Stop()
	v := new(int)
	for range min(n, 10) {
		<-t.C
		*v++
		t.Reset(100 * time.Microsecond)
	}
	return *v, min(n, 10)
}

// contexts cancels trees of them, and lets some run out.
func contexts(n int) (got, want int) {
	type key struct{}
	for i := range n {
		box := new(int)
		ctx := context.WithValue(context.Background(), key{}, box)
		ctx, cancel := context.WithCancelCause(ctx)
		short, stop := context.WithTimeout(ctx, time.Duration(i%3)*time.Millisecond)
		*box = 1
		woken := make(chan int, 3)
		for range 3 {
			go func() {
				<-short.Done()
				if short.Value(key{}) != any(box) {
					panic("not the context's value")
				}
				woken <- *box
			}()
		}
		_ = context.AfterFunc(ctx, func() {})
		cancel(nil)
		for range 3 {
			got += <-woken
		}
		stop()
	}
	return got, 3 * n
}

// semaphore bounds how many are in, by a channel's room, and by one of room for one that works as a
// lock.
func semaphore(n int) (got, want int) {
	room, lock := make(chan struct{}, 3), make(chan struct{}, 1)
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			for range n {
				room <- struct{}{}
				lock <- struct{}{}
				got++
				<-lock
				<-room
			}
		})
	}
	wg.Wait()
	return got, 6 * n
}
