// Lines that are printed under a lock may trade places, but not where somebody sees which came first, or what was printed is.

package guarded

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
)

// shown is something that is printed.
type shown struct {
	mu    sync.Mutex
	n     int
	list  []int
	m     map[string]int
	calls int
	x     int
}

// String counts how often it is called.
func (s *shown) String() string {
	s.calls++
	return "shown"
}

// plainShown has no methods.
type plainShown struct{ N int }

// lines is an output that counts.
type lines struct{ n int }

func (l *lines) Write(b []byte) (int, error) {
	l.n++
	return len(b), nil
}

func TestNoRacePrintedPointer(t *testing.T) {
	s, p := &shown{}, &plainShown{}
	inTurn(func() {
		s.x = 1
		s.mu.Lock()
		p.N = 5
		s.mu.Unlock()
	}, func() {
		s.mu.Lock()
		text := fmt.Sprint(p)
		s.mu.Unlock()
		if text == "&{5}" {
			s.x++
		}
	})
}

func TestNoRacePrintedSlice(t *testing.T) {
	s := &shown{list: []int{1, 2}}
	inTurn(func() {
		s.x = 1
		s.mu.Lock()
		s.list[1] = 5
		s.mu.Unlock()
	}, func() {
		s.mu.Lock()
		text := fmt.Sprintf("%d", s.list)
		s.mu.Unlock()
		if text == "[1 5]" {
			s.x++
		}
	})
}

func TestNoRacePrintedInterface(t *testing.T) {
	s, p := &shown{}, &plainShown{}
	var v any = p
	inTurn(func() {
		s.x = 1
		s.mu.Lock()
		p.N++
		s.mu.Unlock()
	}, func() {
		s.mu.Lock()
		text := fmt.Sprintf("%v", v)
		s.mu.Unlock()
		if text == "&{1}" {
			s.x++
		}
	})
}

func TestNoRacePrintedNumber(t *testing.T) {
	s := &shown{}
	inTurn(func() {
		s.x = 1
		s.mu.Lock()
		s.n++
		s.mu.Unlock()
	}, func() {
		s.mu.Lock()
		text := fmt.Sprintf("%d", s.n)
		s.mu.Unlock()
		if text == "1" {
			s.x++
		}
	})
}

func TestNoRacePrintedByItsMethod(t *testing.T) {
	s := &shown{}
	inTurn(func() {
		s.x = 1
		s.mu.Lock()
		_ = fmt.Sprint(s)
		s.mu.Unlock()
	}, func() {
		s.mu.Lock()
		_ = fmt.Sprintln(s)
		second := s.calls == 2
		s.mu.Unlock()
		if second {
			s.x++
		}
	})
}

// With another verb it is not the method that prints it, but what it holds.
func TestNoRacePrintedByAnotherVerb(t *testing.T) {
	s := &shown{n: 3}
	inTurn(func() {
		s.x = 1
		s.mu.Lock()
		s.n = 4
		s.mu.Unlock()
	}, func() {
		s.mu.Lock()
		text := fmt.Sprintf("%d", s)
		s.mu.Unlock()
		if strings.Contains(text, "4") {
			s.x++
		}
	})
}

func TestNoRacePrintedToACounter(t *testing.T) {
	s, l := &shown{}, &lines{}
	logger := log.New(l, "", 0)
	inTurn(func() {
		s.x = 1
		s.mu.Lock()
		logger.Print("first")
		s.mu.Unlock()
	}, func() {
		s.mu.Lock()
		logger.Print("second")
		second := l.n == 2
		s.mu.Unlock()
		if second {
			s.x++
		}
	})
}

func TestNoRacePrintedToABuffer(t *testing.T) {
	s := &shown{}
	var b bytes.Buffer
	inTurn(func() {
		s.x = 1
		s.mu.Lock()
		fmt.Fprint(&b, 1)
		s.mu.Unlock()
	}, func() {
		s.mu.Lock()
		fmt.Fprint(&b, 2)
		s.mu.Unlock()
		s.mu.Lock()
		text := b.String()
		s.mu.Unlock()
		if text == "12" {
			s.x++
		}
	})
}

// What is printed to a writer of one's own is what its method does.
func TestNoRacePrintedToOwn(t *testing.T) {
	l := &lines{}
	noticed(t, func() { fmt.Fprintf(l, "%d", 1) }, func() bool { return l.n == 1 })
}

// A copy of the value is written to, in which the wrapper that the compiler makes finds the pointer.
func TestNoRacePrintedToPromoted(t *testing.T) {
	type promoted struct{ *lines }
	s, l := &shown{}, &promoted{&lines{}}
	other := &lines{}
	inTurn(func() {
		s.x = 1
		s.mu.Lock()
		l.lines = other
		s.mu.Unlock()
	}, func() {
		s.mu.Lock()
		fmt.Fprint(l, "x")
		s.mu.Unlock()
		if other.n == 1 {
			s.x++
		}
	})
}

func TestNoRacePrintedToABuilder(t *testing.T) {
	var b strings.Builder
	noticed(t, func() { fmt.Fprintln(&b, "one", 1) }, func() bool { return b.Len() > 0 })
}

func TestRacePrintedToABuffer(t *testing.T) {
	s := &shown{}
	var one, two bytes.Buffer
	inTurn(func() {
		s.x = 1
		s.mu.Lock()
		fmt.Fprintf(&one, "%d", 1)
		s.mu.Unlock()
	}, func() {
		s.mu.Lock()
		fmt.Fprintf(&two, "%d", 2)
		s.mu.Unlock()
		s.x++
	})
}

func TestRacePrintedToABuilder(t *testing.T) {
	s := &shown{}
	var one, two strings.Builder
	inTurn(func() {
		s.x = 1
		s.mu.Lock()
		fmt.Fprintln(&one, "one")
		s.mu.Unlock()
	}, func() {
		s.mu.Lock()
		fmt.Fprintln(&two, "two")
		s.mu.Unlock()
		s.x++
	})
}

func TestRacePrintedToOwn(t *testing.T) {
	s := &shown{}
	one, two := &lines{}, &lines{}
	inTurn(func() {
		s.x = 1
		s.mu.Lock()
		fmt.Fprint(one, "one")
		s.mu.Unlock()
	}, func() {
		s.mu.Lock()
		fmt.Fprint(two, "two")
		s.mu.Unlock()
		s.x++
	})
}

func TestNoRacePrintedToAFile(t *testing.T) {
	s := &shown{}
	name := t.TempDir() + "/f"
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	inTurn(func() {
		s.x = 1
		s.mu.Lock()
		fmt.Fprint(f, 1)
		s.mu.Unlock()
	}, func() {
		s.mu.Lock()
		fmt.Fprint(f, 2)
		s.mu.Unlock()
		if b, _ := os.ReadFile(name); string(b) == "12" {
			s.x++
		}
	})
}

// What is printed goes to where standard output was set to.
func TestNoRaceStandardOutputIsSet(t *testing.T) {
	s := &shown{}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	was := os.Stdout
	inTurn(func() {
		s.x = 1
		s.mu.Lock()
		os.Stdout = w
		s.mu.Unlock()
	}, func() {
		s.mu.Lock()
		fmt.Print("x")
		s.mu.Unlock()
		if _, err := io.ReadFull(r, make([]byte, 1)); err == nil {
			s.x++
		}
	})
	os.Stdout = was
}

// counting is a handler that counts.
type counting struct {
	slog.Handler
	n *int
}

func slogOf(n *int) *slog.Logger {
	return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		*n++
		return slog.Attr{}
	}}))
}

func TestNoRaceLoggedAttributes(t *testing.T) {
	s := &shown{}
	logger := slogOf(&s.n)
	inTurn(func() {
		s.x = 1
		s.mu.Lock()
		logger.Info("first")
		s.mu.Unlock()
	}, func() {
		s.mu.Lock()
		before := s.n
		logger.Info("second")
		s.mu.Unlock()
		if before > 0 {
			s.x++
		}
	})
}

func TestNoRaceLoggedToACounter(t *testing.T) {
	s, l := &shown{}, &lines{}
	logger := slog.New(slog.NewJSONHandler(l, nil))
	inTurn(func() {
		s.x = 1
		s.mu.Lock()
		logger.Info("first", "n", 1)
		s.mu.Unlock()
	}, func() {
		s.mu.Lock()
		logger.Info("second", slog.Int("n", 2))
		second := l.n == 2
		s.mu.Unlock()
		if second {
			s.x++
		}
	})
}

func TestNoRaceLoggedPointer(t *testing.T) {
	s, p := &shown{}, &plainShown{}
	var b bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&b, nil))
	inTurn(func() {
		s.x = 1
		s.mu.Lock()
		p.N = 7
		s.mu.Unlock()
	}, func() {
		s.mu.Lock()
		logger.Info("second", "p", p)
		seven := strings.Contains(b.String(), "&{N:7}")
		s.mu.Unlock()
		if seven {
			s.x++
		}
	})
}
