package accidental

import (
	"errors"
	"fmt"
	"log"
	"log/slog"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/racepred/racepred/examples/internal/sched"
)

// Both log under a lock of their own, and are not the first ones: the first one looks for the time
// zone, once for all.
func TestRacePredictedLogUnderLock(t *testing.T) {
	var (
		mu sync.Mutex
		x  int
	)
	log.Print("begin")
	sched.InTurn(
		func() {
			x = 1
			mu.Lock()
			log.Printf("worker %d", 1)
			mu.Unlock()
		},
		func() {
			mu.Lock()
			log.Printf("worker %d", 2)
			mu.Unlock()
			x++
		},
	)
}

// Both log an error.
func TestRacePredictedErrorUnderLock(t *testing.T) {
	var (
		mu sync.Mutex
		x  int
	)
	err := errors.New("no")
	sched.InTurn(
		func() {
			x = 1
			mu.Lock()
			log.Println("worker", 1, err)
			mu.Unlock()
		},
		func() {
			mu.Lock()
			log.Println("worker", 2, err)
			mu.Unlock()
			x++
		},
	)
}

// Both log with attributes.
func TestRacePredictedSlogUnderLock(t *testing.T) {
	var (
		mu sync.Mutex
		x  int
	)
	sched.InTurn(
		func() {
			x = 1
			mu.Lock()
			slog.Info("worker", "n", 1, slog.Duration("took", time.Second))
			mu.Unlock()
		},
		func() {
			mu.Lock()
			slog.Info("worker", "n", 2, slog.Duration("took", time.Second))
			mu.Unlock()
			x++
		},
	)
}

// Both log JSON.
func TestRacePredictedJSONUnderLock(t *testing.T) {
	var (
		mu sync.Mutex
		x  int
	)
	logger := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	sched.InTurn(
		func() {
			x = 1
			mu.Lock()
			logger.Info("worker", "n", 1)
			mu.Unlock()
		},
		func() {
			mu.Lock()
			logger.Info("worker", "n", 2)
			mu.Unlock()
			x++
		},
	)
}

// Both print.
func TestRacePredictedPrintUnderLock(t *testing.T) {
	var (
		mu sync.Mutex
		x  int
	)
	sched.InTurn(
		func() {
			x = 1
			mu.Lock()
			fmt.Println("worker", 1)
			mu.Unlock()
		},
		func() {
			mu.Lock()
			fmt.Println("worker", 2)
			mu.Unlock()
			x++
		},
	)
}

// Both make text of a number.
func TestRacePredictedTextUnderLock(t *testing.T) {
	var (
		mu sync.Mutex
		x  int
	)
	sched.InTurn(
		func() {
			x = 1
			mu.Lock()
			_ = fmt.Sprintf("%03d", 1)
			mu.Unlock()
		},
		func() {
			mu.Lock()
			_ = fmt.Sprintf("%03d", 2)
			mu.Unlock()
			x++
		},
	)
}

// A goroutine that sees that its line is the second comes second.
func TestNoRaceLogUnderLockCounted(t *testing.T) {
	var (
		mu    sync.Mutex
		n, x  int
		count = func() bool {
			mu.Lock()
			defer mu.Unlock()
			n++
			log.Printf("line %d", n)
			return n == 2
		}
	)
	sched.InTurn(
		func() {
			x = 1
			count()
		},
		func() {
			if count() {
				x++
			}
		},
	)
}
