// Package load has goroutines that store into an atomic.Value and collect garbage.
package load

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

type loadObject struct{ a, b, c int }

var loadSink atomic.Value

func TestNoRaceLoadReuse(t *testing.T) {
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			for i := range 20_000 {
				o := &loadObject{a: g}
				o.b, o.c = i, o.a
				loadSink.Store(o.c)
				if i%5000 == 0 {
					runtime.GC()
				}
			}
		})
	}
	all.Wait()
}
