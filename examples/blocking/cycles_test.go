// Package blocking has goroutines that may wait for each other, or that wait in vain: kernels of
// the blocking bugs that studies of Go programs report, each with the program that its authors
// meant.
package blocking

import (
	"sync"
	"testing"

	"github.com/racepred/racepred/examples/internal/sched"
)

type account struct {
	mu      sync.Mutex
	id      int
	balance int
}

// Two transfers in opposite directions take the accounts' locks in opposite orders.
func TestDeadlockTransfer(t *testing.T) {
	transfer := func(from, to *account, n int) {
		from.mu.Lock()
		defer from.mu.Unlock()
		to.mu.Lock()
		defer to.mu.Unlock()
		from.balance -= n
		to.balance += n
	}
	a, b := &account{id: 1}, &account{id: 2}
	sched.InTurn(
		func() { transfer(a, b, 10) },
		func() { transfer(b, a, 5) },
	)
}

// The account with the smaller number is locked first.
func TestNoRaceTransfer(t *testing.T) {
	transfer := func(from, to *account, n int) {
		first, second := from, to
		if to.id < from.id {
			first, second = to, from
		}
		first.mu.Lock()
		defer first.mu.Unlock()
		second.mu.Lock()
		defer second.mu.Unlock()
		from.balance -= n
		to.balance += n
	}
	a, b := &account{id: 1}, &account{id: 2}
	sched.InTurn(
		func() { transfer(a, b, 10) },
		func() { transfer(b, a, 5) },
	)
}

// dine lets n philosophers eat once each, with the fork that order gives first.
func dine(n int, order func(i int) (first, second int)) {
	forks := make([]sync.Mutex, n)
	meals := make([]int, n)
	var seats []func()
	for i := range n {
		seats = append(seats, func() {
			first, second := order(i)
			forks[first].Lock()
			forks[second].Lock()
			meals[i]++
			forks[second].Unlock()
			forks[first].Unlock()
		})
	}
	sched.InTurn(seats...)
}

// Each of five philosophers takes the left fork first: a cycle of five locks.
func TestDeadlockPhilosophers(t *testing.T) {
	dine(5, func(i int) (int, int) { return i, (i + 1) % 5 })
}

// The last philosopher is left-handed.
func TestNoRacePhilosophers(t *testing.T) {
	dine(5, func(i int) (int, int) { return min(i, (i+1)%5), max(i, (i+1)%5) })
}

// One of three philosophers at a time may reach for forks: a gate.
func TestNoRacePhilosophersWithGate(t *testing.T) {
	var gate sync.Mutex
	forks := make([]sync.Mutex, 3)
	var seats []func()
	for i := range forks {
		seats = append(seats, func() {
			gate.Lock()
			forks[i].Lock()
			forks[(i+1)%3].Lock()
			gate.Unlock()
			forks[(i+1)%3].Unlock()
			forks[i].Unlock()
		})
	}
	sched.InTurn(seats...)
}

// bus hands events to subscribers under its own lock.
type bus struct {
	mu   sync.Mutex
	subs []*subscriber
}

type subscriber struct {
	mu   sync.Mutex
	seen int
	bus  *bus
}

func (b *bus) emit(call func(*subscriber)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, s := range b.subs {
		call(s)
	}
}

func (b *bus) emitOutside(call func(*subscriber)) {
	b.mu.Lock()
	subs := append([]*subscriber(nil), b.subs...)
	b.mu.Unlock()
	for _, s := range subs {
		call(s)
	}
}

func (s *subscriber) handle() {
	s.mu.Lock()
	s.seen++
	s.mu.Unlock()
}

func (s *subscriber) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bus.mu.Lock()
	s.bus.subs = nil
	s.bus.mu.Unlock()
}

func newBus() (*bus, *subscriber) {
	b := new(bus)
	s := &subscriber{bus: b}
	b.subs = []*subscriber{s}
	return b, s
}

// The bus calls a subscriber under its lock, and a subscriber leaves the bus under its own.
func TestDeadlockCallback(t *testing.T) {
	b, s := newBus()
	sched.InTurn(
		func() { b.emit((*subscriber).handle) },
		s.leave,
	)
}

// The bus calls its subscribers when it has given its lock back.
func TestNoRaceCallback(t *testing.T) {
	b, s := newBus()
	sched.InTurn(
		func() { b.emitOutside((*subscriber).handle) },
		s.leave,
	)
}

// A reader reads again while it reads; a writer that comes between stops the second read.
func TestDeadlockReadAgain(t *testing.T) {
	var (
		mu    sync.RWMutex
		table = map[string]int{"a": 1}
	)
	length := func() int {
		mu.RLock()
		defer mu.RUnlock()
		return len(table)
	}
	sched.InTurn(
		func() {
			mu.RLock()
			defer mu.RUnlock()
			if table["a"] == 1 {
				_ = length()
			}
		},
		func() {
			mu.Lock()
			table["b"] = 2
			mu.Unlock()
		},
	)
}

// The reader gives the lock back before it reads again.
func TestNoRaceReadAgain(t *testing.T) {
	var (
		mu    sync.RWMutex
		table = map[string]int{"a": 1}
	)
	length := func() int {
		mu.RLock()
		defer mu.RUnlock()
		return len(table)
	}
	sched.InTurn(
		func() {
			mu.RLock()
			one := table["a"] == 1
			mu.RUnlock()
			if one {
				_ = length()
			}
		},
		func() {
			mu.Lock()
			table["b"] = 2
			mu.Unlock()
		},
	)
}

// A reader of one table writes the other, and the other way round.
func TestDeadlockReadersThatWrite(t *testing.T) {
	var (
		a, b sync.RWMutex
		x, y int
	)
	sched.InTurn(
		func() {
			a.RLock()
			b.Lock()
			y = x
			b.Unlock()
			a.RUnlock()
		},
		func() {
			b.RLock()
			a.Lock()
			x = y + 1
			a.Unlock()
			b.RUnlock()
		},
	)
}

// Both only read the outer table and no goroutine writes it: readers do not wait for readers.
func TestNoRaceReadersOfBoth(t *testing.T) {
	var (
		a, b sync.RWMutex
		x, y int
	)
	sched.InTurn(
		func() {
			a.RLock()
			b.RLock()
			_ = x + y
			b.RUnlock()
			a.RUnlock()
		},
		func() {
			b.RLock()
			a.RLock()
			_ = x - y
			a.RUnlock()
			b.RUnlock()
		},
	)
}

// node is part of a tree in which each node has a lock.
type node struct {
	mu       sync.Mutex
	parent   *node
	children []*node
	n        int
}

func (n *node) total() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	sum := n.n
	for _, c := range n.children {
		sum += c.total()
	}
	return sum
}

func (n *node) add(d int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.n += d
	if n.parent != nil {
		n.parent.add(d)
	}
}

func (n *node) addUpwards(d int) {
	for ; n != nil; n = n.parent {
		n.mu.Lock()
		n.n += d
		n.mu.Unlock()
	}
}

func newTree() (root, leaf *node) {
	root = new(node)
	leaf = &node{parent: root}
	root.children = []*node{leaf}
	return root, leaf
}

// A sum goes down the tree and a change goes up, both with the locks of the way in hand.
func TestDeadlockTree(t *testing.T) {
	root, leaf := newTree()
	sched.InTurn(
		func() { _ = root.total() },
		func() { leaf.add(1) },
	)
}

// The change holds one lock at a time.
func TestNoRaceTree(t *testing.T) {
	root, leaf := newTree()
	sched.InTurn(
		func() { _ = root.total() },
		func() { leaf.addUpwards(1) },
	)
}

// Three services call each other in a ring.
func TestDeadlockRing(t *testing.T) {
	var a, b, c sync.Mutex
	both := func(first, second *sync.Mutex) func() {
		return func() {
			first.Lock()
			defer first.Unlock()
			second.Lock()
			defer second.Unlock()
		}
	}
	sched.InTurn(both(&a, &b), both(&b, &c), both(&c, &a))
}

// The third one is started by the second when that has done its work.
func TestNoRaceRing(t *testing.T) {
	var a, b sync.Mutex
	both := func(first, second *sync.Mutex) {
		first.Lock()
		defer first.Unlock()
		second.Lock()
		defer second.Unlock()
	}
	sched.InTurn(func() {
		both(&a, &b)
		done := make(chan bool)
		go func() {
			both(&b, &a)
			done <- true
		}()
		<-done
	})
}

// A look with TryLock gives up instead of waiting.
func TestNoRaceBackOff(t *testing.T) {
	var (
		a, b sync.Mutex
		n    int
	)
	sched.InTurn(
		func() {
			a.Lock()
			defer a.Unlock()
			b.Lock()
			n++
			b.Unlock()
		},
		func() {
			b.Lock()
			defer b.Unlock()
			if a.TryLock() {
				n++
				a.Unlock()
			}
		},
	)
}
