package doublelock

import (
	"sync"

	"locklib"
)

type cache struct {
	mu sync.Mutex
	rw sync.RWMutex
	m  map[string]int
}

func (c *cache) twice() {
	c.mu.Lock()
	c.mu.Lock() // want `c.mu is locked here, and is held already`
	c.mu.Unlock()
}

func (c *cache) get(k string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.m[k]
}

func (c *cache) indirect(k string) int { return c.get(k) }

func (c *cache) through(k string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.get(k) // want `get locks c.mu, which is held here`
}

func (c *cache) throughTwo(k string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.indirect(k) // want `indirect locks c.mu, which is held here`
}

func (c *cache) others(d *cache, k string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return d.get(k)
}

func (c *cache) after(k string) int {
	c.mu.Lock()
	c.m[k]++
	c.mu.Unlock()
	return c.get(k)
}

func foreign(c *locklib.Counter) int {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	return c.GetLocked() + c.Get() // want `Get locks c.Mu, which is held here`
}

func (c *cache) upgrade(k string) {
	c.rw.RLock()
	if c.m[k] == 0 {
		c.rw.Lock() // want `c.rw is locked here while it is held for reading`
		c.m[k] = 1
		c.rw.Unlock()
	}
	c.rw.RUnlock()
}

func (c *cache) upgradeRight(k string) {
	c.rw.RLock()
	n := c.m[k]
	c.rw.RUnlock()
	if n == 0 {
		c.rw.Lock()
		c.m[k] = 1
		c.rw.Unlock()
	}
}

func (c *cache) readsTwice() {
	c.rw.RLock()
	c.rw.RLock() // want `c.rw is locked for reading here, and is held for reading already`
	c.rw.RUnlock()
	c.rw.RUnlock()
}

func (c *cache) lock()   { c.mu.Lock() }
func (c *cache) unlock() { c.mu.Unlock() }

func (c *cache) byHelpers() {
	c.lock()
	c.m["a"] = 1
	c.unlock()
	c.lock()
	c.unlock()
}

func (c *cache) byHelpersTwice() {
	c.lock()
	c.lock() // want `lock locks c.mu, which is held here`
}

func (c *cache) byLiteral() {
	unlock := func() { c.mu.Unlock() }
	c.mu.Lock()
	unlock()
	c.mu.Lock()
	unlock()
}

func (c *cache) handedOver() {
	c.mu.Lock()
	go func() {
		defer c.mu.Unlock()
	}()
	c.mu.Lock()
	c.mu.Unlock()
}

func list(n *node) {
	for n != nil {
		n.mu.Lock()
		next := n.next
		n.mu.Unlock()
		n = next
	}
}

type node struct {
	mu   sync.Mutex
	next *node
}

func handOverHand(n *node) {
	n.mu.Lock()
	old := n
	n = n.next
	n.mu.Lock()
	old.mu.Unlock()
	n.mu.Unlock()
}

func nobodyElse() {
	var own struct {
		sync.RWMutex
		n int
	}
	own.RLock()
	own.RLock()
	own.RUnlock()
	own.RUnlock()
}

func another() {
	var own sync.RWMutex
	go func() {
		own.Lock()
		defer own.Unlock()
	}()
	own.RLock()
	own.RLock() // want `own is locked for reading here, and is held for reading already`
	own.RUnlock()
	own.RUnlock()
}
