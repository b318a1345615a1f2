package blocking

import (
	"context"
	"io"
	"testing"
	"time"

	"github.com/racepred/racepred/examples/internal/sched"
)

// The caller stops waiting after a while; nothing receives the answer.
func TestLeakAnswerAfterTimeout(t *testing.T) {
	answer := make(chan int)
	go func() {
		sched.Rest(2)
		answer <- 42
	}()
	select {
	case <-answer:
	case <-time.After(sched.Turn):
	}
	sched.Rest(2)
}

// The channel has room for the answer.
func TestNoRaceAnswerAfterTimeout(t *testing.T) {
	answer := make(chan int, 1)
	go func() {
		sched.Rest(2)
		answer <- 42
	}()
	select {
	case <-answer:
	case <-time.After(sched.Turn):
	}
	sched.Rest(2)
}

// The first of three answers is taken; two goroutines keep theirs.
func TestLeakFirstAnswer(t *testing.T) {
	answers := make(chan int)
	for i := range 3 {
		go func() { answers <- i }()
	}
	<-answers
	sched.Rest(1)
}

// A done channel ends those that come too late.
func TestNoRaceFirstAnswer(t *testing.T) {
	answers, done := make(chan int), make(chan bool)
	defer close(done)
	for i := range 3 {
		go func() {
			select {
			case answers <- i:
			case <-done:
			}
		}()
	}
	<-answers
}

// A generator whose reader stops early goes on sending for ever.
func TestLeakGenerator(t *testing.T) {
	for n := range naturals(nil) {
		if n == 3 {
			break
		}
	}
	sched.Rest(1)
}

// The reader says that it stops.
func TestNoRaceGenerator(t *testing.T) {
	stop := make(chan bool)
	for n := range naturals(stop) {
		if n == 3 {
			break
		}
	}
	close(stop)
}

// naturals counts until stop is closed.
func naturals(stop <-chan bool) <-chan int {
	numbers := make(chan int)
	go func() {
		for n := 0; ; n++ {
			select {
			case numbers <- n:
			case <-stop:
				return
			}
		}
	}()
	return numbers
}

// A loop over a channel that is never closed.
func TestLeakWorkerWithoutEnd(t *testing.T) {
	work, results := make(chan int), make(chan int, 3)
	go func() {
		for n := range work {
			results <- n * n
		}
	}()
	for n := range 3 {
		work <- n
	}
	for range 3 {
		<-results
	}
	sched.Rest(1)
}

// The channel is closed when all work is handed out.
func TestNoRaceWorkerWithEnd(t *testing.T) {
	work, results := make(chan int), make(chan int, 3)
	go func() {
		for n := range work {
			results <- n * n
		}
	}()
	for n := range 3 {
		work <- n
	}
	close(work)
	for range 3 {
		<-results
	}
}

// Two goroutines want to send to each other first.
func TestLeakBothSend(t *testing.T) {
	ping, pong := make(chan int), make(chan int)
	go func() {
		ping <- 1
		<-pong
	}()
	go func() {
		pong <- 2
		<-ping
	}()
	sched.Rest(1)
}

// One sends while the other receives.
func TestNoRaceOneSends(t *testing.T) {
	ping, pong := make(chan int), make(chan int)
	go func() {
		ping <- 1
		<-pong
	}()
	go func() {
		<-ping
		pong <- 2
	}()
	sched.Rest(1)
}

// A channel that was never made.
func TestLeakNilChannel(t *testing.T) {
	var service struct{ stopped chan bool }
	go func() { <-service.stopped }()
	sched.Rest(1)
}

// A nil channel in a select switches a case off; another one ends it.
func TestNoRaceNilChannel(t *testing.T) {
	var (
		off  chan bool
		stop = make(chan bool)
	)
	go func() {
		select {
		case <-off:
		case <-stop:
		}
	}()
	close(stop)
}

// A failed job keeps its place in a semaphore, so that the third one waits for ever.
func TestLeakSemaphore(t *testing.T) {
	places := make(chan bool, 2)
	run := func(job func() error) error {
		places <- true
		if err := job(); err != nil {
			return err
		}
		<-places
		return nil
	}
	fails := func() error { return errRefused }
	_, _ = run(fails), run(fails)
	go func() { _ = run(fails) }()
	sched.Rest(1)
}

// The place is given back on every way.
func TestNoRaceSemaphore(t *testing.T) {
	places := make(chan bool, 2)
	run := func(job func() error) error {
		places <- true
		defer func() { <-places }()
		return job()
	}
	fails := func() error { return errRefused }
	_, _ = run(fails), run(fails)
	go func() { _ = run(fails) }()
	sched.Rest(1)
}

// loop hands its events to the one who stops it.
type loop struct {
	events chan int
	quit   chan bool
	ended  chan bool
}

func newLoop() *loop {
	l := &loop{events: make(chan int), quit: make(chan bool), ended: make(chan bool)}
	return l
}

func (l *loop) run() {
	defer close(l.ended)
	for n := 0; ; n++ {
		select {
		case <-l.quit:
			return
		default:
		}
		l.events <- n
	}
}

// Stop waits for the loop's end, and the loop for the reader of its events, which is the one that
// stops it.
func TestLeakStopWaits(t *testing.T) {
	l := newLoop()
	go l.run()
	<-l.events
	sched.Rest(1) // until it offers the next one
	go func() {
		close(l.quit)
		<-l.ended
	}()
	sched.Rest(1)
}

// It takes what still comes until the loop has ended.
func TestNoRaceStopWaits(t *testing.T) {
	l := newLoop()
	go l.run()
	<-l.events
	go func() {
		close(l.quit)
		for {
			select {
			case <-l.events:
			case <-l.ended:
				return
			}
		}
	}()
	sched.Rest(1)
}

// A context without a cancel that anybody calls: its watcher stays.
func TestLeakContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	_ = cancel
	go func() { <-ctx.Done() }()
	sched.Rest(1)
}

// The context ends with the test.
func TestNoRaceContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() { <-ctx.Done() }()
	sched.Rest(1)
}

// A deadline wakes the watcher some day: that is no leak.
func TestNoRaceDeadline(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	_ = cancel
	go func() { <-ctx.Done() }()
	sched.Rest(1)
}

// A subscriber with a full buffer has left; the publisher goes on sending to it.
func TestLeakSubscriberLeft(t *testing.T) {
	feed := make(chan int, 2)
	go func() {
		for n := range 4 {
			feed <- n
		}
	}()
	<-feed
	sched.Rest(1)
}

// The publisher drops what a slow subscriber has no room for.
func TestNoRaceSubscriberLeft(t *testing.T) {
	feed := make(chan int, 2)
	go func() {
		for n := range 4 {
			select {
			case feed <- n:
			default:
			}
		}
	}()
	<-feed
	sched.Rest(1)
}

// The reader of a pipe fails and does not close it; the writer waits in it.
func TestLeakPipe(t *testing.T) {
	r, w := io.Pipe()
	go func() {
		for range 2 {
			if _, err := w.Write([]byte("line")); err != nil {
				return
			}
		}
	}()
	_, _ = io.ReadFull(r, make([]byte, 4))
	sched.Rest(1)
}

// The reader closes its end.
func TestNoRacePipe(t *testing.T) {
	r, w := io.Pipe()
	go func() {
		for range 2 {
			if _, err := w.Write([]byte("line")); err != nil {
				return
			}
		}
	}()
	_, _ = io.ReadFull(r, make([]byte, 4))
	r.Close()
	sched.Rest(1)
}

// The first error ends the collector; the other workers cannot give theirs to anybody.
func TestLeakErrors(t *testing.T) {
	errs := make(chan error)
	for range 3 {
		go func() { errs <- errRefused }()
	}
	for range 3 {
		if err := <-errs; err != nil {
			break
		}
	}
	sched.Rest(1)
}

// All errors are taken, and the first one is kept.
func TestNoRaceErrors(t *testing.T) {
	errs := make(chan error)
	for range 3 {
		go func() { errs <- errRefused }()
	}
	var first error
	for range 3 {
		if err := <-errs; first == nil {
			first = err
		}
	}
}
