// Package alone has a goroutine that does much while all others wait for it. What only it has used
// is not recorded then, and what others have used before is.
package alone

import (
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/racepred/racepred/examples/internal/sched"
)

// others is what goroutines have in common that wait for the test.
type others struct {
	mu   sync.Mutex
	end  chan bool
	left sync.WaitGroup
}

func newOthers() *others { return &others{end: make(chan bool)} }

// waits starts a goroutine that calls do and then waits.
func (o *others) waits(do func()) {
	o.left.Go(func() {
		do()
		<-o.end
	})
	sched.Rest(1)
}

// spans does something between the first use of an object and the next.
func (o *others) spans() {
	o.mu.Lock()
	o.mu.Unlock()
}

// works does what would make some thousand records.
func (o *others) works() {
	for range 1 << 10 {
		o.spans()
	}
}

func (o *others) ends() {
	close(o.end)
	o.left.Wait()
}

// readLongAgo has another goroutine read *x and wait. The test has read it in four spans since.
func (o *others) readLongAgo(x *int) (sum int) {
	o.waits(func() { _ = *x + 1 })
	for range 4 {
		o.spans()
		sum += *x
	}
	return sum
}

// The other one wrote before it waited.
func TestRaceWritten(t *testing.T) {
	var x int
	o := newOthers()
	o.waits(func() { x = 1 })
	o.works()
	x = 2
	o.ends()
	_ = x
}

// The same, and the two are ordered.
func TestNoRaceWritten(t *testing.T) {
	var x int
	done := make(chan bool, 1)
	o := newOthers()
	o.waits(func() { x = 1; close(done) })
	o.works()
	<-done
	x = 2
	o.ends()
	_ = x
}

// The other one read, and the test has read in so many spans since that there is no room to
// remember that.
func TestRaceReadLongAgo(t *testing.T) {
	var x int
	o := newOthers()
	sum := o.readLongAgo(&x)
	o.works()
	x = 2
	o.ends()
	_ = sum
}

// Reads do not race.
func TestNoRaceReadLongAgo(t *testing.T) {
	var x int
	o := newOthers()
	sum := o.readLongAgo(&x)
	o.works()
	sum += x
	o.ends()
	_ = sum
}

// The other one published x by a flag, which the test has loaded in many spans.
func TestNoRacePublished(t *testing.T) {
	var (
		x    int
		flag atomic.Bool
	)
	o := newOthers()
	o.waits(func() { x = 1; flag.Store(true) })
	for range 4 {
		o.spans()
		flag.Load()
	}
	o.works()
	if flag.Load() {
		x = 2
	}
	o.ends()
	_ = x
}

// The flag is another one.
func TestRacePublishedElsewhere(t *testing.T) {
	var (
		x           int
		flag, other atomic.Bool
	)
	o := newOthers()
	o.waits(func() { x = 1; flag.Store(true) })
	other.Store(true)
	o.works()
	if other.Load() {
		x = 2
	}
	o.ends()
	_ = x
}

// A lock that both take is between the accesses.
func TestRacePredictedLocked(t *testing.T) {
	var (
		x, n int
		mu   sync.Mutex
	)
	o := newOthers()
	o.waits(func() {
		x = 1
		mu.Lock()
		n++
		mu.Unlock()
	})
	o.works()
	mu.Lock()
	m := 1
	mu.Unlock()
	x = 2 + m
	o.ends()
	_ = n
	_ = x
}

// What is done under the lock does not commute.
func TestNoRaceLocked(t *testing.T) {
	var (
		x    int
		done bool
		mu   sync.Mutex
	)
	o := newOthers()
	o.waits(func() {
		x = 1
		mu.Lock()
		done = true
		mu.Unlock()
	})
	o.works()
	mu.Lock()
	ok := done
	mu.Unlock()
	if ok {
		x = 2
	}
	o.ends()
	_ = x
}

// What unrecorded code wrote under the lock is read under it.
func TestNoRaceFormatted(t *testing.T) {
	var (
		x  int
		b  = make([]byte, 4)
		mu sync.Mutex
	)
	o := newOthers()
	o.waits(func() {
		x = 1
		mu.Lock()
		strconv.AppendInt(b[:0], 7, 10)
		mu.Unlock()
	})
	o.works()
	mu.Lock()
	ok := b[0] == '7'
	mu.Unlock()
	if ok {
		x = 2
	}
	o.ends()
	_ = x
}

// Likewise, and the one that holds the lock meanwhile asks the test.
func TestNoRaceAsked(t *testing.T) {
	var (
		x        int
		b        = make([]byte, 4)
		mu       sync.Mutex
		ask, say = make(chan bool), make(chan bool)
	)
	o := newOthers()
	o.waits(func() {
		x = 1
		mu.Lock()
		strconv.AppendInt(b[:0], 7, 10)
		mu.Unlock()
	})
	o.waits(func() {
		mu.Lock()
		ask <- true
		ok := <-say
		mu.Unlock()
		if ok {
			x = 2
		}
	})
	<-ask
	o.works()
	say <- b[0] == '7'
	o.ends()
	_ = x
}

// The lock is taken before the other goroutine starts, and is not given back until later.
func TestNoRaceHeld(t *testing.T) {
	var (
		x  int
		mu sync.Mutex
	)
	o := newOthers()
	o.works()
	mu.Lock()
	o.waits(func() {
		mu.Lock()
		mu.Unlock()
		x = 1
	})
	x = 2
	mu.Unlock()
	o.ends()
	_ = x
}

// It was given back too early.
func TestRaceHeld(t *testing.T) {
	var (
		x  int
		mu sync.Mutex
	)
	o := newOthers()
	o.works()
	mu.Lock()
	o.waits(func() {
		sched.Rest(1)
		mu.Lock()
		mu.Unlock()
		x = 1
	})
	mu.Unlock()
	x = 2
	o.ends()
	_ = x
}

// Two locks are taken in both orders, one of them before the other goroutine starts.
func TestDeadlockHeld(t *testing.T) {
	var a, b sync.Mutex
	o := newOthers()
	o.works()
	a.Lock()
	o.left.Go(func() {
		sched.Rest(1)
		b.Lock()
		a.Lock()
		a.Unlock()
		b.Unlock()
	})
	b.Lock()
	b.Unlock()
	a.Unlock()
	o.ends()
}

// One order was over when it started.
func TestNoRaceOrderOver(t *testing.T) {
	var a, b sync.Mutex
	o := newOthers()
	o.works()
	a.Lock()
	b.Lock()
	b.Unlock()
	a.Unlock()
	o.left.Go(func() {
		b.Lock()
		a.Lock()
		a.Unlock()
		b.Unlock()
	})
	o.ends()
}

// The test wakes the other goroutine in its section, and then calls unrecorded code there.
func TestNoRaceWokenInside(t *testing.T) {
	var (
		x  int
		b  = make([]byte, 4)
		mu sync.Mutex
		c  = make(chan bool)
	)
	o := newOthers()
	o.waits(func() {
		<-c
		mu.Lock()
		ok := b[0] == '7'
		mu.Unlock()
		if ok {
			x = 2
		}
	})
	o.works()
	mu.Lock()
	c <- true
	x = 1
	strconv.AppendInt(b[:0], 7, 10)
	mu.Unlock()
	o.ends()
	_ = x
}

// account is read and written in two sections.
type account struct {
	mu sync.Mutex
	n  int
}

//racepred:atomic
func (a *account) adds(between func()) {
	a.mu.Lock()
	n := a.n
	a.mu.Unlock()
	between()
	a.mu.Lock()
	a.n = n + 1
	a.mu.Unlock()
}

// A call that is meant to be atomic wakes the other goroutine in its middle.
func TestAtomicityWokenBetween(t *testing.T) {
	var a account
	c := make(chan bool)
	o := newOthers()
	o.waits(func() {
		<-c
		sched.Rest(1)
		a.mu.Lock()
		a.n = 7
		a.mu.Unlock()
	})
	o.works()
	a.adds(func() { c <- true })
	o.ends()
}

// The call is over when the other one is woken.
func TestNoRaceWokenAfterwards(t *testing.T) {
	var a account
	c := make(chan bool)
	o := newOthers()
	o.waits(func() {
		<-c
		a.mu.Lock()
		a.n = 7
		a.mu.Unlock()
	})
	o.works()
	a.adds(func() {})
	c <- true
	o.ends()
}

// A timer wakes the other one, long after the test has used x.
func TestRaceTimer(t *testing.T) {
	var x int
	o := newOthers()
	o.works()
	o.left.Add(1)
	time.AfterFunc(sched.Turn, func() {
		defer o.left.Done()
		x = 1
	})
	x = 2
	sched.Rest(2)
	o.ends()
	_ = x
}

// Of many parallel subtests some wait for their turn while others run.
func TestRaceParallel(t *testing.T) {
	var x int
	for range 40 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			newOthers().works()
			x++
		})
	}
}

// They have a lock.
func TestNoRaceParallel(t *testing.T) {
	var (
		x  int
		mu sync.Mutex
	)
	for range 40 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			newOthers().works()
			mu.Lock()
			x++
			mu.Unlock()
		})
	}
}
