// Package list has goroutines walk and change one linked list under one mutex.
package list

import (
	"sync"
	"testing"
)

type node struct {
	key, hits int
	next      *node
}

type list struct {
	mu   sync.Mutex
	head *node
	hits int
}

func (l *list) touch(key int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for n := l.head; n != nil; n = n.next {
		if n.key == key {
			n.hits++
			l.hits++
			return
		}
	}
	l.head = &node{key: key, hits: 1, next: l.head}
	l.hits++
}

func TestList(t *testing.T) {
	const workers, rounds, keys = 4, 1_000_000, 24
	var l list
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := range rounds {
				l.touch((i*7 + w) % keys)
			}
		})
	}
	wg.Wait()
	sum := 0
	for n := l.head; n != nil; n = n.next {
		sum += n.hits
	}
	if sum != workers*rounds || l.hits != sum {
		t.Fatalf("%d and %d hits, want %d", sum, l.hits, workers*rounds)
	}
}
