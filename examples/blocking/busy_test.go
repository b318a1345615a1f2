package blocking

import (
	"math/big"
	"strings"
	"sync"
	"testing"

	"github.com/racepred/racepred/examples/internal/sched"
)

// Busy code takes two locks, one in the other, and rare code takes them the other way round. Not
// every access of the busy code is recorded. So sections of its locks keep their order with it,
// except that a goroutine may take locks earlier as long as it does nothing else.

type ledger struct {
	mu   sync.Mutex
	paid int
}

func pay(from, to *ledger) {
	from.mu.Lock()
	to.mu.Lock()
	from.paid--
	to.paid++
	to.mu.Unlock()
	from.mu.Unlock()
}

const payments = 6000

// payBack runs the rare code when another goroutine has made its payments from a to b.
func payBack(rare func(a, b *ledger)) {
	a, b := &ledger{}, &ledger{}
	sched.InTurn(func() {
		for range payments {
			pay(a, b)
		}
	}, func() {
		sched.Rest(1)
		rare(a, b)
	})
}

// Each payment takes the locks in the order of the money; the correction goes the other way.
func TestDeadlockBesideBusyCode(t *testing.T) {
	payBack(func(a, b *ledger) {
		b.mu.Lock()
		a.mu.Lock()
		a.paid++
		a.mu.Unlock()
		b.mu.Unlock()
	})
}

// The rare payment is made by the busy code's function.
func TestDeadlockOfBusyCode(t *testing.T) {
	payBack(func(a, b *ledger) { pay(b, a) })
}

// A gate keeps the two ways apart.
func TestNoRaceBusyCodeBehindGate(t *testing.T) {
	var gate sync.Mutex
	a, b := &ledger{}, &ledger{}
	sched.InTurn(func() {
		for range payments {
			gate.Lock()
			pay(a, b)
			gate.Unlock()
		}
	}, func() {
		sched.Rest(1)
		gate.Lock()
		pay(b, a)
		gate.Unlock()
	})
}

// The correction follows when all is paid: then no payment is left that could wait for it.
func TestNoRaceBusyCodeIfAllIsPaid(t *testing.T) {
	payBack(func(a, b *ledger) {
		b.mu.Lock()
		if b.paid == payments {
			pay(new(ledger), a)
		}
		b.mu.Unlock()
	})
}

// The same, and code that is not recorded looks whether all is paid.
func TestNoRaceBusyCodeIfOthersSeeAllPaid(t *testing.T) {
	payBack(func(a, b *ledger) {
		b.mu.Lock()
		defer b.mu.Unlock()
		if big.NewInt(int64(b.paid)).String() == "6000" && strings.Contains("paid", "aid") {
			a.mu.Lock()
			a.paid++
			a.mu.Unlock()
		}
	})
}

// The same, and the look is busy, too.
func TestNoRaceBusyCodeIfManyLooksSeeAllPaid(t *testing.T) {
	all := func(l *ledger) bool { return l.paid == payments }
	payBack(func(a, b *ledger) {
		for range payments {
			b.mu.Lock()
			if all(b) {
				a.mu.Lock()
				a.paid++
				a.mu.Unlock()
			}
			b.mu.Unlock()
		}
	})
}

// The look is another goroutine's, which the section waits for.
func TestNoRaceBusyCodeIfAnotherSeesAllPaid(t *testing.T) {
	payBack(func(a, b *ledger) {
		paid := make(chan bool)
		b.mu.Lock()
		go func() { paid <- b.paid == payments }()
		if <-paid {
			a.mu.Lock()
			a.paid++
			a.mu.Unlock()
		}
		b.mu.Unlock()
	})
}

// A lock between the two is taken after the look.
func TestNoRaceBusyCodeIfAllIsPaidAndMore(t *testing.T) {
	var c sync.Mutex
	payBack(func(a, b *ledger) {
		b.mu.Lock()
		all := b.paid == payments
		c.Lock()
		if all {
			a.mu.Lock()
			a.paid++
			a.mu.Unlock()
		}
		c.Unlock()
		b.mu.Unlock()
	})
}

// The correction takes a third lock between the two, in read mode.
func TestDeadlockBesideBusyCodeAndLock(t *testing.T) {
	var c sync.RWMutex
	payBack(func(a, b *ledger) {
		b.mu.Lock()
		c.RLock()
		a.mu.Lock()
		a.paid++
		a.mu.Unlock()
		c.RUnlock()
		b.mu.Unlock()
	})
}

type shelf struct {
	mu    sync.RWMutex
	books int
}

func move(from, to *shelf) {
	from.mu.Lock()
	to.mu.Lock()
	from.books--
	to.books++
	to.mu.Unlock()
	from.mu.Unlock()
}

// moveBooks runs the reader when another goroutine has moved its books from a to b.
func moveBooks(reader func(a, b *shelf)) {
	a, b := &shelf{}, &shelf{}
	sched.InTurn(func() {
		for range payments {
			move(a, b)
		}
	}, func() {
		sched.Rest(1)
		reader(a, b)
	})
}

// Books are moved from shelf to shelf, and somebody reads both shelves in the other order.
func TestDeadlockOfReaderBesideBusyCode(t *testing.T) {
	moveBooks(func(a, b *shelf) {
		b.mu.RLock()
		a.mu.RLock()
		_ = a.books
		a.mu.RUnlock()
		b.mu.RUnlock()
	})
}

// The reader goes to the other shelf when all books are there.
func TestNoRaceReaderIfAllIsThere(t *testing.T) {
	moveBooks(func(a, b *shelf) {
		b.mu.RLock()
		if b.books == payments {
			a.mu.RLock()
			_ = a.books
			a.mu.RUnlock()
		}
		b.mu.RUnlock()
	})
}

type lockOf[T any] struct {
	*sync.Mutex
	_ T
}

// The correction takes the lock that a value in an interface leads to: the account's only when all
// is paid.
func TestNoRaceBusyCodeIfItIsTheLock(t *testing.T) {
	a, b, none := &ledger{}, &ledger{}, &sync.Mutex{}
	last := &lockOf[int]{Mutex: none}
	var lock sync.Locker = last
	sched.InTurn(func() {
		for i := range payments {
			a.mu.Lock()
			b.mu.Lock()
			b.paid++
			if i == payments-1 {
				last.Mutex = &a.mu
			}
			b.mu.Unlock()
			a.mu.Unlock()
		}
	}, func() {
		sched.Rest(1)
		b.mu.Lock()
		lock.Lock()
		lock.Unlock()
		b.mu.Unlock()
	})
}

// Each of three goroutines takes two of three locks; two of them are busy.
func TestDeadlockOfThreeBesideBusyCode(t *testing.T) {
	a, b, c := &ledger{}, &ledger{}, &ledger{}
	many := func(from, to *ledger) func() {
		return func() {
			for range payments {
				pay(from, to)
			}
		}
	}
	sched.InTurn(many(a, b), many(b, c), func() {
		sched.Rest(1)
		c.mu.Lock()
		a.mu.Lock()
		a.paid++
		a.mu.Unlock()
		c.mu.Unlock()
	})
}
