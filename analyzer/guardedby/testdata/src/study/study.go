// Package study has, of each category that Chabbi and Ramanathan found in Go code (PLDI 2022) and that fields can show, a race and the same code without it.
// Parallel tests are not here: the check does not look at tests.
package study

import (
	"sync"
	"time"
)

// Capture by reference: the literal of a goroutine has the object of its method.

type Poll struct {
	mu   sync.Mutex
	last string
	err  error
}

func (p *Poll) Set(s string, err error) {
	p.mu.Lock()
	p.last, p.err = s, err
	p.mu.Unlock()
}

func (p *Poll) Get() (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.last, p.err
}

func (p *Poll) Later(err error) {
	time.AfterFunc(time.Second, func() {
		p.err = err // want `write of Poll.err without Poll.mu`
	})
	go func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.last = "later"
	}()
}

// Slices: the header is replaced under the lock, and appended to without it.

type Log struct {
	mu    sync.Mutex
	lines []string
}

func (l *Log) Take() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	taken := l.lines
	l.lines = nil
	return taken
}

func (l *Log) Add(s string) {
	l.mu.Lock()
	l.lines = append(l.lines, s)
	l.mu.Unlock()
}

func (l *Log) AddAll(all []string) {
	for _, s := range all {
		l.lines = append(l.lines, s) // want `write of Log.lines without Log.mu`
	}
}

func (l *Log) Copy() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string(nil), l.lines...)
}

// Maps: a look without the lock, a length without it.

type Names struct {
	mu sync.RWMutex
	by map[string]int
}

func (n *Names) Put(s string) {
	n.mu.Lock()
	n.by[s]++
	n.mu.Unlock()
}

func (n *Names) Drop(s string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.by, s)
}

func (n *Names) Len() int {
	return len(n.by) // want `read of the content of Names.by without Names.mu`
}

func (n *Names) Of(s string) int {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return n.by[s]
}

var (
	seenMu sync.Mutex
	seen   = map[string]bool{}
)

func Mark(s string) {
	seenMu.Lock()
	defer seenMu.Unlock()
	seen[s] = true
}

func Forget(s string) {
	seenMu.Lock()
	delete(seen, s)
	seenMu.Unlock()
}

func Seen(s string) bool {
	return seen[s] // want `read of the content of seen without seenMu, which 2 of 3 accesses hold`
}

// Value and pointer confusion: a lock that each call has for itself guards nothing, an own copy needs none.

type Total struct {
	mu  sync.Mutex
	sum *int
	n   int
}

func (t *Total) Add(x int) {
	t.mu.Lock()
	t.n += x
	t.mu.Unlock()
}

func (t *Total) Reset() {
	t.mu.Lock()
	t.n = 0
	t.mu.Unlock()
}

func (t *Total) Wrong() {
	mu := t.mu // a copy
	mu.Lock()
	t.n++ // want `write of Total.n without Total.mu`
	mu.Unlock()
}

func (t Total) Value() int { return t.n }

// Mixed channels and shared memory: the message is sent before the field is set.

type Job struct {
	mu    sync.Mutex
	state string
	done  chan struct{}
}

func (j *Job) Is(s string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.state == s
}

func (j *Job) To(s string) {
	j.mu.Lock()
	j.state = s
	j.mu.Unlock()
}

func (j *Job) Go() {
	go func() {
		j.done <- struct{}{}
		j.state = "done" // want `write of Job.state without Job.mu`
	}()
}

func (j *Job) Ended() string {
	<-j.done
	return j.state
}

// Missing or partial locking: one branch, one method, one too weak lock.

type Account struct {
	mu  sync.RWMutex
	sum int
}

func (a *Account) Pay(x int) {
	a.mu.Lock()
	a.sum += x
	a.mu.Unlock()
}

func (a *Account) Sum() int {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.sum
}

func (a *Account) Close(x int) {
	a.mu.Lock()
	if x > 0 {
		a.mu.Unlock()
		a.sum -= x // want `write of Account.sum without Account.mu`
		return
	}
	a.sum = 0
	a.mu.Unlock()
}

type Rate struct {
	mu    sync.RWMutex
	calls map[string]int
}

func (r *Rate) Count(k string) {
	r.mu.RLock()
	r.calls[k]++ // want `change of the content of Rate.calls without more than a read lock of Rate.mu`
	r.mu.RUnlock()
}

func (r *Rate) Of(k string) int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.calls[k]
}

func (r *Rate) Clear(k string) {
	r.mu.Lock()
	delete(r.calls, k)
	r.mu.Unlock()
}

func (r *Rate) Set(k string, n int) {
	r.mu.Lock()
	r.calls[k] = n
	r.mu.Unlock()
}

// Group synchronization: the result is read before the group is waited for, and behind it.

type Batch struct {
	mu     sync.Mutex
	wg     sync.WaitGroup
	failed int
}

func (b *Batch) Go(f func() error) {
	b.wg.Add(1)
	go func() {
		defer b.wg.Done()
		if f() != nil {
			b.mu.Lock()
			b.failed++
			b.mu.Unlock()
		}
	}()
}

func (b *Batch) Fail() {
	b.mu.Lock()
	b.failed++
	b.mu.Unlock()
}

func (b *Batch) Early() int {
	n := b.failed // want `read of Batch.failed without Batch.mu`
	b.wg.Wait()
	return n
}

func (b *Batch) Wait() int {
	b.wg.Wait()
	return b.failed
}

type Recent struct {
	mu   sync.RWMutex
	data map[string]int
	last map[string]time.Time
}

func (s *Recent) Load(k string) int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	s.last[k] = time.Now() // want `change of the content of Recent.last without more than a read lock of Recent.mu`
	return s.data[k]
}

func (s *Recent) Store(k string, n int) {
	s.mu.Lock()
	s.last[k] = time.Now()
	s.data[k] = n
	s.mu.Unlock()
}

func (s *Recent) Drop(k string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.data, k)
	delete(s.last, k)
}
