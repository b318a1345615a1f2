// Package lib has fields and helpers whose locks other packages are to hold.
package lib

import "sync"

type Store struct {
	Mu sync.Mutex
	M  map[string]int // want M:"guarded.by Store.Mu"
	N  int            // want N:"guarded.by Store.Mu"
}

func New() *Store { return &Store{M: map[string]int{}} }

func (s *Store) Set(k string) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.M[k] = 1
	s.N++
}

func (s *Store) Del(k string) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	delete(s.M, k)
	s.N--
}

func (s *Store) Lock()   { s.Mu.Lock() }
func (s *Store) Unlock() { s.Mu.Unlock() }

func (s *Store) CountLocked() int { return s.N } // want CountLocked:"needs .lib.Store.Mu."

var (
	Mu    sync.Mutex
	Hooks []func() // want Hooks:"guarded.by Mu"
)

func AddHook(f func()) {
	Mu.Lock()
	defer Mu.Unlock()
	Hooks = append(Hooks, f)
}

func Clear() {
	Mu.Lock()
	Hooks = nil
	Mu.Unlock()
}
