package cache

func (c *cache) start() { go c.put() }

func (c *cache) put() {
	c.mu.Lock()
	c.n++ // "<&>"
	c.mu.Unlock()
	c.n--
}
