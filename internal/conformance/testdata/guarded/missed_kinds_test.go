// As missed_test.go, with accesses of other kinds than words: strings, slices, interfaces, arrays, copies, maps, atomic operations.

package guarded

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

type entry struct {
	name  string
	value any
	list  []int
	row   [4]int
	text  [40]byte
	byKey map[int]int
	count int64
	typed atomic.Int64
}

// filling has a goroutine do the same with ten thousand entries, and tell another one, which then does something with one of them.
func filling(fills func(*entry), tells func(), then func(*entry)) {
	all := make([]entry, 10_000)
	for i := range all {
		all[i].byKey = map[int]int{1: 1}
	}
	meeting(func() {
		for i := range all {
			fills(&all[i])
		}
		tells()
	}, func() { then(&all[9000]) })
}

// filled is for those that do not race.
func filled(fills, then func(*entry)) {
	c := make(chan bool)
	filling(fills, func() { c <- true }, func(e *entry) { <-c; then(e) })
}

// alone is for those that do.
func alone(fills, then func(*entry)) {
	filling(fills, func() {}, func(e *entry) { time.Sleep(50 * time.Millisecond); then(e) })
}

var (
	someText = []byte("0123456789012345678901234567890123456789")
	someList = []int{1}
	keep     any
)

func TestRaceMissedString(t *testing.T) {
	alone(func(e *entry) { e.name = "a" }, func(e *entry) { keep = e.name == "b" })
}

func TestNoRaceMissedString(t *testing.T) {
	filled(func(e *entry) { e.name = "a" }, func(e *entry) { keep = e.name == "b" })
}

func TestRaceMissedLen(t *testing.T) {
	alone(func(e *entry) { e.list = someList }, func(e *entry) { keep = len(e.list) })
}

func TestNoRaceMissedLen(t *testing.T) {
	filled(func(e *entry) { e.list = someList }, func(e *entry) { keep = len(e.list) })
}

func TestRaceMissedInterface(t *testing.T) {
	alone(func(e *entry) { e.value = 1 }, func(e *entry) { keep = e.value == nil })
}

func TestNoRaceMissedInterface(t *testing.T) {
	filled(func(e *entry) { e.value = 1 }, func(e *entry) { keep = e.value == nil })
}

func TestRaceMissedArray(t *testing.T) {
	alone(func(e *entry) { e.row = [4]int{1, 2, 3, 4} }, func(e *entry) { e.row[2]++ })
}

func TestNoRaceMissedArray(t *testing.T) {
	filled(func(e *entry) { e.row = [4]int{1, 2, 3, 4} }, func(e *entry) { e.row[2]++ })
}

func TestRaceMissedElement(t *testing.T) {
	alone(func(e *entry) { e.row[3] = 1 }, func(e *entry) { keep = e.row })
}

// TestNoRaceMissedElement: they have different elements.
func TestNoRaceMissedElement(t *testing.T) {
	alone(func(e *entry) { e.row[3] = 1 }, func(e *entry) { keep = [2]int(e.row[:2]) })
}

func TestRaceMissedCopy(t *testing.T) {
	alone(func(e *entry) { copy(e.text[:], someText) }, func(e *entry) { e.text[3] = 'x' })
}

// TestNoRaceMissedCopy: the copy ends before the byte.
func TestNoRaceMissedCopy(t *testing.T) {
	alone(func(e *entry) { copy(e.text[:], someText[:3]) }, func(e *entry) { e.text[3] = 'x' })
}

func TestRaceMissedMapChange(t *testing.T) {
	alone(func(e *entry) { e.byKey[2] = 2 }, func(e *entry) { keep = e.byKey[1] })
}

func TestNoRaceMissedMapChange(t *testing.T) {
	filled(func(e *entry) { e.byKey[2] = 2 }, func(e *entry) { keep = e.byKey[1] })
}

func TestRaceMissedMapLook(t *testing.T) {
	alone(func(e *entry) { _ = e.byKey[1] }, func(e *entry) { delete(e.byKey, 1) })
}

func TestNoRaceMissedMapLook(t *testing.T) {
	filled(func(e *entry) { _ = e.byKey[1] }, func(e *entry) { delete(e.byKey, 1) })
}

func TestNoRaceMissedMapLooks(t *testing.T) {
	alone(func(e *entry) { _ = e.byKey[1] }, func(e *entry) { keep = len(e.byKey) })
}

func TestRaceMissedAtomicAdd(t *testing.T) {
	alone(func(e *entry) { atomic.AddInt64(&e.count, 1) }, func(e *entry) { keep = e.count })
}

// TestNoRaceMissedAtomicAdd: the addition tells its reader.
func TestNoRaceMissedAtomicAdd(t *testing.T) {
	alone(func(e *entry) { atomic.AddInt64(&e.count, 1) }, func(e *entry) {
		for atomic.LoadInt64(&e.count) == 0 {
			runtime.Gosched()
		}
		e.count = 7
	})
}

func TestRaceMissedAtomicStore(t *testing.T) {
	alone(func(e *entry) { atomic.StoreInt64(&e.count, 1) }, func(e *entry) { keep = e.count })
}

func TestNoRaceMissedAtomicStore(t *testing.T) {
	alone(func(e *entry) { atomic.StoreInt64(&e.count, 1) }, func(e *entry) {
		for atomic.LoadInt64(&e.count) == 0 {
			runtime.Gosched()
		}
		keep = e.count
	})
}

func TestRaceMissedAtomicLoad(t *testing.T) {
	alone(func(e *entry) { _ = atomic.LoadInt64(&e.count) == 1 }, func(e *entry) { e.count = 1 })
}

// TestNoRaceMissedAtomicLoad: a load tells nobody, so the reader needs something else.
func TestNoRaceMissedAtomicLoad(t *testing.T) {
	filled(func(e *entry) { _ = atomic.LoadInt64(&e.count) == 1 }, func(e *entry) { e.count = 1 })
}

func TestRaceMissedBeforeAtomic(t *testing.T) {
	alone(func(e *entry) { e.count = 1 }, func(e *entry) { atomic.AddInt64(&e.count, 1) })
}

func TestNoRaceMissedBeforeAtomic(t *testing.T) {
	filled(func(e *entry) { e.count = 1 }, func(e *entry) { atomic.AddInt64(&e.count, 1) })
}

// TestNoRaceMissedAtomics has nothing but atomic operations.
func TestNoRaceMissedAtomics(t *testing.T) {
	alone(func(e *entry) { e.typed.Add(1) }, func(e *entry) { keep = e.typed.Swap(7) })
}

// TestNoRaceMissedReset: what is written before the first atomic operation, and read after the last one, is told by these.
func TestNoRaceMissedReset(t *testing.T) {
	alone(func(e *entry) { e.name = "a"; e.typed.Store(1) }, func(e *entry) {
		for e.typed.Load() == 0 {
			runtime.Gosched()
		}
		e.name = ""
	})
}

// TestRaceMissedReset reads the name before it asks.
func TestRaceMissedReset(t *testing.T) {
	alone(func(e *entry) { e.name = "a"; e.typed.Store(1) }, func(e *entry) {
		e.name = ""
		e.typed.Load()
	})
}

// TestRaceMissedCollected has garbage collected between the two accesses, which leaves the entries where they are.
func TestRaceMissedCollected(t *testing.T) {
	alone(func(e *entry) { e.count = 3 }, func(e *entry) { runtime.GC(); e.count = 4 })
}

// TestNoRaceMissedCollected has another goroutine make entries where the garbage was.
func TestNoRaceMissedCollected(t *testing.T) {
	made := func(pass chan []entry) []entry {
		pass <- make([]entry, 20)
		return <-pass
	}
	meeting(func() {
		pass := make(chan []entry, 1)
		for range 1000 {
			all := made(pass)
			for i := range all {
				all[i].count = 5
			}
		}
	}, func() {
		time.Sleep(50 * time.Millisecond)
		runtime.GC()
		pass := make(chan []entry, 1)
		for range 1000 {
			made(pass)[7].count = 6
		}
	})
}
