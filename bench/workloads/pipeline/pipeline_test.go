// Package pipeline passes structs through stages connected by channels, unbuffered and buffered.
package pipeline

import (
	"sync"
	"testing"
)

type item struct {
	n, square, sum int
	trail          [4]int
}

func stage(in <-chan *item, out chan<- *item, workers int, do func(*item)) {
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for it := range in {
				do(it)
				out <- it
			}
		})
	}
	wg.Wait()
	close(out)
}

func TestPipeline(t *testing.T) {
	const items = 800_000
	a, b, c, d := make(chan *item), make(chan *item, 1), make(chan *item, 64), make(chan *item, 64)
	go func() {
		for n := range items {
			a <- &item{n: n}
		}
		close(a)
	}()
	go stage(a, b, 1, func(it *item) { it.square = it.n * it.n; it.trail[0] = 1 })
	go stage(b, c, 2, func(it *item) { it.sum = it.n + it.square; it.trail[1] = it.trail[0] + 1 })
	go stage(c, d, 2, func(it *item) { it.trail[2] = it.trail[1] + 1 })
	got, sum := 0, 0
	for it := range d {
		if it.trail[2] != 3 || it.sum != it.n*(it.n+1) {
			t.Fatalf("item %+v", *it)
		}
		got++
		sum += it.n
	}
	if got != items || sum != items*(items-1)/2 {
		t.Fatalf("%d items, sum %d", got, sum)
	}
}
