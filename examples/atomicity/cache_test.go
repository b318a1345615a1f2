package atomicity

import (
	"sync"
	"testing"

	"github.com/racepred/racepred/examples/internal/sched"
)

// lazy computes a value when it is first asked for, and forgets it when it is told so.
type lazy struct {
	mu     sync.Mutex
	value  *int
	source int
}

func (l *lazy) change(source int) {
	l.mu.Lock()
	l.source = source
	l.value = nil
	l.mu.Unlock()
}

// get computes without the lock, and stores what may be out of date by then.
//
//racepred:atomic
func (l *lazy) get() int {
	l.mu.Lock()
	v, source := l.value, l.source
	l.mu.Unlock()
	if v != nil {
		return *v
	}
	n := source * source
	l.mu.Lock()
	l.value = &n
	l.mu.Unlock()
	return n
}

// getLocked computes under the lock.
//
//racepred:atomic
func (l *lazy) getLocked() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.value == nil {
		n := l.source * l.source
		l.value = &n
	}
	return *l.value
}

// The source changes while the value is computed, and the old value stays.
func TestAtomicityLazyCache(t *testing.T) {
	l := lazy{source: 3}
	sched.InTurn(
		func() { l.get() },
		func() { l.change(4) },
	)
}

// Under the lock the value is that of the source.
func TestNoRaceLazyCache(t *testing.T) {
	l := lazy{source: 3}
	sched.InTurn(
		func() { l.getLocked() },
		func() { l.change(4) },
	)
}

// table is a map with a lock.
type table struct {
	mu sync.RWMutex
	m  map[string]int
}

func (s *table) contains(k string) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	_, ok := s.m[k]
	return ok
}

func (s *table) put(k string, v int) {
	s.mu.Lock()
	s.m[k] = v
	s.mu.Unlock()
}

// putNew puts what is not there, as far as it knows.
//
//racepred:atomic
func (s *table) putNew(k string, v int) {
	if !s.contains(k) {
		s.put(k, v)
	}
}

// putNewLocked looks and puts in one section.
//
//racepred:atomic
func (s *table) putNewLocked(k string, v int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.m[k]; !ok {
		s.m[k] = v
	}
}

// Somebody else puts the key after it was not found.
func TestAtomicityContainsThenPut(t *testing.T) {
	s := table{m: map[string]int{}}
	sched.InTurn(
		func() { s.putNew("k", 1) },
		func() { s.put("k", 2) },
	)
}

// Looking and putting in one section is atomic.
func TestNoRaceContainsThenPut(t *testing.T) {
	s := table{m: map[string]int{}}
	sched.InTurn(
		func() { s.putNewLocked("k", 1) },
		func() { s.put("k", 2) },
	)
}

// page is a slice of bytes that is replaced now and then.
type page struct {
	mu   sync.RWMutex
	data []byte
}

func (p *page) set(b []byte) {
	p.mu.Lock()
	p.data = b
	p.mu.Unlock()
}

// read takes the bytes under one read lock and their number under the next.
//
//racepred:atomic
func (p *page) read() ([]byte, int) {
	p.mu.RLock()
	data := p.data
	p.mu.RUnlock()
	p.mu.RLock()
	n := len(p.data)
	p.mu.RUnlock()
	return data, n
}

// readAtOnce takes both under one.
//
//racepred:atomic
func (p *page) readAtOnce() ([]byte, int) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.data, len(p.data)
}

// The page is replaced between the bytes and their number.
func TestAtomicityBytesThenLength(t *testing.T) {
	p := page{data: make([]byte, 8)}
	sched.InTurn(
		func() { p.read() },
		func() { p.set(make([]byte, 2)) },
	)
}

// Both under one read lock belong together.
func TestNoRaceBytesAndLength(t *testing.T) {
	p := page{data: make([]byte, 8)}
	sched.InTurn(
		func() { p.readAtOnce() },
		func() { p.set(make([]byte, 2)) },
	)
}
