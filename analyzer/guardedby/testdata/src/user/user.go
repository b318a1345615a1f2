// Package user accesses what a lock of another package guards.
package user

import (
	"lib"
	"sync"
)

func Count(s *lib.Store) int { return s.N } // want `read of Store.N without Store.Mu, which 4 of 5 accesses hold`

func Look(s *lib.Store) int { return s.M["x"] } // want `read of the content of Store.M without Store.Mu`

func Ask(s *lib.Store) int { return s.CountLocked() } // want `call of CountLocked without Store.Mu, which its caller is to hold`

func Run() {
	for _, f := range lib.Hooks { // want `read of Hooks without Mu, which 2 of 3 accesses hold`
		f()
	}
}

func Held(s *lib.Store) int {
	s.Lock()
	defer s.Unlock()
	return s.CountLocked() + s.N
}

func Direct(s *lib.Store) {
	s.Mu.Lock()
	s.N++
	s.M["y"]++
	s.Mu.Unlock()
}

func Own() *lib.Store {
	s := lib.New()
	s.M["x"] = 1
	s.N = s.CountLocked() + 1
	return s
}

// Helpers of the package itself.

type Queue struct {
	mu    sync.Mutex
	items []int
}

func (q *Queue) pushLocked(x int) { q.items = append(q.items, x) }

// drop takes the first one away. Callers must hold q.mu.
func (q *Queue) drop() { q.items = q.items[1:] }

func (q *Queue) Push(x int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.pushLocked(x)
}

func (q *Queue) Move(x int) {
	q.mu.Lock()
	q.drop()
	q.items = append(q.items, x)
	q.mu.Unlock()
}

func (q *Queue) Clear() {
	q.mu.Lock()
	q.items = nil
	q.mu.Unlock()
}

func (q *Queue) Late(x int) {
	q.pushLocked(x) // want `call of pushLocked without Queue.mu, which its caller is to hold`
	q.drop()        // want `call of drop without Queue.mu, which its caller is to hold`
}

func NewQueue(x int) *Queue {
	q := &Queue{}
	q.pushLocked(x)
	return q
}
