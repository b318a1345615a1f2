// Package clean has the same shapes without a mistake.
package clean

import (
	"sync"
	"sync/atomic"
)

// Constructors, and what they call, have the object for themselves.

type Cache struct {
	mu    sync.Mutex
	items map[string]int
	size  int
	once  sync.Once
	conf  int
}

func New() *Cache {
	c := &Cache{}
	c.reset()
	c.size = 1
	return c
}

func NewBig() *Cache {
	c := New()
	c.size = 100
	return c
}

func (c *Cache) reset() {
	c.items = map[string]int{}
}

func (c *Cache) Put(k string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.items[k]++
	c.size++
}

func (c *Cache) Get(k string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.items[k] + c.size
}

// grow is called with c.mu held.
func (c *Cache) grow() { c.size *= 2 }

func (c *Cache) shrinkLocked() { c.size /= 2 }

func (c *Cache) Both() {
	c.mu.Lock()
	c.grow()
	c.shrinkLocked()
	c.twice()
	c.mu.Unlock()
}

// all callers have the lock, and this one says nothing of it
func (c *Cache) twice() { c.size *= 2 }

func (c *Cache) Conf() int {
	c.once.Do(func() { c.conf = 7 })
	return c.conf
}

// What is only read after it was made needs no lock.

type Named struct {
	mu   sync.Mutex
	name string
	n    int
}

func NewNamed(name string) *Named { return &Named{name: name} }

func (n *Named) Name() string { return n.name }

func (n *Named) Inc() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.n++
	return n.name
}

func (n *Named) Dec() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.n--
	return n.name
}

// A lock around a function.

type With struct {
	mu sync.Mutex
	n  int
}

func (w *With) with(f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f()
}

func (w *With) Inc()  { w.with(func() { w.n++ }) }
func (w *With) Dec()  { w.with(func() { w.n-- }) }
func (w *With) Zero() { w.with(func() { w.n = 0 }) }

// One goroutine alone writes, and reads without the lock what it wrote.

type Loop struct {
	mu   sync.Mutex
	last int
}

func NewLoop(ch chan int) *Loop {
	l := &Loop{}
	go l.run(ch)
	return l
}

func (l *Loop) run(ch chan int) {
	for x := range ch {
		if x > l.last {
			l.mu.Lock()
			l.last = x
			l.mu.Unlock()
		}
	}
}

func (l *Loop) Last() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last
}

// What a wait orders.

type Waits struct {
	mu   sync.Mutex
	done chan struct{}
	err  error
}

func (w *Waits) Fail(err error) {
	w.mu.Lock()
	w.err = err
	w.mu.Unlock()
	close(w.done)
}

func (w *Waits) Peek() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

func (w *Waits) Err(stop chan int) error {
	select {
	case <-w.done:
		return w.err
	case <-stop:
		return nil
	}
}

// Values that come by a channel, and atomic ones.

type Job struct {
	mu sync.Mutex
	n  int
	at int64
}

func (j *Job) A() { j.mu.Lock(); j.n++; atomic.AddInt64(&j.at, 1); j.mu.Unlock() }
func (j *Job) B() { j.mu.Lock(); j.n--; j.at = 0; j.mu.Unlock() }
func (j *Job) C() { j.mu.Lock(); j.n = 0; j.at = 1; j.mu.Unlock() }

func Work(jobs chan *Job) int {
	j := <-jobs
	return j.n
}

func (j *Job) At() int64 { return atomic.LoadInt64(&j.at) }

// TryLock.

func (j *Job) Try() int {
	if !j.mu.TryLock() {
		return 0
	}
	defer j.mu.Unlock()
	return j.n
}

// Elements in a heap are compared under the lock of their list.

type list struct {
	mu    sync.Mutex
	elems []int
}

func (l *list) Len() int           { return len(l.elems) }
func (l *list) Less(i, j int) bool { return l.elems[i] < l.elems[j] }
func (l *list) Swap(i, j int)      { l.elems[i], l.elems[j] = l.elems[j], l.elems[i] }

func (l *list) add(x int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.elems = append(l.elems, x)
}

func (l *list) first() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.elems[0]
}

var _ = (*list).add
var _ = (*list).first

// Waived.

func (w *With) Peek() int {
	return w.n //racepred:ignore an old value will do
}

// A builder belongs to who builds.

type Listener struct {
	mu   sync.Mutex
	addr string
}

func (l *Listener) Addr() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.addr
}

func (l *Listener) Move(a string) {
	l.mu.Lock()
	l.addr = a
	l.mu.Unlock()
}

type ListenerBuilder struct{ l *Listener }

func (b *ListenerBuilder) At(a string) *ListenerBuilder {
	b.l.addr = a
	return b
}

// What starts the goroutines sets up what they use.

type Meter struct {
	mu   sync.Mutex
	hist []int
	quit chan struct{}
}

func (m *Meter) Start() {
	m.quit = make(chan struct{})
	m.hist = make([]int, 0, 10)
	go m.run()
}

func (m *Meter) run() {
	for range m.quit {
		m.mu.Lock()
		m.hist = append(m.hist, 1)
		m.mu.Unlock()
	}
}

func (m *Meter) Hist() []int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]int(nil), m.hist...)
}

// The lock and its release are chosen.

type View struct {
	mu sync.RWMutex
	m  map[int]int
}

func (v *View) Put(k int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.m[k] = k
}

func (v *View) Get(k int) int {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.m[k]
}

func (v *View) Size(readOnly bool) int {
	lock, unlock := v.mu.Lock, v.mu.Unlock
	if readOnly {
		lock, unlock = v.mu.RLock, v.mu.RUnlock
	}
	lock()
	defer unlock()
	return len(v.m)
}

// A mutex of the package's own.

type counted struct {
	sync.Mutex
	n int
}

func (c *counted) Lock() {
	c.Mutex.Lock()
	c.n++
}

type Cell struct {
	mu counted
	x  int
}

func (w *Cell) Set(x int) {
	w.mu.Lock()
	w.x = x
	w.mu.Unlock()
}

func (w *Cell) Add(x int) {
	w.mu.Lock()
	w.x += x
	w.mu.Unlock()
}

// A channel with room for one is a lock.

type Config struct {
	turn  chan struct{}
	mu    sync.Mutex
	conf  map[string]string
	stamp int
}

func NewConfig() *Config {
	return &Config{turn: make(chan struct{}, 1), conf: map[string]string{}}
}

func (c *Config) Get(k string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.conf[k]
}

func (c *Config) Stamp() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stamp
}

func (c *Config) Update(now int) {
	if !c.try() {
		return
	}
	defer c.done()
	if c.stamp == now {
		return
	}
	c.mu.Lock()
	c.stamp = now
	c.conf = map[string]string{}
	c.mu.Unlock()
}

func (c *Config) Force(now int) {
	c.turn <- struct{}{}
	old := c.stamp
	c.mu.Lock()
	c.stamp = max(old, now)
	c.mu.Unlock()
	<-c.turn
}

func (c *Config) try() bool {
	select {
	case c.turn <- struct{}{}:
		return true
	default:
		return false
	}
}

func (c *Config) done() { <-c.turn }

// What its comment says of a type holds for its methods.

type State struct {
	mu sync.Mutex
	n  int
}

func (s *State) Set(n int) {
	s.mu.Lock()
	s.n = n
	s.mu.Unlock()
}

func (s *State) Inc() {
	s.mu.Lock()
	s.n++
	s.mu.Unlock()
}

// A Driver moves a State forward.
//
// Methods of Driver are not safe for concurrent use, and nobody else moves the State.
type Driver struct{ s *State }

func (d *Driver) At() int { return d.s.n }

// English that is no annotation.

type Prose struct {
	mu sync.Mutex
	// hits is not guarded by mu: the loop alone uses it.
	hits int
	// limit was guarded by mu before it was set once.
	limit int
	// name need not be
	// guarded by mu.
	name string
	addr string // once set, it is only guarded by mu during start
	n    int    // guarded by mu, unless the server is closed
	m    int    // whether m is guarded by mu depends on the mode
	k    int    // No longer protected by mu.
	l    int    // unlike hits, which is guarded by mu, l needs nothing
	o    int    // writes are guarded by mu; reads are atomic
	p    int    // guarded by mu when shared
	q    int    // guarded by mu or other
}

func (p *Prose) Loop() {
	p.hits++
	p.limit++
	p.name += "x"
	p.addr += "x"
	p.n++
	p.m++
	p.k++
	p.l++
	p.o++
	p.p++
	p.q++
}

func (p *Prose) Reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hits, p.limit, p.name, p.addr, p.n, p.m, p.k, p.l, p.o, p.p, p.q = 0, 0, "", "", 0, 0, 0, 0, 0, 0, 0
}

// What waits for all of its goroutines reads what they wrote.

type Crawl struct {
	mu   sync.Mutex
	seen map[string]int
	done chan bool
}

func (c *Crawl) visit(u string) {
	c.mu.Lock()
	c.seen[u]++
	c.mu.Unlock()
	c.done <- true
}

func (c *Crawl) Has(u string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.seen[u] > 0
}

func (c *Crawl) All(urls []string) int {
	for _, u := range urls {
		go c.visit(u)
	}
	for range urls {
		<-c.done
	}
	return len(c.seen)
}
