// Package opaque calls, inside of critical sections, code that no recorder
// sees. Two such sections may have met in there, so they must not change places.
package opaque

import (
	"math/rand"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/racepred/racepred/examples/internal/bare"
	"github.com/racepred/racepred/examples/internal/sched"
)

// The second number of the sequence shows that the first one was drawn.
func TestNoRaceRandom(t *testing.T) {
	const seed = 7
	sequence := rand.New(rand.NewSource(seed))
	sequence.Int63()
	second := sequence.Int63()

	var (
		mu     sync.Mutex
		source = rand.New(rand.NewSource(seed))
		x      int
	)
	sched.InTurn(
		func() {
			x = 1
			mu.Lock()
			source.Int63()
			mu.Unlock()
		},
		func() {
			mu.Lock()
			n := source.Int63()
			mu.Unlock()
			if n == second {
				x++
			}
		},
	)
}

// The state is in the file system.
func TestNoRaceFile(t *testing.T) {
	var (
		name = filepath.Join(t.TempDir(), "ready")
		mu   sync.Mutex
		x    int
	)
	sched.InTurn(
		func() {
			x = 1
			mu.Lock()
			_ = os.WriteFile(name, nil, 0o600)
			mu.Unlock()
		},
		func() {
			mu.Lock()
			_, err := os.Stat(name)
			mu.Unlock()
			if err == nil {
				x++
			}
		},
	)
}

// The state is in the environment.
func TestNoRaceEnvironment(t *testing.T) {
	const name = "RACEPRED_EXAMPLE_READY"
	t.Setenv(name, "")
	var (
		mu sync.Mutex
		x  int
	)
	sched.InTurn(
		func() {
			x = 1
			mu.Lock()
			_ = os.Setenv(name, "yes")
			mu.Unlock()
		},
		func() {
			mu.Lock()
			ready := os.Getenv(name)
			mu.Unlock()
			if ready == "yes" {
				x++
			}
		},
	)
}

// Only one of the sections calls something: the other cannot have met it there.
func TestRacePredictedOneSided(t *testing.T) {
	var (
		mu     sync.Mutex
		source = rand.New(rand.NewSource(1))
		limit  = 5
		x      int
	)
	sched.InTurn(
		func() {
			x = 1
			mu.Lock()
			source.Int63()
			mu.Unlock()
		},
		func() {
			mu.Lock()
			_ = limit
			mu.Unlock()
			x++
		},
	)
}

// The state is touched by functions of another package that may not call, so they cannot be
// recorded.
func TestNoRaceMayNotCall(t *testing.T) {
	var (
		mu   sync.Mutex
		flag bare.Flag
		x    int
	)
	sched.InTurn(
		func() {
			x = 1
			mu.Lock()
			flag.Raise()
			mu.Unlock()
		},
		func() {
			mu.Lock()
			up := bare.Up(&flag)
			mu.Unlock()
			if up {
				x++
			}
		},
	)
}
