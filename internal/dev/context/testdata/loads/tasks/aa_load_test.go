// Package load sends 5,000 tasks through a pool of 8 goroutines.
package load

import (
	"sync"
	"testing"
)

func TestNoRaceLoadTasks(t *testing.T) {
	const tasks = 5000
	var (
		mu      sync.Mutex
		results = make(map[int]int)
		queue   = make(chan func())
		workers sync.WaitGroup
		done    sync.WaitGroup
	)
	for range 8 {
		workers.Go(func() {
			for task := range queue {
				task()
			}
		})
	}
	for i := range tasks {
		done.Add(1)
		queue <- func() {
			defer done.Done()
			sum := 0
			numbers := make([]int, 50)
			for k := range numbers {
				numbers[k] = i * k
				sum += numbers[k]
			}
			mu.Lock()
			results[i] = sum
			mu.Unlock()
		}
	}
	done.Wait()
	close(queue)
	workers.Wait()
	if len(results) != tasks || results[2] != 2*49*25 {
		t.Error(len(results), results[2])
	}
}
