package accidental

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"testing"

	"github.com/racepred/racepred/examples/internal/sched"
)

// Both print.
func TestRacePredictedPrint(t *testing.T) {
	x := 0
	sched.InTurn(
		func() {
			x = 1
			fmt.Fprint(os.Stderr, "")
		},
		func() {
			fmt.Fprint(os.Stderr, "")
			x++
		},
	)
}

// Both write a line to the test's log.
func TestRacePredictedTestLog(t *testing.T) {
	x := 0
	sched.InTurn(
		func() {
			x = 1
			t.Log("first")
		},
		func() {
			t.Logf("%d", 2)
			x++
		},
	)
}

// Both use one Logger that writes to standard error.
func TestRacePredictedLogger(t *testing.T) {
	l := log.New(os.Stderr, "", 0)
	x := 0
	sched.InTurn(
		func() {
			x = 1
			l.Print("first")
		},
		func() {
			l.Print("second")
			x++
		},
	)
}

// A goroutine that changes the Logger's output comes after what was written to the old one.
func TestNoRaceLoggerSwitched(t *testing.T) {
	var lines bytes.Buffer
	l := log.New(&lines, "", 0)
	x := 0
	sched.InTurn(
		func() {
			x = 1
			l.Print("first")
		},
		func() {
			l.SetOutput(io.Discard)
			if lines.Len() > 0 {
				x++
			}
		},
	)
}

// counting is a Writer that looks at the order of what is written.
type counting struct{ n, atSecond int }

func (c *counting) Write(p []byte) (int, error) {
	c.n++
	if string(p) == "second\n" {
		c.atSecond = c.n
	}
	return len(p), nil
}

// The Logger's output counts its lines, and the second goroutine sees that its own was not the
// first.
func TestNoRaceLoggerCounts(t *testing.T) {
	var lines counting
	l := log.New(&lines, "", 0)
	x := 0
	sched.InTurn(
		func() {
			x = 1
			l.Print("first")
		},
		func() {
			l.Print("second")
			if lines.atSecond == 2 {
				x++
			}
		},
	)
}

// A file that both write to is read afterwards, and shows which one was first.
func TestNoRaceFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	x := 0
	sched.InTurn(
		func() {
			x = 1
			fmt.Fprint(f, "a")
		},
		func() {
			fmt.Fprint(f, "b")
			if b, _ := os.ReadFile(name); string(b) == "ab" {
				x++
			}
		},
	)
}

// Output that comes back through a pipe orders, too.
func TestNoRacePipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	x := 0
	sched.InTurn(
		func() {
			x = 1
			fmt.Fprint(w, "a")
		},
		func() {
			var b [1]byte
			if n, _ := r.Read(b[:]); n == 1 {
				x++
			}
		},
	)
}

// Skipped is seen by the other goroutine, and it has logged before.
func TestNoRaceTestLogSeen(t *testing.T) {
	t.Run("skipped", func(t *testing.T) {
		x := 0
		sched.InTurn(
			func() {
				x = 1
				t.Skip("this is what the other one sees")
			},
			func() {
				t.Log("second")
				if t.Skipped() {
					x++
				}
			},
		)
	})
}
