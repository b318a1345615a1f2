// Package maps shares maps. The goroutines never overlap in time here, so the
// runtime's own check for concurrent map use stays silent.
package maps

import (
	"sync"
	"testing"

	"github.com/racepred/racepred/examples/internal/sched"
)

// Two goroutines store under different keys: the map itself is one variable.
func TestRaceMapStores(t *testing.T) {
	m := make(map[string]int)
	sched.InTurn(
		func() { m["a"] = 1 },
		func() { m["b"] = 2 },
	)
}

// One goroutine looks up what another deletes.
func TestRaceMapDelete(t *testing.T) {
	m := map[string]int{"a": 1, "b": 2}
	sched.InTurn(
		func() { delete(m, "a") },
		func() { _, _ = m["b"] },
	)
}

// Ranging over a map reads it.
func TestRaceMapRange(t *testing.T) {
	m := map[int]int{1: 1, 2: 4}
	sched.InTurn(
		func() {
			for k, v := range m {
				_, _ = k, v
			}
		},
		func() { m[3] = 9 },
	)
}

// Any number of goroutines may read a map that is not changed.
func TestNoRaceMapReads(t *testing.T) {
	m := map[string]int{"a": 1, "b": 2}
	sched.InTurn(
		func() { _ = m["a"] },
		func() { _ = m["b"] },
		func() { _ = len(m) },
	)
}

// All uses of the map hold the lock.
func TestNoRaceMapLocked(t *testing.T) {
	var (
		mu sync.Mutex
		m  = make(map[int]int)
	)
	sched.InTurn(
		func() {
			mu.Lock()
			defer mu.Unlock()
			m[1]++
		},
		func() {
			mu.Lock()
			defer mu.Unlock()
			m[1]++
		},
	)
	if m[1] != 2 {
		t.Errorf("m[1] = %d, want 2", m[1])
	}
}

// A sync.Map needs no lock, and what is stored in it is published.
func TestNoRaceSyncMap(t *testing.T) {
	type page struct{ hits int }
	var m sync.Map
	sched.InTurn(
		func() { m.Store("a", &page{hits: 1}) },
		func() {
			if p, ok := m.Load("a"); ok {
				p.(*page).hits++
			}
		},
	)
}

// The values of a map are pointers: the lock guards the map, not what they point to.
func TestRaceMapValue(t *testing.T) {
	type page struct{ hits int }
	var (
		mu sync.Mutex
		m  = map[string]*page{"a": {}}
	)
	visit := func() {
		mu.Lock()
		p := m["a"]
		mu.Unlock()
		p.hits++
	}
	sched.InTurn(visit, visit)
}

// One goroutine stores before, the other after a lock that neither holds for the map.
func TestRacePredictedMap(t *testing.T) {
	var (
		mu    sync.Mutex
		limit = 10
		m     = make(map[string]int)
	)
	sched.InTurn(
		func() {
			m["a"] = 1
			mu.Lock()
			_ = limit
			mu.Unlock()
		},
		func() {
			mu.Lock()
			most := limit
			mu.Unlock()
			if len(m) < most {
				m["b"] = 2
			}
		},
	)
}
