// Package rwcache reads a cache under a RWMutex and fills it now and then.
package rwcache

import (
	"strconv"
	"sync"
	"testing"
)

type entry struct {
	value string
	size  int
}

type cache struct {
	mu sync.RWMutex
	m  map[int]*entry
}

func (c *cache) get(k int) (*entry, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	e, ok := c.m[k]
	return e, ok
}

func (c *cache) fill(k int) *entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.m[k]; ok {
		return e
	}
	v := strconv.Itoa(k)
	e := &entry{value: v, size: len(v)}
	c.m[k] = e
	return e
}

func (c *cache) drop(k int) {
	c.mu.Lock()
	delete(c.m, k)
	c.mu.Unlock()
}

func TestCache(t *testing.T) {
	const workers, rounds, keys = 4, 2_000_000, 1000
	c := &cache{m: make(map[int]*entry)}
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := range rounds {
				k := (i*31 + w*7) % keys
				e, ok := c.get(k)
				if !ok {
					e = c.fill(k)
				}
				if e.size != len(e.value) {
					t.Errorf("%q has size %d", e.value, e.size)
				}
				if i%500 == 0 {
					c.drop(k)
				}
			}
		})
	}
	wg.Wait()
}
