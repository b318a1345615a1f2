// Package load has 400 parallel subtests, which share a cache.
package load

import (
	"fmt"
	"sync"
	"testing"
)

type loadCache struct {
	mu      sync.RWMutex
	entries map[string]int
	hits    int
}

func (c *loadCache) get(key string) int {
	c.mu.RLock()
	n, ok := c.entries[key]
	c.mu.RUnlock()
	if ok {
		c.mu.Lock()
		c.hits++
		c.mu.Unlock()
		return n
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries[key] = len(key)
	return len(key)
}

func TestNoRaceLoadSubtests(t *testing.T) {
	cache := &loadCache{entries: make(map[string]int)}
	for i := range 400 {
		t.Run(fmt.Sprint("subtest ", i), func(t *testing.T) {
			t.Parallel()
			for k := range 20 {
				key := fmt.Sprint("key ", (i+k)%50)
				if n := cache.get(key); n != len(key) {
					t.Error(key, n)
				}
			}
		})
	}
}
