// Package accesses reads and writes many variables very often, from goroutines that a lock orders
// now and then, so that repeats are no more than one in a few.
package accesses

import (
	"flag"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
)

var (
	accesses  = flag.Int("n", 10_000_000, "accesses")
	variables = flag.Int("vars", 100_000, "variables")
)

const goroutines = 4

// shard is a part of the variables, and the lock that guards it.
type shard struct {
	mu   sync.Mutex
	vars []int
}

func TestAccesses(t *testing.T) {
	shards := make([]shard, 100)
	for i := range shards {
		shards[i].vars = make([]int, *variables/len(shards))
	}
	const burst = 50 // variables in one critical section, each read and written
	sections := *accesses / (2 * burst)
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			for i := range sections / goroutines {
				s := &shards[(i*17+g*31)%len(shards)]
				at := i * burst
				s.mu.Lock()
				for k := range burst {
					s.vars[(at+k*13)%len(s.vars)]++
				}
				s.mu.Unlock()
			}
		})
	}
	wg.Wait()
	sum := 0
	for i := range shards {
		for _, v := range shards[i].vars {
			sum += v
		}
	}
	if want := sections / goroutines * goroutines * burst; sum != want {
		t.Fatalf("%d, want %d", sum, want)
	}
	t.Logf("%d accesses of %d variables; %d MB resident at the end", 2*sum, *variables, resident()>>20)
}

// resident is how much memory the process has, 0 where that is not known.
func resident() int {
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(b))
	n, _ := strconv.Atoi(fields[1])
	return n * os.Getpagesize()
}
