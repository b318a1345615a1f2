// Pipes, with and without a name.

package guarded

import (
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

func pipe(t *testing.T) (r, w *os.File) {
	r, w, err := os.Pipe()
	must(err)
	t.Cleanup(func() {
		r.Close()
		w.Close()
	})
	return r, w
}

func TestNoRacePipeDeadline(t *testing.T) {
	var b box
	r, _ := pipe(t)
	together(func() {
		b.x = 1
		b.pass()
		must(r.SetReadDeadline(time.Unix(1, 0)))
	}, func() {
		if _, err := r.Read(make([]byte, 1)); errors.Is(err, os.ErrDeadlineExceeded) {
			b.pass()
			b.x = 2
		}
	})
}

// Two pipes with deadlines of their own.
func TestRacePipeDeadline(t *testing.T) {
	var b box
	r1, _ := pipe(t)
	r2, _ := pipe(t)
	together(func() {
		must(r1.SetReadDeadline(time.Now().Add(time.Millisecond)))
		r1.Read(make([]byte, 1))
		b.x = 1
		b.pass()
	}, func() {
		must(r2.SetReadDeadline(time.Now().Add(15 * time.Millisecond)))
		r2.Read(make([]byte, 1))
		b.pass()
		b.x = 2
	})
}

func TestNoRacePipeJSON(t *testing.T) {
	state := map[string]int{}
	var b box
	r, w := pipe(t)
	together(func() {
		state["sent"] = 1
		b.pass()
		must(json.NewEncoder(w).Encode([]int{1}))
	}, func() {
		var list []int
		must(json.NewDecoder(r).Decode(&list))
		b.pass()
		state["received"] = 1
	})
}

// The map is written after the message has gone.
func TestRacePipeJSON(t *testing.T) {
	state := map[string]int{}
	var b box
	r, w := pipe(t)
	together(func() {
		must(json.NewEncoder(w).Encode([]int{1}))
		state["sent"] = 1
		b.pass()
	}, func() {
		var list []int
		must(json.NewDecoder(r).Decode(&list))
		nap()
		b.pass()
		state["received"] = 1
	})
}

func fifo(t *testing.T) string {
	name := filepath.Join(t.TempDir(), "fifo")
	must(syscall.Mkfifo(name, 0o600))
	return name
}

func TestNoRaceFifoWrite(t *testing.T) {
	var b box
	f := get(os.OpenFile(fifo(t), os.O_RDWR, 0))
	defer f.Close()
	together(func() {
		b.x = 1
		b.pass()
		get(f.WriteString("x"))
	}, func() {
		get(f.Read(make([]byte, 1)))
		b.pass()
		b.x = 2
	})
}

// Two fifos.
func TestRaceFifoWrite(t *testing.T) {
	var b box
	f1 := get(os.OpenFile(fifo(t), os.O_RDWR, 0))
	defer f1.Close()
	f2 := get(os.OpenFile(fifo(t), os.O_RDWR, 0))
	defer f2.Close()
	together(func() {
		get(f1.WriteString("x"))
		nap()
		get(f2.WriteString("x"))
	}, func() {
		get(f1.Read(make([]byte, 1)))
		b.x = 1
		b.pass()
	}, func() {
		get(f2.Read(make([]byte, 1)))
		b.pass()
		b.x = 2
	})
}

func TestNoRaceNetPipe(t *testing.T) {
	var b box
	one, two := net.Pipe()
	together(func() {
		b.x = 1
		b.pass()
		get(one.Write([]byte("x")))
	}, func() {
		get(two.Read(make([]byte, 1)))
		b.pass()
		b.x = 2
	})
}

// Each reads from its own pipe what the third one writes.
func TestRaceNetPipe(t *testing.T) {
	var b box
	one, in1 := net.Pipe()
	two, in2 := net.Pipe()
	together(func() {
		get(in1.Write([]byte("x")))
		nap()
		get(in2.Write([]byte("x")))
	}, func() {
		get(one.Read(make([]byte, 1)))
		b.x = 1
		b.pass()
	}, func() {
		get(two.Read(make([]byte, 1)))
		b.pass()
		b.x = 2
	})
}

func TestNoRaceNetPipeClose(t *testing.T) {
	var b box
	one, two := net.Pipe()
	together(func() {
		b.x = 1
		b.pass()
		one.Close()
	}, func() {
		get(io.ReadAll(two))
		b.pass()
		b.x = 2
	})
}

// The other end is closed before.
func TestRaceNetPipeClose(t *testing.T) {
	var b box
	one, two := net.Pipe()
	together(func() {
		one.Close()
		b.x = 1
		b.pass()
	}, func() {
		get(io.ReadAll(two))
		nap()
		b.pass()
		b.x = 2
	})
}

func TestNoRaceIoPipe(t *testing.T) {
	var b box
	r, w := io.Pipe()
	together(func() {
		b.x = 1
		b.pass()
		w.CloseWithError(io.ErrUnexpectedEOF)
	}, func() {
		if _, err := io.ReadAll(r); err == io.ErrUnexpectedEOF {
			b.pass()
			b.x = 2
		}
	})
}

// The error is there before the state.
func TestRaceIoPipe(t *testing.T) {
	var b box
	r, w := io.Pipe()
	together(func() {
		w.CloseWithError(io.ErrUnexpectedEOF)
		b.x = 1
		b.pass()
	}, func() {
		if _, err := io.ReadAll(r); err == io.ErrUnexpectedEOF {
			nap()
			b.pass()
			b.x = 2
		}
	})
}
