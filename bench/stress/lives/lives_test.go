// Package lives uses memory again and again: objects of all size classes, goroutine stacks that
// grow and shrink, pooled values, locks, channels and goroutines that come and go, while garbage is
// collected all the time.
//
// Nothing races. Groups of goroutines that nothing orders take over each other's memory by way of
// the allocator only, so a detector that takes two lives of an address for one reports a race at
// once.
package lives

import (
	"flag"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

var allocations = flag.Int("n", 1_000_000, "allocations of the whole test")

// groups do the same, each with its own objects.
const groups = 6

func TestLives(t *testing.T) {
	sizes := classes()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	done := make(chan struct{})
	var collector sync.WaitGroup
	collector.Go(func() { collect(done) })

	var all [groups]*group
	var running sync.WaitGroup
	for i := range all {
		g := newGroup(i, sizes)
		all[i] = g
		running.Go(func() {
			for g.allocated < *allocations/groups {
				g.round()
			}
			close(g.handed)
		})
		running.Go(g.partner)
	}
	running.Wait()
	close(done)
	collector.Wait()
	runtime.ReadMemStats(&after)

	total := 0
	for _, g := range all {
		total += g.allocated
	}
	t.Logf("%d allocations of the groups' own, %d in all, %d collections, %d addresses that several groups had", total, after.Mallocs-before.Mallocs,
		after.NumGC-before.NumGC, again(&all))
	for i, s := range after.BySize {
		if s.Size != 0 && s.Mallocs == before.BySize[i].Mallocs {
			t.Errorf("nothing of size class %d", s.Size)
		}
	}
	if again(&all) == 0 {
		t.Error("no address was used by two groups: nothing was tested")
	}
}

// classes are the sizes to allocate: each size class, and some that share words with others.
func classes() []int {
	sizes := []int{1, 2, 3, 5, 7, 12, 40 << 10}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	for _, s := range m.BySize {
		if s.Size != 0 {
			sizes = append(sizes, int(s.Size))
		}
	}
	return sizes
}

// collect collects garbage until done.
func collect(done <-chan struct{}) {
	for {
		select {
		case <-done:
			return
		default:
			runtime.GC()
		}
	}
}

// again counts the addresses that several groups had objects at, of those they remembered.
func again(all *[groups]*group) int {
	had := map[uintptr]uint{}
	for i, g := range all {
		for _, p := range g.seen {
			if p != 0 {
				had[p] |= 1 << i
			}
		}
	}
	n := 0
	for _, m := range had {
		if m&(m-1) != 0 {
			n++
		}
	}
	return n
}

// node is an object with pointers and with things that synchronize in it.
type node struct {
	mu    sync.Mutex
	rw    sync.RWMutex
	count atomic.Int64
	n     int
	next  *node
	ready chan int
}

var pool = sync.Pool{New: func() any { return new([48]int) }}
