// Operations that fail because another goroutine was faster, and the fake time of a bubble.

package guarded

import (
	"context"
	"errors"
	"expvar"
	"flag"
	"io"
	"net/http"
	"os/signal"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

func TestNoRaceCloseFails(t *testing.T) {
	var b box
	c := make(chan int)
	together(func() {
		b.x = 1
		b.pass()
		close(c)
	}, func() {
		nap()
		if fails(func() { close(c) }) {
			b.pass()
			b.x = 2
		}
	})
}

// Whose close fails is told by another channel.
func TestRaceCloseFails(t *testing.T) {
	var b box
	c, d := make(chan int), make(chan int)
	close(d)
	together(func() {
		b.x = 1
		b.pass()
		close(c)
	}, func() {
		nap()
		if fails(func() { close(d) }) {
			b.pass()
			b.x = 2
		}
	})
}

// Both may be the one that closes: the other one knows that it comes second.
func TestNoRaceCloseEither(t *testing.T) {
	var b box
	c := make(chan int)
	stop := func() bool { return fails(func() { close(c) }) }
	together(func() {
		b.x = 1
		b.mu.Lock()
		stop()
		b.mu.Unlock()
	}, func() {
		nap()
		if stop() {
			b.pass()
			b.x = 2
		}
	})
}

// Who closes first is not told apart.
func TestRaceCloseEither(t *testing.T) {
	var b box
	c := make(chan int)
	stop := func() bool { return fails(func() { close(c) }) }
	together(func() {
		stop()
		b.x = 1
		b.pass()
	}, func() {
		nap()
		stop()
		b.pass()
		b.x = 2
	})
}

// A send and a close at the same time race themselves, so both are done under the lock.
func TestNoRaceSendFails(t *testing.T) {
	var b box
	c := make(chan int, 10)
	together(func() {
		b.x = 1
		b.mu.Lock()
		close(c)
		b.mu.Unlock()
	}, func() {
		nap()
		b.mu.Lock()
		failed := fails(func() { c <- 1 })
		b.mu.Unlock()
		if failed {
			b.x = 2
		}
	})
}

// Two channels.
func TestRaceSendFails(t *testing.T) {
	var b box
	c, d := make(chan int, 10), make(chan int, 10)
	together(func() {
		b.x = 1
		b.countLeft()
		close(c)
	}, func() {
		nap()
		if !fails(func() { d <- 1 }) {
			b.countRight()
			b.x = 2
		}
	})
}

func TestNoRaceSelectSendFails(t *testing.T) {
	var b box
	c, never := make(chan int, 1), make(chan int)
	together(func() {
		b.x = 1
		b.mu.Lock()
		close(c)
		b.mu.Unlock()
	}, func() {
		nap()
		b.mu.Lock()
		failed := fails(func() {
			select {
			case c <- 1:
			case <-never:
			}
		})
		b.mu.Unlock()
		if failed {
			b.x = 2
		}
	})
}

// The send that fails is one of a channel closed long ago.
func TestRaceSelectSendFails(t *testing.T) {
	var b box
	c, d := make(chan int, 1), make(chan int, 1)
	close(d)
	together(func() {
		b.x = 1
		b.pass()
		close(c)
	}, func() {
		nap()
		if fails(func() {
			select {
			case d <- 1:
			}
		}) {
			b.pass()
			b.x = 2
		}
	})
}

func TestNoRaceDoneFails(t *testing.T) {
	var b box
	var wg sync.WaitGroup
	wg.Add(1)
	together(func() {
		b.x = 1
		b.pass()
		wg.Done()
	}, func() {
		nap()
		if fails(wg.Done) {
			b.pass()
			b.x = 2
		}
	})
}

// Both are counted.
func TestRaceDoneFails(t *testing.T) {
	var b box
	var wg sync.WaitGroup
	wg.Add(2)
	together(func() {
		b.x = 1
		b.pass()
		wg.Done()
	}, func() {
		nap()
		if !fails(wg.Done) {
			b.pass()
			b.x = 2
		}
	})
}

func TestNoRaceAddFails(t *testing.T) {
	var b box
	var wg sync.WaitGroup
	wg.Add(3)
	together(func() {
		b.x = 1
		b.mu.Lock()
		wg.Add(-2)
		b.mu.Unlock()
	}, func() {
		nap()
		if fails(func() { wg.Add(-2) }) {
			b.pass()
			b.x = 2
		}
	})
}

// There are enough for both.
func TestRaceAddFails(t *testing.T) {
	var b box
	var wg sync.WaitGroup
	wg.Add(4)
	together(func() {
		b.x = 1
		b.mu.Lock()
		wg.Add(-2)
		b.mu.Unlock()
	}, func() {
		nap()
		wg.Add(-2)
		b.pass()
		b.x = 2
	})
}

func TestNoRaceHandleFails(t *testing.T) {
	var b box
	m := http.NewServeMux()
	together(func() {
		b.x = 1
		b.pass()
		m.HandleFunc("/", http.NotFound)
	}, func() {
		nap()
		if fails(func() { m.HandleFunc("/", http.NotFound) }) {
			b.pass()
			b.x = 2
		}
	})
}

// Two patterns of two servers.
func TestRaceHandleFails(t *testing.T) {
	var b box
	m, n := http.NewServeMux(), http.NewServeMux()
	together(func() {
		b.x = 1
		b.pass()
		m.HandleFunc("/", http.NotFound)
	}, func() {
		nap()
		n.HandleFunc("/", http.NotFound)
		b.pass()
		b.x = 2
	})
}

func TestNoRaceIoPipeFails(t *testing.T) {
	var b box
	r, w := io.Pipe()
	together(func() {
		b.x = 1
		b.pass()
		r.Close()
	}, func() {
		if _, err := w.Write([]byte("x")); errors.Is(err, io.ErrClosedPipe) {
			b.pass()
			b.x = 2
		}
	})
}

// Its own end is closed.
func TestRaceIoPipeFails(t *testing.T) {
	var b box
	r, _ := io.Pipe()
	_, w := io.Pipe()
	w.Close()
	together(func() {
		b.x = 1
		b.pass()
		r.Close()
	}, func() {
		nap()
		if _, err := w.Write([]byte("x")); errors.Is(err, io.ErrClosedPipe) {
			b.pass()
			b.x = 2
		}
	})
}

func TestNoRaceServerClosed(t *testing.T) {
	var b box
	s := &http.Server{}
	l := tcpListener(t)
	together(func() {
		nap()
		b.x = 1
		b.pass()
		s.Close()
	}, func() {
		if s.Serve(l) == http.ErrServerClosed {
			b.pass()
			b.x = 2
		}
	})
}

// It is closed before.
func TestRaceServerClosed(t *testing.T) {
	var b box
	s := &http.Server{}
	l := tcpListener(t)
	together(func() {
		s.Close()
		b.x = 1
		b.pass()
	}, func() {
		nap()
		if s.Serve(l) == http.ErrServerClosed {
			b.pass()
			b.x = 2
		}
	})
}

func TestNoRacePublished(t *testing.T) {
	var b box
	together(func() {
		b.x = 1
		b.pass()
		expvar.NewInt(t.Name())
	}, func() {
		until(t, func() bool { return expvar.Get(t.Name()) != nil })
		b.pass()
		b.x = 2
	})
}

// It is published before.
func TestRacePublished(t *testing.T) {
	var b box
	together(func() {
		expvar.NewInt(t.Name())
		b.x = 1
		b.pass()
	}, func() {
		until(t, func() bool { return expvar.Get(t.Name()) != nil })
		nap()
		b.pass()
		b.x = 2
	})
}

func TestNoRaceFlagDefined(t *testing.T) {
	var b box
	together(func() {
		b.x = 1
		b.mu.Lock()
		flag.CommandLine.SetOutput(io.Discard)
		b.mu.Unlock()
	}, func() {
		until(t, func() bool {
			b.mu.Lock()
			defer b.mu.Unlock()
			return flag.CommandLine.Output() == io.Discard
		})
		b.x = 2
	})
	flag.CommandLine.SetOutput(nil)
}

// Sets of their own.
func TestRaceFlagDefined(t *testing.T) {
	var b box
	one, two := flag.NewFlagSet("one", flag.PanicOnError), flag.NewFlagSet("two", flag.PanicOnError)
	together(func() {
		b.x = 1
		one.Int("n", 0, "")
		b.pass()
	}, func() {
		nap()
		b.pass()
		two.Int("n", 0, "")
		b.x = 2
	})
}

// signal.Reset leaves an ignored signal ignored, so this one is of a signal that no other test ignores.
func TestNoRaceIgnoredSignal(t *testing.T) {
	var b box
	defer signal.Reset(syscall.SIGWINCH)
	together(func() {
		b.x = 1
		b.pass()
		signal.Ignore(syscall.SIGWINCH)
	}, func() {
		until(t, func() bool { return signal.Ignored(syscall.SIGWINCH) })
		b.pass()
		b.x = 2
	})
}

// It was ignored before.
func TestRaceIgnoredSignal(t *testing.T) {
	var b box
	defer signal.Reset(syscall.SIGUSR2)
	together(func() {
		signal.Ignore(syscall.SIGUSR2)
		b.x = 1
		b.pass()
	}, func() {
		until(t, func() bool { return signal.Ignored(syscall.SIGUSR2) })
		nap()
		b.pass()
		b.x = 2
	})
}

// The clock of a bubble goes on when all wait.
func TestNoRaceFakeSleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b box
		together(func() {
			time.Sleep(time.Second)
			b.x = 1
			b.pass()
		}, func() {
			time.Sleep(2 * time.Second)
			b.pass()
			b.x = 2
		})
	})
}

// Real clocks go on by themselves.
func TestRaceFakeSleep(t *testing.T) {
	var b box
	together(func() {
		time.Sleep(time.Millisecond)
		b.x = 1
		b.pass()
	}, func() {
		time.Sleep(20 * time.Millisecond)
		b.pass()
		b.x = 2
	})
}

// soon gives way to whoever can go on.
func soon() {
	for range 100 {
		time.Sleep(0)
	}
}

func TestNoRaceFakeTimer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b box
		done := make(chan bool)
		time.AfterFunc(2*time.Second, func() {
			b.pass()
			b.x = 2
			close(done)
		})
		together(func() {
			time.Sleep(time.Second)
			b.x = 1
			b.pass()
		})
		<-done
	})
}

// At the same time of the clock both go on.
func TestRaceFakeTimer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b box
		together(func() {
			time.Sleep(time.Second)
			b.x = 1
			b.pass()
		}, func() {
			<-time.After(time.Second)
			b.pass()
			b.x = 2
		})
	})
}

func TestNoRaceFakeDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b box
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		together(func() {
			b.x = 1
			b.pass()
		}, func() {
			<-ctx.Done()
			b.pass()
			b.x = 2
		})
	})
}

// One context, and two goroutines that wait for it.
func TestRaceFakeDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b box
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		together(func() {
			<-ctx.Done()
			b.x = 1
			b.pass()
		}, func() {
			<-ctx.Done()
			b.pass()
			b.x = 2
		})
	})
}

func TestNoRaceFakeTicker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b box
		begin := time.Now()
		together(func() {
			time.Sleep(1500 * time.Millisecond)
			b.x = 1
			b.countLeft()
		}, func() {
			tick := time.NewTicker(time.Second)
			defer tick.Stop()
			for now := range tick.C {
				if now.Sub(begin) == 3*time.Second {
					break
				}
			}
			b.countRight()
			b.x = 2
		})
	})
}

// The third tick comes when the other one wakes up, too.
func TestRaceFakeTicker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b box
		together(func() {
			time.Sleep(3 * time.Second)
			b.x = 1
			b.countLeft()
		}, func() {
			tick := time.NewTicker(time.Second)
			defer tick.Stop()
			for range 3 {
				<-tick.C
			}
			b.countRight()
			b.x = 2
		})
	})
}

func TestNoRaceFakeNow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b box
		end := time.Now().Add(time.Second)
		together(func() {
			b.x = 1
			b.pass()
		}, func() {
			for time.Now().Before(end) {
				time.Sleep(100 * time.Millisecond)
			}
			b.pass()
			b.x = 2
		})
	})
}

// Without a sleep the clock stands still.
func TestRaceFakeNow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b box
		begin := time.Now()
		together(func() {
			b.x = 1
			b.pass()
		}, func() {
			soon()
			if time.Now().Equal(begin) {
				b.pass()
				b.x = 2
			}
		})
	})
}

func TestNoRaceFakeWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b box
		go func() {
			b.x = 1
			b.pass()
		}()
		synctest.Wait()
		b.pass()
		b.x = 2
	})
}

// It is waited for too early.
func TestRaceFakeWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b box
		synctest.Wait()
		together(func() {
			b.x = 1
			b.pass()
		}, func() {
			soon()
			b.pass()
			b.x = 2
		})
	})
}
