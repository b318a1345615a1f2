// An Add to a count of zero, beside a Wait that does not come after it: the Wait may find the count as it was and not wait.

package guarded

import (
	"bytes"
	"fmt"
	"reflect"
	"sync"
	"testing"
	"time"
)

// office has a lock between the two, and an end that is told under it.
type office struct {
	mu     sync.Mutex
	closed bool
	wg     sync.WaitGroup
}

func (g *office) pass() {
	g.mu.Lock()
	g.mu.Unlock()
}

func TestRaceAddInside(t *testing.T) {
	var wg sync.WaitGroup
	done := make(chan bool)
	go func() {
		wg.Add(1)
		wg.Done()
		done <- true
	}()
	wg.Wait()
	<-done
}

func TestNoRaceAddOutside(t *testing.T) {
	var wg sync.WaitGroup
	done := make(chan bool)
	wg.Add(1)
	go func() {
		wg.Done()
		done <- true
	}()
	wg.Wait()
	<-done
}

func TestRaceWaitFirst(t *testing.T) {
	g := &office{}
	done := make(chan bool)
	go func() {
		nap()
		g.pass()
		g.wg.Go(func() {})
		done <- true
	}()
	g.wg.Wait()
	g.pass()
	<-done
}

func TestNoRaceWaitFirst(t *testing.T) {
	g := &office{}
	begin, done := make(chan bool), make(chan bool)
	go func() {
		<-begin
		g.pass()
		g.wg.Go(func() {})
		done <- true
	}()
	g.wg.Wait()
	g.pass()
	begin <- true
	<-done
}

func TestRaceAddFirst(t *testing.T) {
	g := &office{}
	done := make(chan bool)
	go func() {
		g.wg.Add(1)
		g.pass()
		longNap()
		g.wg.Done()
		done <- true
	}()
	nap()
	g.pass()
	g.wg.Wait()
	<-done
}

// TestRaceAddOver: the count is zero again when the Wait comes.
func TestRaceAddOver(t *testing.T) {
	g := &office{}
	done := make(chan bool)
	go func() {
		g.wg.Add(1)
		g.wg.Done()
		done <- true
	}()
	nap()
	g.wg.Wait()
	<-done
}

// enter counts a caller that comes before the end.
func (g *office) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return false
	}
	g.wg.Add(1)
	return true
}

func (g *office) end() {
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
	g.wg.Wait()
}

func callers(g *office, late time.Duration) {
	done := make(chan bool)
	for i := range 4 {
		go func() {
			if i > 1 {
				time.Sleep(late)
			}
			if g.enter() {
				g.pass()
				g.wg.Done()
			}
			done <- true
		}()
	}
	nap()
	g.end()
	for range 4 {
		<-done
	}
}

func TestNoRaceEndedUnderLock(t *testing.T) { callers(&office{}, 0) }

func TestNoRaceCallersLate(t *testing.T) { callers(&office{}, 20*time.Millisecond) }

// TestRaceEndUnread: the callers do not look at what the end tells.
func TestRaceEndUnread(t *testing.T) {
	g := &office{}
	done := make(chan bool)
	go func() {
		g.mu.Lock()
		g.wg.Add(1)
		g.mu.Unlock()
		g.wg.Done()
		done <- true
	}()
	nap()
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
	g.wg.Wait()
	<-done
}

// TestNoRaceManyWait: those who wait do not race with each other, whether they find zero or wait.
func TestNoRaceManyWait(t *testing.T) {
	var wg sync.WaitGroup
	done := make(chan bool)
	wg.Add(1)
	for i := range 4 {
		go func() {
			if i > 1 {
				longNap()
			}
			wg.Wait()
			done <- true
		}()
	}
	nap()
	wg.Done()
	for range 4 {
		<-done
	}
	wg.Wait()
}

func TestNoRaceRounds(t *testing.T) {
	g := &office{}
	for range 3 {
		g.wg.Wait()
		for range 3 {
			g.wg.Go(g.pass)
		}
		g.wg.Wait()
		g.wg.Wait()
	}
}

// TestNoRaceAddMore: workers that are counted count more of them while others wait.
func TestNoRaceAddMore(t *testing.T) {
	g := &office{}
	done := make(chan bool)
	g.wg.Add(1)
	go func() {
		for range 5 {
			g.wg.Go(g.pass)
			g.pass()
		}
		g.wg.Done()
	}()
	go func() {
		g.wg.Wait()
		done <- true
	}()
	g.wg.Wait()
	<-done
}

// TestNoRaceHolder: either of the two may find the count at zero, and the holder calls Done after the worker's Add.
func TestNoRaceHolder(t *testing.T) {
	g := &office{}
	in, over := make(chan bool), make(chan bool)
	go func() {
		g.mu.Lock()
		g.wg.Add(1)
		g.mu.Unlock()
		in <- true
		g.wg.Done()
	}()
	nap()
	g.mu.Lock()
	g.wg.Add(1)
	g.mu.Unlock()
	go func() {
		g.wg.Wait()
		over <- true
	}()
	<-in
	g.wg.Done()
	<-over
}

// TestRaceHolderGone: the holder lets go without a look at the worker.
func TestRaceHolderGone(t *testing.T) {
	g := &office{}
	done := make(chan bool)
	g.wg.Add(1)
	go func() {
		nap()
		g.wg.Add(1)
		g.wg.Done()
		done <- true
	}()
	g.wg.Done()
	g.wg.Wait()
	<-done
}

// looked has a WaitGroup that nobody adds to while others look at all of it.
func looked(look func(*office)) {
	g := &office{}
	done := make(chan bool)
	go func() {
		g.wg.Wait()
		done <- true
	}()
	go func() {
		look(g)
		done <- true
	}()
	<-done
	<-done
}

func TestNoRacePrinted(t *testing.T) {
	looked(func(g *office) {
		var b bytes.Buffer
		fmt.Fprintf(&b, "%+v", g)
	})
}

func TestNoRaceCompared(t *testing.T) {
	looked(func(g *office) { reflect.DeepEqual(g, &office{}) })
}

func TestNoRaceGroupCopied(t *testing.T) {
	looked(func(g *office) { _ = *g })
}

// TestRaceGroupCopied: the copy has a part of the Add.
func TestRaceGroupCopied(t *testing.T) {
	g := &office{}
	done := make(chan bool)
	go func() {
		g.wg.Add(1)
		done <- true
	}()
	var copied office
	copied = *g
	_ = copied.closed
	<-done
}
