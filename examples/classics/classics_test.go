// Package classics has the programs on which detectors have been measured for twenty years, as Go
// programs with the bugs that they are known for.
package classics

import (
	"math"
	"sync"
	"testing"

	"github.com/racepred/racepred/examples/internal/sched"
)

// distances are those between the towns of a small tour.
var distances = [5][5]int{
	{0, 3, 4, 2, 7},
	{3, 0, 4, 6, 3},
	{4, 4, 0, 5, 8},
	{2, 6, 5, 0, 6},
	{7, 3, 8, 6, 0},
}

// tour is a search for the shortest round trip, with a bound that all searchers share.
type tour struct {
	mu    sync.Mutex
	bound int
	below func(t *tour, n int) bool // whether n is below the bound
}

func belowUnlocked(t *tour, n int) bool { return n < t.bound }

func belowLocked(t *tour, n int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return n < t.bound
}

// search goes on from a way that ends in town at, has been in the towns of the set seen, and is n
// long.
func (t *tour) search(at, seen, n int) {
	if !t.below(t, n) {
		return
	}
	if seen == 1<<len(distances)-1 {
		n += distances[at][0]
		t.mu.Lock()
		t.bound = min(t.bound, n)
		t.mu.Unlock()
		return
	}
	for next := range distances {
		if seen&(1<<next) == 0 {
			t.search(next, seen|1<<next, n+distances[at][next])
		}
	}
}

func (t *tour) run() int {
	t.bound = math.MaxInt
	sched.InTurn(
		func() { t.search(1, 1|1<<1, distances[0][1]); t.search(2, 1|1<<2, distances[0][2]) },
		func() { t.search(3, 1|1<<3, distances[0][3]); t.search(4, 1|1<<4, distances[0][4]) },
	)
	return t.bound
}

// tsp: the bound is lowered under a lock and looked at without it.
func TestRaceTSP(t *testing.T) {
	if n := (&tour{below: belowUnlocked}).run(); n != 19 {
		t.Errorf("the shortest tour is %d long", n)
	}
}

// A goroutine that looks at the bound takes the lock, too.
func TestNoRaceTSP(t *testing.T) {
	if n := (&tour{below: belowLocked}).run(); n != 19 {
		t.Errorf("the shortest tour is %d long", n)
	}
}

// account is a bank account; interest is added to all of them by a manager.
type account struct {
	mu      sync.Mutex
	balance int
	moves   int
}

func (a *account) deposit(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.balance += n
	a.moves++
}

// account: the manager's report reads the balance without the account's lock.
func TestRaceAccount(t *testing.T) {
	var (
		a     account
		total int
	)
	sched.InTurn(
		func() { a.deposit(10) },
		func() { total += a.balance },
	)
	_ = total
}

// Both pass a lock of the auditors that has nothing to do with the balance: in the usual order it
// hides the race.
func TestRacePredictedAccount(t *testing.T) {
	var (
		audited sync.Mutex
		audits  int
		a       account
	)
	sched.InTurn(
		func() {
			a.balance = 10 // before anybody knows the account, or so it was thought
			audited.Lock()
			_ = audits
			audited.Unlock()
		},
		func() {
			audited.Lock()
			_ = audits
			audited.Unlock()
			_ = a.balance
		},
	)
}

// All of it is read under the lock.
func TestNoRaceAccount(t *testing.T) {
	var (
		a     account
		total int
	)
	sched.InTurn(
		func() { a.deposit(10) },
		func() {
			a.mu.Lock()
			defer a.mu.Unlock()
			total += a.balance * a.moves
		},
	)
	_ = total
}

// lift is von Praun's elevator: lifts take calls from a board that they share.
type lift struct {
	board *board
	floor int
	taken int
}

type board struct {
	mu    sync.Mutex
	calls [8]int // people who wait, by floor
	open  bool
}

func (l *lift) serve() {
	for floor := range l.board.calls {
		l.board.mu.Lock()
		n := l.board.calls[floor]
		l.board.calls[floor] = 0
		l.board.mu.Unlock()
		l.floor = floor
		l.taken += n
	}
}

// elevator: the lifts take calls under the board's lock, and the board is closed without it.
func TestRaceElevator(t *testing.T) {
	b := &board{open: true}
	b.calls[3] = 2
	lifts := []*lift{{board: b}, {board: b}}
	sched.InTurn(
		func() { lifts[0].serve(); b.open = false },
		func() {
			if b.open {
				lifts[1].serve()
			}
		},
	)
}

// It is closed when all lifts stand.
func TestNoRaceElevator(t *testing.T) {
	b := &board{open: true}
	b.calls[3] = 2
	lifts := []*lift{{board: b}, {board: b}}
	sched.InTurn(lifts[0].serve, lifts[1].serve)
	b.open = false
	if lifts[0].taken+lifts[1].taken != 2 {
		t.Error("somebody still waits")
	}
}
