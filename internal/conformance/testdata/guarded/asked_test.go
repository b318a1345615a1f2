// Sections that ask another goroutine for something and wait for the answer. What that one did in between lies in the section, though it does not hold
// the lock, and it is left out where its positions are busy. In each pair the section is the same; the reader looks at what was done there, or does not. Where the answer is the length of a channel
// or the number of goroutines it must not look: neither orders anything by the Go memory model.

package guarded

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// The ways to ask and to answer.
const (
	byStore      = iota // of atomic variables
	byTurns             // of one atomic variable for both
	bySection           // of another lock
	byMessage           // answered by an atomic variable
	byLen               // of channels
	byDefault           // of a select
	byCount             // of goroutines
	throughThird        // which asks by a message
)

// question is what a section and the goroutine that it asks have in common. Functions in variables would be calls of code that nobody records.
type question struct {
	by               int
	stored, answered atomic.Bool
	turn             atomic.Int32
	mu               sync.Mutex
	one, two         bool
	c, d, stop       chan bool
	before           int
	next             *question
}

func newQuestion(by int) *question {
	q := &question{by: by, c: make(chan bool, 1), d: make(chan bool, 1), stop: make(chan bool)}
	switch by {
	case byDefault:
		q.d <- true
	case byCount:
		go func() { <-q.stop }()
	case throughThird:
		q.next = newQuestion(byMessage)
		go func() {
			for !q.stored.Load() {
				time.Sleep(time.Millisecond)
			}
			q.next.inquire()
			q.answered.Store(true)
		}()
	}
	return q
}

func (q *question) ask() {
	switch q.by {
	case byStore, throughThird:
		q.stored.Store(true)
	case byTurns:
		q.turn.CompareAndSwap(0, 1)
	case bySection:
		q.mu.Lock()
		q.one = true
		q.mu.Unlock()
	case byMessage, byLen, byDefault:
		q.c <- true
	case byCount:
		q.before = runtime.NumGoroutine()
		q.stored.Store(true)
	}
}

// asked is what the other one waits for.
func (q *question) asked() bool {
	switch q.by {
	case byStore, byCount:
		return q.stored.Load()
	case byTurns:
		return q.turn.CompareAndSwap(1, 2)
	case bySection:
		q.mu.Lock()
		defer q.mu.Unlock()
		return q.one
	case byMessage:
		return <-q.c
	case byLen:
		return len(q.c) > 0
	case byDefault:
		select {
		case <-q.c:
			return true
		default:
			return false
		}
	}
	return q.next.asked()
}

func (q *question) answer() {
	switch q.by {
	case byStore, byMessage:
		q.answered.Store(true)
	case byTurns:
		q.turn.Add(1)
	case bySection:
		q.mu.Lock()
		q.two = true
		q.mu.Unlock()
	case byLen:
		q.d <- true
	case byDefault:
		<-q.d
	case byCount:
		close(q.stop)
	case throughThird:
		q.next.answer()
	}
}

// over is what the section waits for.
func (q *question) over() bool {
	switch q.by {
	case byStore, byMessage, throughThird:
		return q.answered.Load()
	case byTurns:
		return q.turn.Load() == 3
	case bySection:
		q.mu.Lock()
		defer q.mu.Unlock()
		return q.two
	case byLen:
		return len(q.d) > 0
	case byDefault:
		select {
		case q.d <- true:
			return true
		default:
			return false
		}
	}
	return runtime.NumGoroutine() < q.before
}

// visitAll is too busy to be recorded.
func visitAll(all []seen) {
	for i := range all {
		visit(&all[i])
	}
}

// answerOne answers one question, after having visited all.
func (q *question) answerOne(all []seen) {
	for !q.asked() {
		time.Sleep(time.Millisecond)
	}
	visitAll(all)
	q.answer()
}

// inquire waits for the answer.
func (q *question) inquire() {
	q.ask()
	for !q.over() {
		time.Sleep(time.Millisecond)
	}
}

// asking is the program: early comes before a section that has another goroutine visit all, late is done by whoever found that in a section.
func asking(by int, looks bool, early, late func()) {
	var mu sync.Mutex
	q := newQuestion(by)
	all := make([]seen, 20_000)
	visitAll(make([]seen, 20_000))
	go q.answerOne(all)
	time.Sleep(5 * time.Millisecond)
	oneByOne(func() {
		early()
		mu.Lock()
		q.inquire()
		mu.Unlock()
	}, func() {
		first := true
		mu.Lock()
		if looks {
			first = all[19_999].flag
		}
		mu.Unlock()
		if first {
			late()
		}
	})
}

func TestNoRaceAskedByStore(t *testing.T) {
	out := 0
	asking(byStore, true, func() { out = 1 }, func() { out++ })
}

func TestRaceAskedByStore(t *testing.T) {
	out := 0
	asking(byStore, false, func() { out = 1 }, func() { out++ })
}

func TestNoRaceAskedByTurns(t *testing.T) {
	out := 0
	asking(byTurns, true, func() { out = 1 }, func() { out++ })
}

func TestRaceAskedByTurns(t *testing.T) {
	out := 0
	asking(byTurns, false, func() { out = 1 }, func() { out++ })
}

func TestNoRaceAskedBySection(t *testing.T) {
	out := 0
	asking(bySection, true, func() { out = 1 }, func() { out++ })
}

func TestRaceAskedBySection(t *testing.T) {
	out := 0
	asking(bySection, false, func() { out = 1 }, func() { out++ })
}

func TestNoRaceAskedByMessage(t *testing.T) {
	out := 0
	asking(byMessage, true, func() { out = 1 }, func() { out++ })
}

func TestRaceAskedByMessage(t *testing.T) {
	out := 0
	asking(byMessage, false, func() { out = 1 }, func() { out++ })
}

func TestRaceAskedByLen(t *testing.T) {
	out := 0
	asking(byLen, false, func() { out = 1 }, func() { out++ })
}

func TestNoRaceAskedByDefault(t *testing.T) {
	out := 0
	asking(byDefault, true, func() { out = 1 }, func() { out++ })
}

func TestRaceAskedByDefault(t *testing.T) {
	out := 0
	asking(byDefault, false, func() { out = 1 }, func() { out++ })
}

func TestRaceAskedByCount(t *testing.T) {
	out := 0
	asking(byCount, false, func() { out = 1 }, func() { out++ })
}

func TestNoRaceAskedThroughThird(t *testing.T) {
	out := 0
	asking(throughThird, true, func() { out = 1 }, func() { out++ })
}

func TestRaceAskedThroughThird(t *testing.T) {
	out := 0
	asking(throughThird, false, func() { out = 1 }, func() { out++ })
}

// The other one finds that the section holds the lock.
func TestNoRaceAskedByHolding(t *testing.T) {
	var mu sync.Mutex
	var over atomic.Bool
	all := make([]seen, 20_000)
	out := 0
	visitAll(make([]seen, 20_000))
	go func() {
		for mu.TryLock() {
			mu.Unlock()
			time.Sleep(time.Millisecond)
		}
		visitAll(all)
		over.Store(true)
	}()
	time.Sleep(5 * time.Millisecond)
	oneByOne(func() {
		out = 1
		mu.Lock()
		for !over.Load() {
			time.Sleep(time.Millisecond)
		}
		mu.Unlock()
	}, func() {
		mu.Lock()
		first := all[19_999].flag
		mu.Unlock()
		if first && out != 1 {
			t.Error(out)
		}
	})
}

// askingShared is asking with sections for reading, of which one asks.
func askingShared(looks bool, early, late func()) {
	var mu sync.RWMutex
	q := newQuestion(byStore)
	all := make([]seen, 20_000)
	visitAll(make([]seen, 20_000))
	go q.answerOne(all)
	time.Sleep(5 * time.Millisecond)
	oneByOne(func() {
		early()
		mu.RLock()
		q.inquire()
		mu.RUnlock()
	}, func() {
		first := true
		mu.Lock()
		if looks {
			first = all[19_999].flag
		}
		mu.Unlock()
		if first {
			late()
		}
	})
}

func TestNoRaceAskedWhileReading(t *testing.T) {
	out := 0
	askingShared(true, func() { out = 1 }, func() { out++ })
}

func TestRaceAskedWhileReading(t *testing.T) {
	out := 0
	askingShared(false, func() { out = 1 }, func() { out++ })
}

// The reader asks another one to look.
func TestNoRaceAskedToLook(t *testing.T) {
	var mu sync.Mutex
	q := newQuestion(byStore)
	all := make([]seen, 20_000)
	first, out := false, 0
	visitAll(all)
	all[999].flag = false
	go func() {
		for !q.asked() {
			time.Sleep(time.Millisecond)
		}
		first = all[999].flag
		q.answer()
	}()
	oneByOne(func() {
		out = 1
		mu.Lock()
		visit(&all[999])
		mu.Unlock()
	}, func() {
		mu.Lock()
		q.inquire()
		mu.Unlock()
		if first && out != 1 {
			t.Error(out)
		}
	})
}

// A section that tells somebody something, and is told something else, has nothing to do with what others did meanwhile.
func TestRaceToldMeanwhile(t *testing.T) {
	var mu sync.Mutex
	var served, level atomic.Int32
	var end atomic.Bool
	all := make([]seen, 20_000)
	hits, out := 0, 0
	go func() {
		for n := int32(1); !end.Load(); n++ {
			visitAll(all)
			level.Store(n)
		}
	}()
	defer end.Store(true)
	oneByOne(func() {
		out = 1
		mu.Lock()
		served.Store(1)
		for range 3 {
			if level.Load() >= 0 {
				time.Sleep(time.Millisecond)
			}
		}
		mu.Unlock()
	}, func() {
		mu.Lock()
		hits++
		mu.Unlock()
		out++
	})
}

// So does one that takes another lock several times, which others take in between to look at something of their own.
func TestRaceOtherLockMeanwhile(t *testing.T) {
	var mu, inner sync.Mutex
	var end atomic.Bool
	ours, theirs, hits, out := 0, 0, 0, 0
	go func() {
		for !end.Load() {
			inner.Lock()
			theirs++
			inner.Unlock()
			time.Sleep(100 * time.Microsecond)
		}
	}()
	defer end.Store(true)
	oneByOne(func() {
		out = 1
		mu.Lock()
		for range 10 {
			inner.Lock()
			ours++
			inner.Unlock()
			time.Sleep(time.Millisecond)
		}
		mu.Unlock()
	}, func() {
		mu.Lock()
		hits++
		mu.Unlock()
		out++
	})
}
