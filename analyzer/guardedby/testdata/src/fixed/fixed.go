// Package fixed has accesses that a lock around them mends, and some that are more than that.
package fixed

import "sync"

type Counter struct {
	mu sync.RWMutex
	n  int
	by map[string]int
}

func (c *Counter) Add(k string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	c.by[k]++
}

func (c *Counter) Drop(k string) {
	c.mu.Lock()
	c.n--
	delete(c.by, k)
	c.mu.Unlock()
}

func (c *Counter) Get() int { return c.n } // want `read of Counter.n without Counter.mu`

func (c *Counter) Of(k string) int {
	n := c.by[k] // want `read of the content of Counter.by without Counter.mu`
	return n
}

type Queue struct {
	mu    sync.Mutex
	items []int
	done  func()
}

func (q *Queue) Push(x int) {
	q.mu.Lock()
	q.items = append(q.items, x)
	q.mu.Unlock()
}

func (q *Queue) Pop() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	x := q.items[0]
	q.items = q.items[1:]
	return x
}

func (q *Queue) Clear() {
	q.items = nil // want `write of Queue.items without Queue.mu`
	q.done()
}

var (
	mu    sync.Mutex
	names = map[string]int{}
)

func Put(k string) {
	mu.Lock()
	defer mu.Unlock()
	names[k] = len(names)
}

func Drop(k string) {
	mu.Lock()
	delete(names, k)
	mu.Unlock()
}

func Clear() {
	clear(names) // want `change of the content of names without mu`
}
