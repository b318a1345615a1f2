// Package published has goroutines that pass plain variables to each other by atomic ones, which
// they load again and again. A recorder that left out loads without new information would have to
// be right about these. The plain variables are accessed long after the wait for them.
package published

import (
	"flag"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var duration = flag.Duration("for", 2*time.Second, "how long")

const (
	writers = 24
	readers = 3
)

// published is one variable and the word that says which round it is of. Two words lie in eight
// bytes; some are next to what is accessed plainly.
type published struct {
	mu    sync.Mutex
	round atomic.Uint32
	other atomic.Uint32 // stored at another time than round
	plain int32
	tag   atomic.Int32 // in eight bytes with plain
	data  int
	more  *[4]int
}

func TestPublished(t *testing.T) {
	end := time.Now().Add(*duration)
	var all [writers]published
	var done atomic.Int64 // rounds that readers are through with, all together
	var over atomic.Bool
	var rounds [writers]int
	wrong := 0
	var group sync.WaitGroup
	for r := range readers {
		group.Go(func() {
			for n := 1; ; n++ {
				for i := range all {
					if !await(&all[i], n, r, &over) {
						return
					}
				}
				work()
				for i := range all {
					p := &all[i]
					if p.data != n || int(p.plain) != n || p.more[r] != n {
						wrong++ // which nobody does
					}
				}
				done.Add(1)
			}
		})
	}
	for i := range all {
		group.Go(func() { // a goroutine for each word, so that an acquire of one word orders no other
			p := &all[i]
			for n := 1; time.Now().Before(end); n++ {
				p.data, p.plain = n, int32(n)
				p.more = &[4]int{n, n, n, n}
				publish(p, n, i)
				for done.Load() < int64(n*readers) {
					if over.Load() {
						return
					}
					time.Sleep(10 * time.Microsecond)
				}
				rounds[i] = n
			}
			over.Store(true)
		})
	}
	group.Wait()
	if wrong > 0 {
		t.Errorf("%d variables came out wrong", wrong)
	}
	t.Logf("%d rounds of %d words", rounds[0], writers)
}

// work fills the recorder's buffers, so that it is time for a change.
func work() {
	list := make([]int, 400)
	for i := range list {
		list[i]++
	}
}

// publish lets readers know of a variable, in one of several ways.
func publish(p *published, n, i int) {
	switch i % 3 {
	case 0:
		p.other.Store(uint32(n))
		p.round.Store(uint32(n))
	case 1:
		p.round.CompareAndSwap(uint32(n-1), uint32(n))
		p.other.Add(1)
	default:
		p.tag.Swap(int32(n))
		p.mu.Lock() // readers do not take it
		p.round.Add(1)
		p.mu.Unlock()
	}
}

// await waits for a round of a variable. It is false when there will not be one.
func await(p *published, n, r int, over *atomic.Bool) bool {
	for tries := 0; int(p.round.Load()) < n; tries++ {
		if tries%64 == 63 {
			if over.Load() {
				return false
			}
			time.Sleep(time.Duration(1+r) * time.Microsecond)
		}
	}
	return true
}
