// What the programs have in common in which one goroutine tells another one through the outside world,
// or through what Go's runtime shows. Their shape is
//
//	x = 1                   wait until told
//	mu.Lock()               mu.Lock()
//	mu.Unlock()             mu.Unlock()
//	tell                    x = 2
//
// In every schedule the first section comes first, since the second goroutine waits. The twin, of the
// same name but for the No, uses the same means, and these do not order its accesses: what is told comes
// too early, or is told elsewhere, or the other way round. Its sections hide that race in the usual order.

package guarded

import (
	"runtime"
	"sync"
	"testing"
	"time"
)

// together runs the functions on goroutines of their own, and waits for them.
func together(functions ...func()) {
	var wg sync.WaitGroup
	for _, f := range functions {
		wg.Add(1)
		go func() {
			defer wg.Done()
			f()
		}()
	}
	wg.Wait()
}

// nap lets another goroutine go first in the usual run. It orders nothing.
func nap() { time.Sleep(10 * time.Millisecond) }

// longNap is the sleep of a goroutine that was told early. It is long enough for the other one to nap and to go first.
func longNap() { time.Sleep(40 * time.Millisecond) }

// until asks again and again. The goroutine ends if the answer never comes.
func until(t *testing.T, told func() bool) {
	for end := time.Now().Add(10 * time.Second); !told(); time.Sleep(500 * time.Microsecond) {
		if time.Now().After(end) {
			t.Error("nobody told")
			runtime.Goexit()
		}
	}
}

// must is for what cannot fail where these programs run.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// get is must for functions with a result.
func get[T any](v T, err error) T {
	must(err)
	return v
}

// box is a variable, and a lock with a counter for either side that the other one does not look at.
type box struct {
	mu          sync.Mutex
	left, right int
	x           int
}

// pass enters the section and leaves it.
func (b *box) pass() {
	b.mu.Lock()
	b.mu.Unlock()
}

func (b *box) countLeft() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left++
}

func (b *box) countRight() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.right++
}
