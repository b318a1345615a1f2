// Package atomicity has functions that are meant to be atomic, and are marked so. In each every
// access is protected, and nothing races; but a lock that is given back between what belongs
// together lets others come between.
package atomicity

import (
	"sync"
	"testing"

	"github.com/racepred/racepred/examples/internal/sched"
)

type account struct {
	mu      sync.Mutex
	balance int
}

func (a *account) deposit(n int) {
	a.mu.Lock()
	a.balance += n
	a.mu.Unlock()
}

func (a *account) close() (rest int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	rest = a.balance
	a.balance = 0
	return rest
}

func (a *account) has() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.balance
}

// withdraw looks in one section and acts in the next.
//
//racepred:atomic
func (a *account) withdraw(n int) bool {
	if a.has() < n {
		return false
	}
	a.deposit(-n)
	return true
}

// withdrawAtOnce does so in one section.
//
//racepred:atomic
func (a *account) withdrawAtOnce(n int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.balance < n {
		return false
	}
	a.balance -= n
	return true
}

// Between the look at the balance and the withdrawal another goroutine deposits: harmless here, but
// the balance has changed.
func TestAtomicityWithdraw(t *testing.T) {
	a := account{balance: 100}
	sched.InTurn(
		func() { a.withdraw(60) },
		func() { a.deposit(1) },
	)
}

// One section for both is atomic.
func TestNoRaceWithdrawAtOnce(t *testing.T) {
	a := account{balance: 100}
	sched.InTurn(
		func() { a.withdrawAtOnce(60) },
		func() { a.deposit(1) },
	)
}

// bank keeps two accounts.
type bank struct{ from, to account }

// transfer takes from one account and gives to the other: in between the money is nowhere.
//
//racepred:atomic
func (b *bank) transfer(n int) {
	b.from.deposit(-n)
	b.to.deposit(n)
	b.from.has()
}

// transferLocked holds both locks all the time.
//
//racepred:atomic
func (b *bank) transferLocked(n int) {
	b.from.mu.Lock()
	defer b.from.mu.Unlock()
	b.to.mu.Lock()
	defer b.to.mu.Unlock()
	b.from.balance -= n
	b.to.balance += n
	_ = b.from.balance
}

// Somebody deposits in the middle of a transfer, which then finds another balance than it left.
func TestAtomicityTransfer(t *testing.T) {
	b := bank{from: account{balance: 100}}
	sched.InTurn(
		func() { b.transfer(10) },
		func() { b.from.deposit(5) },
	)
}

// No other goroutine comes between the steps under both locks.
func TestNoRaceTransferLocked(t *testing.T) {
	b := bank{from: account{balance: 100}}
	sched.InTurn(
		func() { b.transferLocked(10) },
		func() { b.from.deposit(5) },
		func() { b.to.close() },
	)
}

// pot is what two may take from at the same time.
type pot struct {
	mu   sync.Mutex
	left int
}

// take waits between the look and the taking.
//
//racepred:atomic
func (p *pot) take(n int) {
	p.mu.Lock()
	enough := p.left >= n
	p.mu.Unlock()
	if enough {
		sched.Rest(2)
		p.mu.Lock()
		p.left -= n
		p.mu.Unlock()
	}
}

// Two take at the same time what is there for one of them only: the run shows it.
func TestAtomicityTwice(t *testing.T) {
	p := pot{left: 100}
	take := func() { p.take(60) }
	sched.InTurn(take, take)
}

// marked is f as one step.
func marked(f func()) func() {
	return func() { step(f) }
}

//racepred:atomic
func step(f func()) { f() }

// A call that only reads, and reads once, is always one step.
func TestNoRaceOneLook(t *testing.T) {
	a := account{balance: 100}
	look := marked(func() { a.has() })
	sched.InTurn(look, func() { a.deposit(1) }, look)
}

// What a goroutine does that the call starts is no part of it.
func TestNoRaceStarted(t *testing.T) {
	a := account{balance: 100}
	var others sync.WaitGroup
	start := marked(func() {
		a.has()
		others.Go(func() { a.deposit(1) })
	})
	sched.InTurn(start, func() { a.has() })
	others.Wait()
}
