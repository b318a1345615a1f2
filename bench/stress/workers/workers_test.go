// Package workers makes the garbage collector start new workers, of which the runtime has as many
// as there ever were processors at a time.
//
// A cycle of it begins wherever something is allocated, and here that is often in the engine,
// during a drain: the program allocates little, and the engine something for each lock. Then the
// channel on which new workers report is allocated there, too. Its memory was another object
// before, which was written by a goroutine that nothing orders before the workers. Nothing races.
package workers

import (
	"flag"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"
)

var most = flag.Int("n", 32, "processors to have in the end")

// object has about the size of a channel.
type object struct {
	words [14]int
}

// locks are each taken once, so that the engine has to allocate memory for each. They are not in
// the heap.
var locks [1 << 20]sync.Mutex

func TestWorkers(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	written, cycles, next := 0, collections(), 0
	for n := 2; n <= *most; n++ {
		done := make(chan bool)
		go func() {
			written += write()
			done <- true
		}()
		<-done
		runtime.GOMAXPROCS(n)
		for before := collections(); collections() == before && next < len(locks); {
			for range 1 << 8 {
				locks[next].Lock()
				locks[next].Unlock()
				next++
			}
			garbage = new([1 << 10]int) // the next cycle is due when the program itself has allocated enough
		}
	}
	if next == len(locks) {
		t.Error("more locks are needed")
	}
	t.Logf("%d objects written, up to %d processors, %d collections", written, *most, collections()-cycles)
}

// write writes objects that nobody keeps, and says how many.
func write() int {
	var list [512]*object
	for i := range list {
		list[i] = new(object)
	}
	var mu sync.Mutex // it ends the span, so that what follows is recorded
	mu.Lock()
	mu.Unlock()
	for _, o := range list {
		for i := range o.words {
			o.words[i]++
		}
	}
	return len(list)
}

var garbage *[1 << 10]int

var stats debug.GCStats

// collections is how many cycles there were.
func collections() int64 {
	debug.ReadGCStats(&stats)
	return stats.NumGC
}
