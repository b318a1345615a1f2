// Package clean has the same shapes without a mistake.
package clean

import "sync"

type A struct{ mu sync.Mutex }

type B struct{ mu sync.Mutex }

// Always the same order.

func One(a *A, b *B) {
	a.mu.Lock()
	b.mu.Lock()
	b.mu.Unlock()
	a.mu.Unlock()
}

func Two(a *A, b *B) {
	a.mu.Lock()
	defer a.mu.Unlock()
	b.mu.Lock()
	defer b.mu.Unlock()
}

// The first is given back before.

func Three(a *A, b *B) {
	b.mu.Lock()
	b.mu.Unlock()
	a.mu.Lock()
	a.mu.Unlock()
	b.mu.Lock()
	b.mu.Unlock()
}

// TryLock does not wait.

func Four(a *A, b *B) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if a.mu.TryLock() {
		a.mu.Unlock()
	}
}

// A gate.

var gate sync.Mutex

type C struct{ mu sync.Mutex }

type D struct{ mu sync.Mutex }

func Five(c *C, d *D) {
	gate.Lock()
	defer gate.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	d.mu.Lock()
	defer d.mu.Unlock()
}

func Six(c *C, d *D) {
	gate.Lock()
	defer gate.Unlock()
	d.mu.Lock()
	defer d.mu.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
}

// Both for reading only.

type E struct{ mu sync.RWMutex }

type F struct{ mu sync.RWMutex }

func Seven(e *E, f *F) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	f.mu.RLock()
	defer f.mu.RUnlock()
}

func Eight(e *E, f *F) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	e.mu.RLock()
	defer e.mu.RUnlock()
}

// What was just made is not waited for.

func Nine(b *B) *A {
	a := &A{}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a
}

func Ten(b *B) *A {
	b.mu.Lock()
	defer b.mu.Unlock()
	return Nine(b)
}

// One goroutine takes both orders.

type G struct{ mu sync.Mutex }

type H struct{ mu sync.Mutex }

func start(g *G, h *H) { go loop(g, h) }

func loop(g *G, h *H) {
	g.mu.Lock()
	h.mu.Lock()
	h.mu.Unlock()
	g.mu.Unlock()
	h.mu.Lock()
	g.mu.Lock()
	g.mu.Unlock()
	h.mu.Unlock()
}

// In an order that is looked up.

type K struct {
	mu sync.Mutex
	id int
}

func (k *K) Merge(l *K) {
	if k.id > l.id {
		k, l = l, k
	}
	k.mu.Lock()
	l.mu.Lock()
	l.mu.Unlock()
	k.mu.Unlock()
}

var _ = start

// What is deferred before the lock is taken runs when it is given back.

type M struct{ mu sync.Mutex }

type N struct{ mu sync.Mutex }

func (m *M) Eleven(n *N) {
	defer func() {
		n.mu.Lock()
		n.mu.Unlock()
	}()
	m.mu.Lock()
	defer m.mu.Unlock()
}

func (n *N) Twelve(m *M) {
	n.mu.Lock()
	defer n.mu.Unlock()
	m.mu.Lock()
	m.mu.Unlock()
}
