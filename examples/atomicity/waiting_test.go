package atomicity

import (
	"sync"
	"testing"

	"github.com/racepred/racepred/examples/internal/sched"
)

// jobs are counted, and somebody waits until there is one.
type jobs struct {
	mu   sync.Mutex
	some *sync.Cond
	n    int
}

func newJobs() *jobs {
	j := &jobs{}
	j.some = sync.NewCond(&j.mu)
	return j
}

func (j *jobs) add(n int) {
	j.mu.Lock()
	j.n += n
	j.some.Broadcast()
	j.mu.Unlock()
}

func (j *jobs) has() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.n > 0
}

// take waits for a job. A goroutine that waits wants others to come between.
//
//racepred:atomic
func (j *jobs) take() {
	j.mu.Lock()
	defer j.mu.Unlock()
	for j.n == 0 {
		j.some.Wait()
	}
	j.n = j.n - 1
}

// takeSeen takes a job that it saw before it took the lock.
//
//racepred:atomic
func (j *jobs) takeSeen() {
	if !j.has() {
		return
	}
	j.mu.Lock()
	j.n = j.n - 1
	j.mu.Unlock()
}

// addInParts has goroutines of its own add.
//
//racepred:atomic
func (j *jobs) addInParts() {
	was := j.has()
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() { j.add(1) })
	}
	wg.Wait()
	if !was {
		j.add(1)
	}
}

// A job is added while take waits.
func TestNoRaceWaitsForJob(t *testing.T) {
	j := newJobs()
	sched.InTurn(
		j.take,
		func() { j.add(1) },
	)
}

// The jobs are taken back between the look and the taking.
func TestAtomicityLooksThenTakes(t *testing.T) {
	j := newJobs()
	j.add(1)
	sched.InTurn(
		j.takeSeen,
		func() { j.mu.Lock(); j.n = 0; j.mu.Unlock() },
	)
}

// What a function's own goroutines do is no part of it, and does not come between.
func TestNoRaceAddInParts(t *testing.T) { newJobs().addInParts() }

// What others do does.
func TestAtomicityAddInParts(t *testing.T) {
	j := newJobs()
	sched.InTurn(
		j.addInParts,
		func() { j.mu.Lock(); j.n = 0; j.mu.Unlock() },
	)
}
