// Package account has one method that forgets the lock.
package account

import "sync"

// Account is a balance.
type Account struct {
	mu      sync.Mutex
	balance int
}

// Deposit adds to the balance.
func (a *Account) Deposit(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.balance += n
}

// Balance forgets the lock.
func (a *Account) Balance() int { return a.balance }
