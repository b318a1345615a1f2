// Package locklib has methods that lock, for package doublelock.
package locklib

import "sync"

type Counter struct {
	Mu sync.Mutex
	n  int
}

func (c *Counter) Get() int {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	return c.n
}

func (c *Counter) GetLocked() int { return c.n }
