// Package blocked has very many goroutines wait on a channel at one time.
package blocked

import (
	"flag"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

var goroutines = flag.Int("n", 10_000, "goroutines")

func TestBlocked(t *testing.T) {
	gate, done := make(chan struct{}), make(chan int)
	results := make([]int, *goroutines)
	before := resident()
	begin := time.Now()
	for i := range results {
		go func() {
			<-gate
			results[i] = i
			done <- i
		}()
	}
	for waiting := 0; waiting < *goroutines; {
		runtime.Gosched()
		waiting = runtime.NumGoroutine() - 2 // the test's, the main one
	}
	time.Sleep(100 * time.Millisecond) // until the last ones have got to the channel
	after := resident()
	started := time.Since(begin)
	close(gate)
	sum := 0
	for range results {
		sum += <-done
	}
	if want := *goroutines * (*goroutines - 1) / 2; sum != want {
		t.Fatalf("%d, want %d", sum, want)
	}
	t.Logf("%d goroutines waiting: %d bytes each; started in %.1f s, all over after %.1f s", *goroutines, (after-before) / *goroutines,
		started.Seconds(), time.Since(begin).Seconds())
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
