// Package blocked says which goroutines of a process wait in vain: those in a cycle of locks, each
// of which waits for a lock that the next one holds, and those that nobody can wake. Goroutines
// that wait, and who holds which lock -> cycles.
//
// Nothing here is a prediction: the runtime says which goroutines wait, while none of them runs.
package blocked

import (
	"slices"

	"github.com/racepred/racepred/internal/trace"
)

// Wait is what a goroutine waits in. The numbers are those of the recorder
// (rt/runtimehooks/layout.go).
type Wait uint8

// The ways to wait. From Lock on they wait for a lock.
const (
	ForEver Wait = iota + 1 // a select without cases
	NilReceive
	NilSend
	Receive
	Send
	Select
	Cond
	WaitGroup
	Lock  // of a Mutex, or of an RWMutex before other writers
	RLock // of an RWMutex, for its writer
	WLock // of an RWMutex, for its readers
)

// where the semaphore of each kind of wait lies within the lock, in bytes.
var within = [...]trace.Addr{Lock: 4, WLock: 8, RLock: 12}

// Goroutine is one that waits.
type Goroutine struct {
	G     trace.G
	Stack trace.Stack
	Wait  Wait
	Lock  trace.Addr // that it waits for; 0: none, or not known
	Stuck bool       // the collector found that nobody can wake it
}

// LockOf is the lock whose semaphore a goroutine waits for; 0 when it is no lock's.
func LockOf(w Wait, semaphore trace.Addr) trace.Addr {
	if w < Lock || w > WLock || semaphore < within[w] {
		return 0
	}
	return semaphore - within[w]
}

// Holder is a goroutine in a section of a lock.
type Holder struct {
	G      trace.G
	Lock   trace.Addr
	Shared bool
}

// Cycles are cycles of goroutines that wait for each other's locks, no two with a goroutine in
// common: of every goroutine in it the next one holds what it waits for, and the first one is the
// next of the last. A goroutine that waits for itself is a cycle, too.
//
// A goroutine that waits for a Mutex, or to write, waits for those that hold the lock in a way that
// excludes it. One that waits to read waits for a writer: for one that holds the lock, or for one
// that waits to write, since that one comes before it (documentation of sync.RWMutex).
func Cycles(waiting []Goroutine, holders []Holder) [][]Goroutine {
	at := map[trace.G]int{}
	for i := range waiting {
		if waiting[i].Lock != 0 {
			at[waiting[i].G] = i
		}
	}
	reading, writing := map[trace.Addr][]int{}, map[trace.Addr][]int{} // of those that wait, by a lock that they hold to read, and that they hold or want to write
	for _, h := range holders {
		if i, ok := at[h.G]; ok && h.Shared {
			reading[h.Lock] = append(reading[h.Lock], i)
		} else if ok {
			writing[h.Lock] = append(writing[h.Lock], i)
		}
	}
	for i := range waiting {
		if w := &waiting[i]; w.Wait == WLock && w.Lock != 0 {
			writing[w.Lock] = append(writing[w.Lock], i)
		}
	}
	next := func(i int) []int {
		if waiting[i].Wait == WLock {
			return reading[waiting[i].Lock]
		}
		return writing[waiting[i].Lock]
	}
	s := search{next: next, state: make([]uint8, len(waiting)), taken: map[int]bool{}}
	for i := range waiting {
		if waiting[i].Lock != 0 {
			s.from(i)
		}
	}
	var cycles [][]Goroutine
	for _, found := range s.cycles {
		var c []Goroutine
		for _, i := range found {
			c = append(c, waiting[i])
		}
		cycles = append(cycles, c)
	}
	return cycles
}

// search is a depth-first search. It finds one cycle at least of each set of goroutines that wait
// for each other.
type search struct {
	next   func(i int) []int
	state  []uint8
	path   []int
	cycles [][]int
	taken  map[int]bool // in one of them
}

// The states of a goroutine.
const (
	unseen = iota
	onPath
	done
)

func (s *search) from(i int) {
	switch s.state[i] {
	case onPath:
		c := s.path[slices.Index(s.path, i):]
		if slices.ContainsFunc(c, func(j int) bool { return s.taken[j] }) {
			return
		}
		for _, j := range c {
			s.taken[j] = true
		}
		s.cycles = append(s.cycles, slices.Clone(c))
		return
	case done:
		return
	}
	s.state[i] = onPath
	s.path = append(s.path, i)
	for _, j := range s.next(i) {
		s.from(j)
	}
	s.path = s.path[:len(s.path)-1]
	s.state[i] = done
}
