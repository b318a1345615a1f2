// Package a has accesses without the lock that guards what they access.
package a

import (
	"sort"
	"sync"
	"time"
)

// Missing locks.

type Counter struct {
	mu sync.Mutex
	n  int
	by map[string]int
}

func (c *Counter) Add(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	c.by[name]++
}

func (c *Counter) Reset() {
	c.mu.Lock()
	c.n = 0
	c.by = map[string]int{}
	c.mu.Unlock()
}

func (c *Counter) Get() int {
	return c.n // want `read of Counter.n without Counter.mu, which 2 of 3 accesses hold`
}

func (c *Counter) Of(name string) int {
	return c.by[name] // want `read of Counter.by without Counter.mu`
}

// A lock that is given back too early.

type Early struct {
	mu   sync.Mutex
	list []int
}

func (e *Early) Put(x int) {
	e.mu.Lock()
	e.list = append(e.list, x)
	e.mu.Unlock()
}

func (e *Early) Take() int {
	e.mu.Lock()
	n := len(e.list)
	e.mu.Unlock()
	if n == 0 {
		return 0
	}
	x := e.list[0]
	e.list = e.list[1:] // want `write of Early.list without Early.mu`
	return x
}

func (e *Early) Len() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.list)
}

func (e *Early) Clear() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.list = nil
}

// On one of two ways only.

type Branch struct {
	sync.RWMutex
	v int
}

func (b *Branch) Set(v int) {
	b.Lock()
	b.v = v
	b.Unlock()
}

func (b *Branch) Get(fast bool) int {
	if !fast {
		b.RLock()
		defer b.RUnlock()
		return b.v
	}
	return b.v // want `read of Branch.v without Branch.RWMutex, which 2 of 3 accesses hold`
}

// A write under a read lock.

type Reader struct {
	mu   sync.RWMutex
	hits int
}

func (r *Reader) Hit() {
	r.mu.RLock()
	defer r.mu.RUnlock()
	r.hits++ // want `write of Reader.hits without more than a read lock of Reader.mu`
}

func (r *Reader) Hits() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.hits
}

func (r *Reader) Zero() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hits = 0
}

// A goroutine that the constructor starts.

type Ticker struct {
	mu    sync.Mutex
	ticks int
}

func NewTicker() *Ticker {
	t := &Ticker{ticks: 1}
	t.ticks = 2
	go t.loop()
	return t
}

func (t *Ticker) loop() {
	for range time.Tick(time.Second) {
		t.ticks++ // want `write of Ticker.ticks without Ticker.mu, which 2 of 3 accesses hold`
	}
}

func (t *Ticker) Ticks() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.ticks
}

func (t *Ticker) Stop() {
	t.mu.Lock()
	t.ticks = -1
	t.mu.Unlock()
}

// A helper that needs the lock.

type Helped struct {
	mu sync.Mutex
	n  int
}

func (h *Helped) bump() {
	h.n++ // want `write of Helped.n without Helped.mu`
}

func (h *Helped) A() {
	h.mu.Lock()
	h.bump()
	h.mu.Unlock()
}

func (h *Helped) B() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.bump()
	h.n = 0
}

func (h *Helped) C() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.n = 7
}

func (h *Helped) D() {
	h.bump()
}

// A package variable.

var (
	tableMu sync.Mutex
	table   = map[string]int{}
)

func Register(name string) {
	tableMu.Lock()
	defer tableMu.Unlock()
	table[name] = len(table)
}

func Lookup(name string) int {
	tableMu.Lock()
	defer tableMu.Unlock()
	return table[name]
}

func Forget(name string) {
	tableMu.Lock()
	defer tableMu.Unlock()
	delete(table, name)
}

func Names() []string {
	var names []string
	for n := range table { // want `read of the content of table without tableMu`
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// What a comment says.

type Said struct {
	mu sync.Mutex
	a  int // guarded by mu
	//racepred:guardedby mu
	b int
	c int //racepred:guardedby nu // want `there is no mutex of this name`
}

func (s *Said) Set() {
	s.mu.Lock()
	s.a, s.b, s.c = 1, 2, 3
	s.mu.Unlock()
}

func (s *Said) Get() (int, int) {
	return s.a, s.b // want `read of Said.a without Said.mu, which guards it as its comment says` `read of Said.b without Said.mu`
}

// A lock of wrappers.

type Wrapped struct {
	mu sync.Mutex
	n  int
}

func (w *Wrapped) lock()   { w.mu.Lock() }
func (w *Wrapped) unlock() { w.mu.Unlock() }

func (w *Wrapped) Inc() {
	w.lock()
	defer w.unlock()
	w.n++
}

func (w *Wrapped) Dec() {
	w.lock()
	w.n--
	w.unlock()
	w.n-- // want `write of Wrapped.n without Wrapped.mu`
}

func (w *Wrapped) Zero() {
	w.lock()
	w.n = 0
	w.unlock()
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

func (w *Cell) Get() int {
	return w.x // want `read of Cell.x without Cell.mu`
}

// A channel that wakes somebody up is no lock.

type Queue struct {
	wake  chan struct{}
	mu    sync.Mutex
	elems []int
}

func NewQueue() *Queue { return &Queue{wake: make(chan struct{}, 1)} }

func (q *Queue) Put(x int) {
	q.mu.Lock()
	q.elems = append(q.elems, x)
	q.mu.Unlock()
	q.notify()
	if len(q.elems) > 10 { // want `read of Queue.elems without Queue.mu`
		<-q.wake
	}
}

func (q *Queue) Clear() {
	q.mu.Lock()
	q.elems = nil
	q.mu.Unlock()
	q.notify()
}

func (q *Queue) notify() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// A comment says it.

type Worded struct {
	mu sync.Mutex
	// n counts what has been said.
	// It is guarded by mu.
	n int
	// m is protected by the mu lock (see Set)
	m int
	k int // nil if there is none; guarded by mu
}

func (s *Worded) Set() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n, s.m, s.k = 1, 1, 1
}

func (s *Worded) N() int { return s.n } // want `read of Worded.n without Worded.mu, which guards it as its comment says`
func (s *Worded) M() int { return s.m } // want `read of Worded.m without Worded.mu, which guards it as its comment says`
func (s *Worded) K() int { return s.k } // want `read of Worded.k without Worded.mu, which guards it as its comment says`

// Names that begin or end like those of constructors.

type IndexBuilder struct {
	mu   sync.Mutex
	docs map[string]int
}

func (b *IndexBuilder) Add(s string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.docs[s]++
}

func (b *IndexBuilder) Del(s string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.docs, s)
}

func (b *IndexBuilder) Len() int { return len(b.docs) } // want `read of the content of IndexBuilder.docs without IndexBuilder.mu`

type Jobs struct {
	mu    sync.Mutex
	jobs  []int
	state int
}

func (j *Jobs) Put(i int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.jobs = append(j.jobs, i)
	j.state++
}

func (j *Jobs) Take() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.state--
	i := j.jobs[0]
	j.jobs = j.jobs[1:]
	return i
}

func (j *Jobs) StartJob(i int) {
	j.jobs = append(j.jobs, i) // want `write of Jobs.jobs without Jobs.mu`
	go j.Put(i)
}

func (j *Jobs) Reset() { j.initial() }

func (j *Jobs) initial() { j.state = 0 } // want `write of Jobs.state without Jobs.mu`
