// A message is left in a channel while the lock is given back, for good or until later.

package guarded

import "testing"

func TestRaceTokenLeft(t *testing.T) {
	var b box
	c := make(chan int, 1)
	inTurn(func() {
		b.x = 1
		b.mu.Lock()
		c <- 1
		b.mu.Unlock()
	}, func() {
		b.pass()
		b.x = 2
	})
}

func TestNoRaceTokenLeft(t *testing.T) {
	var b box
	c := make(chan int, 1)
	inTurn(func() {
		b.x = 1
		b.mu.Lock()
		c <- 1
		b.mu.Unlock()
	}, func() {
		b.mu.Lock()
		full := false
		select {
		case c <- 2:
		default:
			full = true
		}
		b.mu.Unlock()
		if full {
			b.x = 2
		}
	})
}

func TestRaceTokenTakenLater(t *testing.T) {
	var b box
	c := make(chan int, 1)
	inTurn(func() {
		b.x = 1
		b.mu.Lock()
		c <- 1
		b.mu.Unlock()
		<-c
	}, func() {
		b.pass()
		b.x = 2
	})
}

// The second goroutine gets to send when the first has taken out its own.
func TestNoRaceTokenTakenLater(t *testing.T) {
	var b box
	c := make(chan int, 1)
	sent := make(chan bool)
	together(func() {
		b.mu.Lock()
		c <- 1
		b.mu.Unlock()
		close(sent)
		b.x = 1
		b.pass()
		<-c
	}, func() {
		<-sent
		c <- 2
		b.pass()
		b.x = 2
	})
}

func TestNoRaceTokenLeftToMany(t *testing.T) {
	var b box
	c, d := make(chan int, 1), make(chan int, 1)
	inTurn(func() {
		b.x = 1
		b.mu.Lock()
		c <- 1
		d <- 1
		b.mu.Unlock()
	}, func() {
		b.mu.Lock()
		n := len(c) + len(d)
		b.mu.Unlock()
		if n == 2 {
			b.x = 2
		}
	})
}

func TestRaceTokenLeftToMany(t *testing.T) {
	var b box
	c, d := make(chan int, 1), make(chan int, 1)
	inTurn(func() {
		b.x = 1
		b.mu.Lock()
		c <- 1
		d <- 1
		b.mu.Unlock()
	}, func() {
		b.pass()
		b.x = 2
	})
}
