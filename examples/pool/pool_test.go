// Package pool reuses objects through sync.Pool.
package pool

import (
	"sync"
	"testing"

	"github.com/racepred/racepred/examples/internal/sched"
)

type record struct{ n int }

// Put happens before the Get that returns the object.
func TestNoRacePool(t *testing.T) {
	pool := sync.Pool{New: func() any { return new(record) }}
	work := func() {
		for range 16 {
			r := pool.Get().(*record)
			r.n++
			pool.Put(r)
		}
	}
	sched.InTurn(work, work, work)
}

// The objects are used once more after they were put back.
func TestRaceUseAfterPut(t *testing.T) {
	pool := sync.Pool{New: func() any { return new(record) }}
	sched.InTurn(
		func() {
			// Several, because a pool may drop what it is given.
			var all [16]*record
			for i := range all {
				all[i] = new(record)
			}
			for _, r := range all {
				pool.Put(r)
			}
			for _, r := range all {
				r.n = 1
			}
		},
		func() {
			for range 16 {
				pool.Get().(*record).n++
			}
		},
	)
}
