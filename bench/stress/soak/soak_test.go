// Package soak does a bit of everything that goroutines do, in rounds, for as long as it is told
// to, and checks that each round came out right. Nothing races.
package soak

import (
	"flag"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"
)

var (
	duration = flag.Duration("for", 2*time.Second, "how long")
	scale    = flag.Int("scale", 20, "how much of everything is in one round")
)

// loads are what a round consists of. Each is told how much to do, and returns what it got and what
// is right.
var loads = map[string]func(n int) (got, want int){
	"pipeline":  pipeline,
	"workers":   workers,
	"rendez":    rendezvous,
	"bank":      bank,
	"readers":   readers,
	"trylock":   tryLock,
	"cond":      condQueue,
	"once":      once,
	"selects":   selects,
	"timers":    timers,
	"tickers":   tickers,
	"contexts":  contexts,
	"churn":     churn,
	"panics":    panics,
	"goexit":    goexit,
	"pools":     pools,
	"maps":      maps,
	"atomics":   atomics,
	"garbage":   garbage,
	"finalizer": finalizers,
	"semaphore": semaphore,
	"printing":  printing,
}

func TestSoak(t *testing.T) {
	end := time.Now().Add(*duration)
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	rounds := 0
	for ; rounds == 0 || time.Now().Before(end); rounds++ {
		ok := t.Run(fmt.Sprint(rounds), func(t *testing.T) {
			var all sync.WaitGroup
			for name, load := range loads {
				all.Go(func() {
					if got, want := load(*scale); got != want {
						t.Errorf("%s: %d, want %d", name, got, want)
					}
				})
			}
			all.Wait()
		})
		if !ok {
			break
		}
	}
	var after runtime.MemStats
	runtime.ReadMemStats(&after)
	t.Logf("%d rounds of %d loads, %d collections of garbage", rounds, len(loads), after.NumGC-before.NumGC)
}
