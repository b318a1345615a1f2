// Package cache is a small cache with a lock that some of its methods forget.
// Their names say which: Race... methods are wrong, NoRace... methods are right.
package cache

import "sync"

// Cache maps keys to values.
type Cache struct {
	mu      sync.Mutex
	items   map[string]string
	hits    int
	lastKey string
	closed  bool
}

// New returns a cache that holds the given items.
func New(items map[string]string) *Cache {
	c := &Cache{items: make(map[string]string, len(items))}
	for k, v := range items {
		c.items[k] = v
	}
	return c
}

// NoRaceGet looks up a key and counts a hit, all under the lock.
func (c *Cache) NoRaceGet(key string) (string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok := c.items[key]
	if ok {
		c.hits++
	}
	return v, ok
}

// NoRacePut stores a value under the lock.
func (c *Cache) NoRacePut(key, value string) {
	c.mu.Lock()
	c.items[key] = value
	c.mu.Unlock()
}

// NoRaceHits returns the number of hits.
func (c *Cache) NoRaceHits() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.hits
}

// RaceGet counts the hit after it has given back the lock.
func (c *Cache) RaceGet(key string) string {
	c.mu.Lock()
	v, ok := c.items[key]
	c.mu.Unlock()
	if ok {
		c.hits++
	}
	return v
}

// RaceTouch notes the key before it takes the lock.
func (c *Cache) RaceTouch(key string) bool {
	c.lastKey = key
	c.mu.Lock()
	_, ok := c.items[key]
	c.mu.Unlock()
	return ok
}

// RaceStat reads the last key after it has given back the lock.
func (c *Cache) RaceStat() (size int, last string) {
	c.mu.Lock()
	size = len(c.items)
	c.mu.Unlock()
	return size, c.lastKey
}

// RaceClose sets a flag that RaceClosed reads under the lock.
func (c *Cache) RaceClose() {
	c.closed = true
}

// RaceClosed tells whether the cache was closed.
func (c *Cache) RaceClosed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}
