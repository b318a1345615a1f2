package blocking

import (
	"sync"
	"testing"

	"github.com/racepred/racepred/examples/internal/sched"
)

// What happens here is seen some seconds later, and fails the test that runs then. So these tests
// come last in the package, and their clean twins before them.

// A method that has the lock calls another one that takes it.
func TestDeadlockDoubleLock(t *testing.T) {
	r := &registry{names: map[string]int{}}
	go func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.names["n"] = r.size()
	}()
	sched.Rest(1)
}

// A reader that becomes a writer waits for itself.
func TestDeadlockUpgrade(t *testing.T) {
	r := &registry{names: map[string]int{}}
	go func() {
		r.mu.RLock()
		defer r.mu.RUnlock()
		if len(r.names) == 0 {
			r.mu.Lock()
			r.names["first"] = 1
			r.mu.Unlock()
		}
	}()
	sched.Rest(1)
}

// What a Once does asks the same Once.
func TestDeadlockOnceInOnce(t *testing.T) {
	var (
		once  sync.Once
		value int
		get   func() int
	)
	get = func() int {
		once.Do(func() { value = get() + 1 })
		return value
	}
	go func() { _ = get() }()
	sched.Rest(1)
}

// Two goroutines have each a lock that the other one wants: the deadlock itself, not its
// prediction.
func TestDeadlockEmbrace(t *testing.T) {
	var a, b sync.Mutex
	embrace := func(first, second *sync.Mutex) {
		first.Lock()
		sched.Rest(2)
		second.Lock()
		second.Unlock()
		first.Unlock()
	}
	go embrace(&a, &b)
	go embrace(&b, &a)
	sched.Rest(4)
}
