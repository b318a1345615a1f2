// Package wcp holds the figures of the WCP paper (Kini, Mathur, Viswanathan:
// Dynamic Race Prediction in Linear Time, PLDI 2017) as Go programs. Each runs
// in the order the figure draws, top to bottom; `go test -race` finds nothing
// in any of them.
package wcp

import (
	"sync"
	"testing"

	"github.com/racepred/racepred/examples/internal/sched"
)

// syncVar is the figures' sync(x): a critical section that reads and writes the
// one variable its lock protects, so that two of them never change places.
type syncVar struct {
	mu sync.Mutex
	n  int
}

func (s *syncVar) sync() {
	s.mu.Lock()
	s.n = s.n*2 + 1 // s.n++ twice is the same both ways round
	s.mu.Unlock()
}

// gate is a lock whose sections share nothing that is written.
type gate struct {
	mu    sync.Mutex
	limit int
}

func (g *gate) pass() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.limit
}

// Figure 1a: both sections read and write x, so none can go first in the other's place.
//
//	t1             t2
//	acq(l)
//	r(x)
//	w(x)
//	rel(l)
//	               acq(l)
//	               r(x)
//	               w(x)
//	               rel(l)
func TestNoRaceFigure1a(t *testing.T) {
	var (
		l sync.Mutex
		x int
	)
	sched.InTurn(
		func() {
			l.Lock()
			x = x + 1
			l.Unlock()
		},
		func() {
			l.Lock()
			x = x + 1
			l.Unlock()
		},
	)
}

// Figure 1b: the sections only read x, so the second can run first, and then nothing orders the
// accesses of y.
//
//	t1             t2
//	w(y)
//	acq(l)
//	r(x)
//	rel(l)
//	               acq(l)
//	               r(x)
//	               rel(l)
//	               r(y)
func TestRacePredictedFigure1b(t *testing.T) {
	var (
		l    sync.Mutex
		x, y int
	)
	sched.InTurn(
		func() {
			y = 1
			l.Lock()
			_ = x
			l.Unlock()
		},
		func() {
			l.Lock()
			_ = x
			l.Unlock()
			_ = y
		},
	)
}

// Figure 2a: t2 reads y after it has seen t1's x, so t1's section stays before it.
//
//	t1             t2
//	w(y)
//	acq(l)
//	w(x)
//	rel(l)
//	               acq(l)
//	               r(x)
//	               r(y)
//	               rel(l)
func TestNoRaceFigure2a(t *testing.T) {
	var (
		l    sync.Mutex
		x, y int
	)
	sched.InTurn(
		func() {
			y = 1
			l.Lock()
			x = 1
			l.Unlock()
		},
		func() {
			l.Lock()
			if x == 1 {
				_ = y
			}
			l.Unlock()
		},
	)
}

// Figure 2b: t2 reads y before it looks at x, so its section can begin first.
//
//	t1             t2
//	w(y)
//	acq(l)
//	w(x)
//	rel(l)
//	               acq(l)
//	               r(y)
//	               r(x)
//	               rel(l)
func TestRacePredictedFigure2b(t *testing.T) {
	var (
		l    sync.Mutex
		x, y int
	)
	sched.InTurn(
		func() {
			y = 1
			l.Lock()
			x = 1
			l.Unlock()
		},
		func() {
			l.Lock()
			_ = y
			_ = x
			l.Unlock()
		},
	)
}

// Figure 3: t1's section on l need not end before t2's begins for t3 to reach z.
//
//	t1             t2             t3
//	acq(l)
//	sync(x)
//	r(z)
//	rel(l)
//	               sync(x)
//	               acq(l)
//	               acq(n)
//	               rel(n)
//	               rel(l)
//	                              acq(n)
//	                              rel(n)
//	                              w(z)
func TestRacePredictedFigure3(t *testing.T) {
	var (
		l sync.Mutex
		n gate
		x syncVar
		z int
	)
	sched.InTurn(
		func() {
			l.Lock()
			x.sync()
			_ = z
			l.Unlock()
		},
		func() {
			x.sync()
			l.Lock()
			n.pass()
			l.Unlock()
		},
		func() {
			n.pass()
			z = 1
		},
	)
}

// Figure 4: the sync on x orders the releases of n, which still leaves z free.
//
//	t1             t2             t3
//	acq(l)
//	acq(m)
//	rel(m)
//	r(z)
//	rel(l)
//	               acq(m)
//	               acq(n)
//	               sync(x)
//	               rel(n)
//	               rel(m)
//	                              acq(n)
//	                              acq(l)
//	                              rel(l)
//	                              sync(x)
//	                              w(z)
//	                              rel(n)
func TestRacePredictedFigure4(t *testing.T) {
	var (
		l, m gate
		n    sync.Mutex
		x    syncVar
		z    int
	)
	sched.InTurn(
		func() {
			l.mu.Lock()
			m.pass()
			_ = z
			l.mu.Unlock()
		},
		func() {
			m.mu.Lock()
			n.Lock()
			x.sync()
			n.Unlock()
			m.mu.Unlock()
		},
		func() {
			n.Lock()
			l.pass()
			x.sync()
			z = 1
			n.Unlock()
		},
	)
}

// Figure 5: t2 holds m from before the end of t3 on, so z cannot race, though the three could
// deadlock.
//
//	t1             t2             t3
//	acq(l)
//	acq(m)
//	rel(m)
//	r(z)
//	rel(l)
//	               acq(m)
//	               acq(n)
//	               sync(x)
//	               rel(n)
//	                              acq(n)
//	                              acq(l)
//	                              rel(l)
//	                              sync(x)
//	                              w(z)
//	                              rel(n)
//	                              sync(y)
//	               sync(y)
//	               rel(m)
func TestDeadlockFigure5(t *testing.T) {
	var (
		l, m gate
		n    sync.Mutex
		x, y syncVar
		z    int
	)
	sched.InTurn(
		func() {
			l.mu.Lock()
			m.pass()
			_ = z
			l.mu.Unlock()
		},
		func() {
			m.mu.Lock()
			n.Lock()
			x.sync()
			n.Unlock()
			sched.Rest(2)
			y.sync()
			m.mu.Unlock()
		},
		func() {
			n.Lock()
			l.pass()
			x.sync()
			z = 1
			n.Unlock()
			y.sync()
		},
	)
}
