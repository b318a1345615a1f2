package pipeline

import (
	"errors"
	"testing"
)

// Each number is owned by one stage at a time; the channels hand it on.
func TestNoRacePipeline(t *testing.T) {
	out, g := Square(Produce(1, 2, 3, 4, 5), 3)
	sum := 0
	for n := range out {
		n.Value++
		sum += n.Value
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	if sum != 60 {
		t.Errorf("sum = %d, want 60", sum)
	}
}

// The first error wins and is read after the wait.
func TestNoRaceFirstError(t *testing.T) {
	out, g := Square(Produce(1, -2, 3, -4), 2)
	for range out {
	}
	if err := g.Wait(); !errors.Is(err, ErrNegative) {
		t.Errorf("error %v, want %v", err, ErrNegative)
	}
}

// Results are gathered by index: one variable per goroutine.
func TestNoRaceFanOut(t *testing.T) {
	var g Group
	lengths := make([]int, 5)
	for i, word := range []string{"a", "bb", "ccc", "dddd", "eeeee"} {
		g.Go(func() error {
			lengths[i] = len(word)
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, n := range lengths {
		total += n
	}
	if total != 15 {
		t.Errorf("total = %d, want 15", total)
	}
}

// A generation of workers ends before the next begins.
func TestNoRaceGenerations(t *testing.T) {
	state := make([]int, 4)
	for range 3 {
		var g Group
		next := make([]int, len(state))
		for i := range state {
			g.Go(func() error {
				next[i] = state[i] + state[(i+1)%len(state)] + 1
				return nil
			})
		}
		if err := g.Wait(); err != nil {
			t.Fatal(err)
		}
		state = next
	}
	if state[0] != 7 {
		t.Errorf("state[0] = %d, want 7", state[0])
	}
}

// Gathering into one shared slice without a lock is the usual mistake.
func TestRaceFanIn(t *testing.T) {
	var g Group
	var all []int
	for i := range 3 {
		g.Go(func() error {
			all = append(all, i)
			return nil
		})
	}
	_ = g.Wait()
}
