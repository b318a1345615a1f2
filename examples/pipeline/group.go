// Package pipeline has a group of goroutines with a first error, and stages
// connected by channels. Nothing in it races.
package pipeline

import (
	"errors"
	"sync"
)

// Group runs functions and keeps the first error of any of them.
type Group struct {
	wg   sync.WaitGroup
	once sync.Once
	err  error
}

// Go runs f on a goroutine of its own.
func (g *Group) Go(f func() error) {
	g.wg.Add(1)
	go func() {
		defer g.wg.Done()
		if err := f(); err != nil {
			g.once.Do(func() { g.err = err })
		}
	}()
}

// Wait waits for all functions and returns the first error.
func (g *Group) Wait() error {
	g.wg.Wait()
	return g.err
}

// ErrNegative is what Square says of a negative number.
var ErrNegative = errors.New("pipeline: negative number")

// Number travels through the pipeline, owned by one stage at a time.
type Number struct{ Value int }

// Produce sends the numbers and closes the channel.
func Produce(values ...int) <-chan *Number {
	out := make(chan *Number)
	go func() {
		defer close(out)
		for _, v := range values {
			out <- &Number{Value: v}
		}
	}()
	return out
}

// Square squares in place, with the given number of workers.
func Square(in <-chan *Number, workers int) (<-chan *Number, *Group) {
	out := make(chan *Number, workers)
	g := new(Group)
	for range workers {
		g.Go(func() error {
			var failed error
			for n := range in {
				if n.Value < 0 {
					failed = ErrNegative
					continue
				}
				n.Value *= n.Value
				out <- n
			}
			return failed
		})
	}
	go func() {
		_ = g.Wait()
		close(out)
	}()
	return out, g
}
