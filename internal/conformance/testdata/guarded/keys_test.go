// What the keys of a sync.Map order, and what they do not.

package guarded

import (
	"math"
	"sync"
	"testing"
)

// keyAsks is two goroutines: the first writes x and then does write; the second writes x if look says that it found what the first one did.
func keyAsks(m *sync.Map, write func(), look func() bool) {
	m.Store("old", 0)
	x := 0
	inTurn(func() {
		x = 1
		write()
	}, func() {
		if look() {
			x++
		}
	})
}

func TestNoRaceKeysStored(t *testing.T) {
	var m sync.Map
	keyAsks(&m, func() { m.Store("new", 1) }, func() bool { _, ok := m.Load("new"); return ok })
}

func TestNoRaceKeysDeleted(t *testing.T) {
	var m sync.Map
	keyAsks(&m, func() { m.Delete("old") }, func() bool { _, ok := m.Load("old"); return !ok })
}

func TestNoRaceKeysLoadedAndDeleted(t *testing.T) {
	var m sync.Map
	keyAsks(&m, func() { m.LoadAndDelete("old") }, func() bool { _, ok := m.LoadAndDelete("old"); return !ok })
}

func TestNoRaceKeysLoadedOrStored(t *testing.T) {
	var m sync.Map
	keyAsks(&m, func() { m.LoadOrStore("new", 1) }, func() bool { _, loaded := m.LoadOrStore("new", 1); return loaded })
}

func TestNoRaceKeysSwapped(t *testing.T) {
	var m sync.Map
	keyAsks(&m, func() { m.Swap("old", 1) }, func() bool { old, _ := m.Swap("old", 2); return old == 1 })
}

func TestNoRaceKeysCompared(t *testing.T) {
	var m sync.Map
	keyAsks(&m, func() { m.CompareAndSwap("old", 0, 1) }, func() bool { return m.CompareAndSwap("old", 1, 2) })
}

func TestNoRaceKeysOther(t *testing.T) {
	var m sync.Map
	keyAsks(&m, func() { m.CompareAndSwap("old", 0, 1) }, func() bool { return !m.CompareAndDelete("old", 0) })
}

func TestNoRaceKeysAll(t *testing.T) {
	var m sync.Map
	keyAsks(&m, func() { m.Store("new", 1) }, func() (found bool) {
		m.Range(func(key, _ any) bool { found = found || key == "new"; return true })
		return found
	})
}

func TestNoRaceKeysNone(t *testing.T) {
	var m sync.Map
	keyAsks(&m, func() { m.CompareAndDelete("old", 0) }, func() bool {
		n := 0
		m.Range(func(_, _ any) bool { n++; return true })
		return n == 0
	})
}

func TestNoRaceKeysCleared(t *testing.T) {
	var m sync.Map
	keyAsks(&m, m.Clear, func() bool { _, ok := m.Load("old"); return !ok })
}

// keysMeanwhile calls write when a Range has begun, which writes the value 1.
func keysMeanwhile(m *sync.Map, write func()) {
	for i := range 100 {
		m.Store(i, 0)
	}
	begun := make(chan bool, 1)
	x := 0
	inTurn(func() {
		<-begun
		x = 1
		write()
	}, func() {
		first := true
		m.Range(func(_, v any) bool {
			if first {
				first = false
				begun <- true
				nap()
			}
			if v == 1 {
				x++
				return false
			}
			return true
		})
	})
}

func TestNoRaceKeysMeanwhile(t *testing.T) {
	var m sync.Map
	keysMeanwhile(&m, func() {
		for i := range 100 {
			m.Swap(i, 1)
		}
	})
}

// The hash of a key with a NaN is another one each time.
func TestNoRaceKeysNaN(t *testing.T) {
	var m sync.Map
	keysMeanwhile(&m, func() { m.Store([1]float64{math.NaN()}, 1) })
}

// The one that looks does so before, and the lock is all that orders what follows.
func keysNotYet(m *sync.Map, look func() bool, write func()) {
	var mu sync.Mutex
	m.Store("old", 0)
	x := 0
	inTurn(func() {
		mu.Lock()
		if look() {
			x++
		}
		mu.Unlock()
	}, func() {
		mu.Lock()
		write()
		mu.Unlock()
		x++
	})
}

func TestNoRaceKeysNotYetAll(t *testing.T) {
	var m sync.Map
	keysNotYet(&m, func() bool {
		n := 0
		m.Range(func(_, _ any) bool { n++; return true })
		return n == 1
	}, func() { m.Store("new", 1) })
}

func TestNoRaceKeysNotYetCleared(t *testing.T) {
	var m sync.Map
	keysNotYet(&m, func() bool { _, ok := m.Load("old"); return ok }, m.Clear)
}

func TestNoRaceKeysNotYetCompared(t *testing.T) {
	var m sync.Map
	keysNotYet(&m, func() bool { return !m.CompareAndSwap("old", 1, 2) }, func() { m.Store("old", 1) })
}

func TestNoRaceKeysNotYetDeleted(t *testing.T) {
	var m sync.Map
	keysNotYet(&m, func() bool { _, loaded := m.LoadAndDelete("new"); return !loaded }, func() { m.LoadOrStore("new", 1) })
}

// Two writes of one key: what a third goroutine finds tells their order.
func TestNoRaceKeysLast(t *testing.T) {
	var m sync.Map
	var mu sync.Mutex
	var b box
	inTurn(func() {
		b.x = 1
		mu.Lock()
		m.Store("a", 1)
		mu.Unlock()
	}, func() {
		mu.Lock()
		m.Store("a", 2)
		mu.Unlock()
	}, func() {
		mu.Lock()
		v, _ := m.Load("a")
		mu.Unlock()
		if v == 2 {
			b.x++
		}
	})
}

// Each has a key of its own.
func TestRaceKeysApart(t *testing.T) {
	var m sync.Map
	var b box
	inTurn(func() {
		b.x = 1
		m.Store("a", 1)
	}, func() {
		m.Store("b", 1)
		m.Load("c")
		b.x = 2
	})
}

// A key that is read only is found whatever the others do.
func TestRaceKeysRead(t *testing.T) {
	var m sync.Map
	m.Store("a", 0)
	x := 0
	ask := func() {
		if _, loaded := m.LoadOrStore("a", 1); loaded {
			x++
		}
		m.LoadOrStore("a", 1)
	}
	inTurn(ask, ask)
}

// The order of two keys shows in the lock alone.
func TestRaceKeysNotYetAll(t *testing.T) {
	var m sync.Map
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		mu.Lock()
		m.Store("a", 1)
		mu.Unlock()
		x++
	}, func() {
		mu.Lock()
		m.Store("b", 1)
		mu.Unlock()
		x++
	})
}

// Whatever was there before, nothing is there now.
func TestRaceKeysCleared(t *testing.T) {
	var m sync.Map
	var b box
	inTurn(func() {
		b.x = 1
		m.Clear()
	}, func() {
		m.Clear()
		b.x = 2
	})
}

// The key is there after Clear, or not: nobody asks.
func TestRaceKeysStoredAndCleared(t *testing.T) {
	var m sync.Map
	var b box
	inTurn(func() {
		b.x = 1
		m.Store("a", 1)
	}, func() {
		m.Clear()
		b.x = 2
	})
}
