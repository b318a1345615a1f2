// Package once initializes lazily.
package once

import (
	"sync"
	"testing"

	"github.com/racepred/racepred/examples/internal/sched"
)

type config struct{ name string }

// What Do's function wrote is visible after every Do.
func TestNoRaceOnce(t *testing.T) {
	var (
		once sync.Once
		conf *config
	)
	get := func() *config {
		once.Do(func() { conf = &config{name: "first"} })
		return conf
	}
	sched.InTurn(
		func() { _ = get().name },
		func() { _ = get().name },
		func() { _ = get().name },
	)
}

// OnceValue is the same in one line.
func TestNoRaceOnceValue(t *testing.T) {
	get := sync.OnceValue(func() *config { return &config{name: "first"} })
	sched.InTurn(
		func() { _ = get().name },
		func() { _ = get().name },
	)
}

// A hand-made once: both goroutines may find nil.
func TestRaceHandMadeOnce(t *testing.T) {
	var conf *config
	get := func() *config {
		if conf == nil {
			conf = &config{name: "first"}
		}
		return conf
	}
	sched.InTurn(
		func() { _ = get().name },
		func() { _ = get().name },
	)
}

// Double-checked locking without an atomic: the first check holds no lock.
func TestRaceDoubleChecked(t *testing.T) {
	var (
		mu   sync.Mutex
		conf *config
	)
	get := func() *config {
		if conf != nil {
			return conf
		}
		mu.Lock()
		defer mu.Unlock()
		if conf == nil {
			conf = &config{name: "first"}
		}
		return conf
	}
	sched.InTurn(
		func() { _ = get().name },
		func() { _ = get().name },
	)
}

// Changing the value after the once is no longer covered by it.
func TestRaceAfterOnce(t *testing.T) {
	var (
		once sync.Once
		conf *config
	)
	get := func() *config {
		once.Do(func() { conf = &config{} })
		return conf
	}
	sched.InTurn(
		func() { get().name = "a" },
		func() { get().name = "b" },
	)
}
