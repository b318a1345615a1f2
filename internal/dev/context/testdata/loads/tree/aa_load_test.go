// Package load has a tree of 585 contexts with a goroutine each, half of which stay until the process ends.
package load

import (
	"context"
	"sync"
	"testing"
)

var loadTree context.CancelFunc

// loadGrow makes a tree below a context; each of its goroutines waits for the end of its own context.
func loadGrow(parent context.Context, depth int, begun, ended *sync.WaitGroup, count *int, mu *sync.Mutex) {
	begun.Add(1)
	ended.Go(func() {
		mu.Lock()
		*count++
		mu.Unlock()
		begun.Done()
		<-parent.Done()
		mu.Lock()
		*count--
		mu.Unlock()
	})
	if depth == 0 {
		return
	}
	for range 8 {
		child, cancel := context.WithCancel(parent)
		context.AfterFunc(parent, cancel)
		loadGrow(child, depth-1, begun, ended, count, mu)
	}
}

func TestNoRaceLoadTree(t *testing.T) {
	var mu sync.Mutex
	count := 0
	for i := range 2 {
		var begun, ended sync.WaitGroup
		root, cancel := context.WithCancel(context.Background())
		loadGrow(root, 3, &begun, &ended, &count, &mu)
		begun.Wait()
		if i == 0 {
			cancel()
			ended.Wait()
		} else {
			loadTree = cancel // the second tree stays
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if count != 1+8+64+512 {
		t.Error(count)
	}
}
