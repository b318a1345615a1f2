// Package reuse lets memory, stacks and goroutines be used again by others who
// have nothing to do with the first users. None of it races.
package reuse

import (
	"runtime"
	"sync"
	"testing"

	"github.com/racepred/racepred/examples/internal/sched"
)

type block struct{ words [8]int }

var sink *block

// The second goroutine gets, from the collector, the memory that the first has given up.
func TestNoRaceCollected(t *testing.T) {
	work := func() {
		for i := range 5000 {
			b := new(block)
			keep(b)
			b.words[i%8] = i
		}
		runtime.GC()
	}
	sched.InTurn(work, work)
}

//go:noinline
func keep(b *block) {
	if b.words[0] < 0 {
		sink = b
	}
}

// Slices grow into memory that was another goroutine's.
func TestNoRaceGrowing(t *testing.T) {
	work := func() {
		for range 20 {
			var s []int
			for i := range 1000 {
				s = append(s, i)
				s[len(s)/2]++
			}
			runtime.KeepAlive(s)
		}
		runtime.GC()
	}
	sched.InTurn(work, work)
}

// Stacks move, and what was one goroutine's stack becomes another's.
func TestNoRaceStacks(t *testing.T) {
	var wg sync.WaitGroup
	for range 200 {
		wg.Go(func() {
			var local [64]int
			deep(&local, 20)
		})
	}
	wg.Wait()
}

func deep(frame *[64]int, n int) {
	var mine [64]int
	for i := range mine {
		mine[i] = frame[i] + 1
	}
	if n > 0 {
		deep(&mine, n-1)
	}
}

// Goroutines come and go; a new one may take the place of one that ended.
func TestNoRaceGoroutines(t *testing.T) {
	type cell struct{ n int }
	for range 100 {
		done := make(chan *cell)
		go func() {
			c := new(cell)
			c.n = 1
			done <- c
		}()
		c := <-done
		c.n++
	}
}

// Maps that grow leave their old tables behind.
func TestNoRaceMaps(t *testing.T) {
	work := func() {
		m := make(map[int]int)
		for i := range 2000 {
			m[i] = i
		}
		clear(m)
		runtime.GC()
	}
	sched.InTurn(work, work)
}
