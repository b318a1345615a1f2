// Package guarded holds programs of one shape that never race:
//
//	x = 1                   mu.Lock()
//	mu.Lock()               ok := seen
//	done                    mu.Unlock()
//	mu.Unlock()             if ok { x++ }
//
// The second goroutine touches x only if it has seen, under the lock, what the
// first has done under it. So the sections keep their order in every schedule
// that gets to x, whatever "done" and "seen" are. A predictor that
// does not know that they meet reports a race that does not exist.
package guarded

import (
	"fmt"
	"sync"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	m.Run()
	fmt.Println("ALL TESTS COMPLETE")
}

// inTurn runs the functions on goroutines of their own, one after the other by
// sleeping, which orders nothing.
func inTurn(functions ...func()) {
	var wg sync.WaitGroup
	for i, f := range functions {
		wg.Add(1)
		go func() {
			defer wg.Done()
			time.Sleep(time.Duration(i) * 10 * time.Millisecond)
			f()
		}()
	}
	wg.Wait()
}
