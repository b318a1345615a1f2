// What is left out where positions are busy.

package guarded

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Positions that record no more after some hundred times. What they leave out lies in sections in ways that are not seen at the
// access itself. In each pair the reader of out looks at a flag that tells whether the other's section came first, or does not look.

// seen is made by the 20,000: a small test has no busy positions (Q1).
type seen struct{ flag bool }

func visit(s *seen) { s.flag = true }

// oneByOne runs the goroutine that writes out and then its section, and after that the reader.
func oneByOne(first, second func()) {
	done := make(chan bool)
	go func() { first(); done <- true }()
	time.Sleep(20 * time.Millisecond)
	second()
	<-done
}

// others has four goroutines visit all, and waits for them.
func others(all []seen) {
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			n := len(all) / 4
			for i := range n {
				visit(&all[w*n+i])
			}
		})
	}
	wg.Wait()
}

func TestNoRaceOthersInSection(t *testing.T) {
	var mu sync.Mutex
	all := make([]seen, 20_000)
	out := 0
	oneByOne(func() {
		out = 1
		mu.Lock()
		others(all)
		mu.Unlock()
	}, func() {
		mu.Lock()
		first := all[999].flag
		mu.Unlock()
		if first && out != 1 {
			t.Error(out)
		}
	})
}

func TestRaceOthersInSection(t *testing.T) {
	var mu sync.Mutex
	all := make([]seen, 20_000)
	out := 0
	oneByOne(func() {
		out = 1
		mu.Lock()
		others(all)
		mu.Unlock()
	}, func() {
		mu.Lock()
		mu.Unlock()
		_ = out
	})
}

// The reader's section has the look at the flag done by somebody else.
func TestNoRaceOtherLooks(t *testing.T) {
	var mu sync.Mutex
	all := make([]seen, 20_000)
	out := 0
	others(all)
	all[999].flag = false
	oneByOne(func() {
		out = 1
		mu.Lock()
		visit(&all[999])
		mu.Unlock()
	}, func() {
		var wg sync.WaitGroup
		first := false
		mu.Lock()
		wg.Go(func() { first = all[999].flag })
		wg.Wait()
		mu.Unlock()
		if first && out != 1 {
			t.Error(out)
		}
	})
}

type service struct {
	mu    sync.RWMutex
	ready bool
}

func (s *service) isReady() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.ready
}

func (s *service) setReady() {
	s.mu.Lock()
	s.ready = true
	s.mu.Unlock()
}

func askAll(all []service) {
	for i := range all {
		all[i].isReady()
	}
}

func TestNoRaceReadSectionLeftOut(t *testing.T) {
	all := make([]service, 20_000)
	out := 0
	oneByOne(func() {
		out = 1
		all[7].setReady()
	}, func() {
		askAll(all[100:])
		if all[7].isReady() && out != 1 {
			t.Error(out)
		}
	})
}

func TestRaceReadSectionLeftOut(t *testing.T) {
	all := make([]service, 20_000)
	out := 0
	oneByOne(func() {
		out = 1
		all[7].mu.Lock()
		all[7].mu.Unlock()
	}, func() {
		askAll(all[100:])
		all[7].isReady()
		_ = out
	})
}

type job struct{ state int32 }

func (j *job) reset() { *j = job{state: 1} }

func resetAll(all []job) {
	for i := range all {
		all[i].reset()
	}
}

func TestNoRaceAtomicAlone(t *testing.T) {
	var mu sync.Mutex
	all := make([]job, 1000)
	out := 0
	oneByOne(func() {
		out = 1
		resetAll(all[:999])
		mu.Lock()
		all[999].reset()
		mu.Unlock()
	}, func() {
		mu.Lock()
		first := atomic.LoadInt32(&all[999].state) == 1
		mu.Unlock()
		if first && out != 1 {
			t.Error(out)
		}
	})
}

func TestRaceAtomicAlone(t *testing.T) {
	var mu sync.Mutex
	var state int32
	all := make([]job, 1000)
	out := 0
	oneByOne(func() {
		out = 1
		resetAll(all)
		mu.Lock()
		atomic.LoadInt32(&state)
		mu.Unlock()
	}, func() {
		mu.Lock()
		atomic.LoadInt32(&state)
		mu.Unlock()
		_ = out
	})
}

// The section waits by an atomic operation for who it started.
func TestNoRaceOtherSpunFor(t *testing.T) {
	var mu sync.Mutex
	var over atomic.Bool
	all := make([]seen, 20_000)
	out := 0
	inSection := func() {
		for i := range all {
			visit(&all[i])
		}
		over.Store(true)
	}
	oneByOne(func() {
		out = 1
		mu.Lock()
		go inSection()
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

// Locks that are taken at a busy position, by sections that leave out nothing, or reads. What the last section does in the tests below is done to the last
// of many objects, which both goroutines have.

type gate struct {
	mu   sync.Mutex
	open bool
}

// gatesOf are a thousand gates of one goroutine, and last.
func gatesOf(last *gate) []*gate {
	all := make([]*gate, 1000)
	for i := range all {
		all[i] = new(gate)
	}
	return append(all, last)
}

// What is done in a section.
const (
	passes = iota
	looks
	opensLast  // where any gate may be opened,
	looksLast  // or looked at
	looksOpens // looks, and opens the last one
)

func (g *gate) isOpen() bool { return g.open }

func (g *gate) setOpen() { g.open = true }

// passAll enters a section of each gate. Before the last one it does something else. It returns what it saw of that one.
func passAll(all []*gate, before func(), does int) (open bool) {
	for i, g := range all {
		last := i == len(all)-1
		if last {
			before()
		}
		g.mu.Lock()
		switch {
		case does == looks:
			open = g.isOpen()
		case does == opensLast && last:
			g.setOpen()
		case does == looksLast && last:
			open = g.isOpen()
		case does == looksOpens && !g.isOpen() && last:
			g.open = true
		}
		g.mu.Unlock()
	}
	return open
}

func nothing() {}

// bothPass has two goroutines pass gates of their own and then one that both have. What comes before and after that is ordered only if the second one sees
// what the first one did.
func bothPass(first, second int, before func(), after func(open bool)) {
	var both gate
	one, other := gatesOf(&both), gatesOf(&both)
	for _, g := range gatesOf(new(gate)) {
		g.setOpen()
		g.isOpen()
	}
	oneByOne(func() { passAll(one, before, first) }, func() { after(passAll(other, nothing, second)) })
}

func TestNoRaceBusyLockTold(t *testing.T) {
	out := 0
	bothPass(opensLast, looksLast, func() { out = 1 }, func(open bool) {
		if open && out != 1 {
			t.Error(out)
		}
	})
}

func TestNoRaceBusyLockToldAlways(t *testing.T) {
	out := 0
	bothPass(opensLast, looks, func() { out = 1 }, func(open bool) {
		if open && out != 1 {
			t.Error(out)
		}
	})
}

// The section reads as ever, and then writes, too.
func TestNoRaceBusyLockReadsAndWrites(t *testing.T) {
	out := 0
	bothPass(looksOpens, looks, func() { out = 1 }, func(open bool) {
		if open && out != 1 {
			t.Error(out)
		}
	})
}

func TestRaceBusyLockEmpty(t *testing.T) {
	out := 0
	bothPass(passes, passes, func() { out = 1 }, func(bool) { _ = out })
}

func TestRaceBusyLockReads(t *testing.T) {
	out := 0
	bothPass(looks, looks, func() { out = 1 }, func(bool) { _ = out })
}

func TestRaceBusyLockOneReads(t *testing.T) {
	out := 0
	bothPass(passes, looks, func() { out = 1 }, func(bool) { _ = out })
}
