// Package workerpool gives small jobs to a fixed set of goroutines and collects results under a
// mutex and in atomics.
package workerpool

import (
	"sync"
	"sync/atomic"
	"testing"
)

type job struct {
	data []int
	done *sync.WaitGroup
}

type pool struct {
	jobs  chan job
	ran   atomic.Int64
	mu    sync.Mutex
	total int
}

func (p *pool) work() {
	for j := range p.jobs {
		sum := 0
		for i, v := range j.data {
			j.data[i] = v + 1
			sum += v
		}
		p.mu.Lock()
		p.total += sum
		p.mu.Unlock()
		p.ran.Add(1)
		j.done.Done()
	}
}

func TestPool(t *testing.T) {
	const workers, rounds, jobs, size = 8, 5000, 200, 64
	p := &pool{jobs: make(chan job, 32)}
	var all sync.WaitGroup
	for range workers {
		all.Go(p.work)
	}
	data := make([]int, jobs*size)
	for range rounds {
		var done sync.WaitGroup
		done.Add(jobs)
		for i := range jobs {
			p.jobs <- job{data[i*size : (i+1)*size], &done}
		}
		done.Wait()
	}
	close(p.jobs)
	all.Wait()
	if want := jobs * size * rounds * (rounds - 1) / 2; p.total != want || p.ran.Load() != rounds*jobs {
		t.Fatalf("total %d of %d jobs, want %d of %d", p.total, p.ran.Load(), want, rounds*jobs)
	}
}
