// Package a takes locks in different orders.
package a

import "sync"

type Account struct {
	Mu sync.Mutex
	n  int
}

type Bank struct {
	mu  sync.Mutex
	sum int
}

func (a *Account) Audit(b *Bank) {
	a.Mu.Lock()
	defer a.Mu.Unlock()
	b.mu.Lock() // want `Bank.mu is locked while Account.Mu is held, and elsewhere Account.Mu while Bank.mu is held`
	b.sum += a.n
	b.mu.Unlock()
}

func (b *Bank) Pay(a *Account) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.add(a)
}

func (b *Bank) add(a *Account) {
	a.Mu.Lock()
	a.n++
	a.Mu.Unlock()
}

// Two of one type.

func (a *Account) Transfer(to *Account) {
	a.Mu.Lock()
	defer a.Mu.Unlock()
	to.Mu.Lock() // want `Account.Mu of to is locked while that of a is held`
	defer to.Mu.Unlock()
	a.n--
	to.n++
}

// Three, of the package.

var first, second, third sync.Mutex

func One() {
	first.Lock()
	second.Lock() // want `second is locked while first is held, and elsewhere third while second is held, and first while third is held`
	second.Unlock()
	first.Unlock()
}

func Two() {
	second.Lock()
	third.Lock()
	third.Unlock()
	second.Unlock()
}

func Three() {
	third.Lock()
	first.Lock()
	first.Unlock()
	third.Unlock()
}

// Registry is for package b.
type Registry struct{ mu sync.RWMutex }

// Each calls nothing, and takes the registry's lock.
func (r *Registry) Each() {
	r.mu.RLock()
	defer r.mu.RUnlock()
}

// Lock holds the account while it takes the registry.
func (r *Registry) With(a *Account) {
	r.mu.Lock()
	defer r.mu.Unlock()
	a.Mu.Lock()
	a.Mu.Unlock()
}
