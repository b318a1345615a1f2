// Pipes, with and without a name.

package guarded

import (
	"bufio"
	"encoding/gob"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
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

func TestNoRacePipeWrite(t *testing.T) {
	var mu1, mu2 sync.Mutex
	var b box
	r, w := pipe(t)
	together(func() {
		b.x = 1
		mu1.Lock()
		mu2.Lock()
		mu2.Unlock()
		mu1.Unlock()
		get(w.Write([]byte("x")))
	}, func() {
		get(r.Read(make([]byte, 1)))
		mu2.Lock()
		mu2.Unlock()
		b.x = 2
	})
}

// The pipe tells the third goroutine, which is told before it tells the second one of something else.
func TestRacePipeWrite(t *testing.T) {
	var b box
	r, w := pipe(t)
	r2, w2 := pipe(t)
	together(func() {
		b.x = 1
		b.pass()
		get(w.Write([]byte("x")))
	}, func() {
		get(w2.Write([]byte("y")))
		get(r.Read(make([]byte, 1)))
	}, func() {
		get(r2.Read(make([]byte, 1)))
		nap()
		b.pass()
		b.x = 2
	})
}

func TestNoRacePipeClose(t *testing.T) {
	var b box
	r, w := pipe(t)
	together(func() {
		b.x = 1
		b.pass()
		w.Close()
	}, func() {
		get(io.ReadAll(r))
		b.pass()
		b.x = 2
	})
}

// Both close: the first its own pipe.
func TestRacePipeClose(t *testing.T) {
	var b box
	_, w1 := pipe(t)
	r2, w2 := pipe(t)
	together(func() {
		b.x = 1
		b.pass()
		w1.Close()
	}, func() {
		nap()
		w2.Close()
		get(io.ReadAll(r2))
		b.pass()
		b.x = 2
	})
}

// The pipe is closed within the section, and the other section is empty.
func TestNoRacePipeCloseInside(t *testing.T) {
	var b box
	r, w := pipe(t)
	together(func() {
		b.x = 1
		b.mu.Lock()
		w.Close()
		b.mu.Unlock()
	}, func() {
		get(io.ReadAll(r))
		b.pass()
		b.x = 2
	})
}

// What is written comes after the section that closes.
func TestRacePipeCloseInside(t *testing.T) {
	var b box
	r, w := pipe(t)
	together(func() {
		b.mu.Lock()
		w.Close()
		b.mu.Unlock()
		b.x = 1
		b.pass()
	}, func() {
		get(io.ReadAll(r))
		nap()
		b.pass()
		b.x = 2
	})
}

func TestNoRacePipeFull(t *testing.T) {
	var b box
	r, w := pipe(t)
	together(func() {
		nap()
		b.x = 1
		b.pass()
		get(io.ReadFull(r, make([]byte, 100<<10)))
	}, func() {
		get(w.Write(make([]byte, 100<<10)))
		b.pass()
		b.x = 2
	})
}

// A little has room in the pipe, whoever reads later.
func TestRacePipeFull(t *testing.T) {
	var b box
	r, w := pipe(t)
	together(func() {
		b.x = 1
		b.pass()
		longNap()
		get(io.ReadFull(r, make([]byte, 100)))
	}, func() {
		nap()
		get(w.Write(make([]byte, 100)))
		b.pass()
		b.x = 2
	})
}

func TestNoRacePipeBroken(t *testing.T) {
	var b box
	r, w := pipe(t)
	together(func() {
		b.x = 1
		b.countLeft()
		r.Close()
	}, func() {
		until(t, func() bool {
			_, err := w.Write([]byte("x"))
			return errors.Is(err, syscall.EPIPE)
		})
		b.countRight()
		b.x = 2
	})
}

// The reader has gone for another reason.
func TestRacePipeBroken(t *testing.T) {
	var b box
	r, w := pipe(t)
	r.Close()
	together(func() {
		b.x = 1
		b.countLeft()
		r.Close()
	}, func() {
		nap()
		until(t, func() bool {
			_, err := w.Write([]byte("x"))
			return errors.Is(err, syscall.EPIPE)
		})
		b.countRight()
		b.x = 2
	})
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

func TestNoRacePipeLines(t *testing.T) {
	var b box
	r, w := pipe(t)
	together(func() {
		b.x = 1
		b.countLeft()
		get(w.WriteString("starting\nready\n"))
	}, func() {
		for lines := bufio.NewScanner(r); lines.Scan() && lines.Text() != "ready"; {
		}
		b.countRight()
		b.x = 2
	})
}

// "ready" is what comes first, and the state is written between the lines.
func TestRacePipeLines(t *testing.T) {
	var b box
	r, w := pipe(t)
	together(func() {
		get(w.WriteString("ready\n"))
		nap()
		b.x = 1
		b.countLeft()
		get(w.WriteString("done\n"))
	}, func() {
		for lines := bufio.NewScanner(r); lines.Scan() && lines.Text() != "ready"; {
		}
		longNap()
		b.countRight()
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

func TestNoRacePipeGob(t *testing.T) {
	var b box
	r, w := pipe(t)
	together(func() {
		b.x = 1
		b.pass()
		must(gob.NewEncoder(w).Encode(struct{ N int }{7}))
	}, func() {
		var v struct{ N int }
		must(gob.NewDecoder(r).Decode(&v))
		b.pass()
		b.x = v.N
	})
}

// The value is sent before.
func TestRacePipeGob(t *testing.T) {
	var b box
	r, w := pipe(t)
	together(func() {
		must(gob.NewEncoder(w).Encode(struct{ N int }{7}))
		nap()
		b.x = 1
		b.pass()
	}, func() {
		var v struct{ N int }
		must(gob.NewDecoder(r).Decode(&v))
		longNap()
		b.pass()
		b.x = 2
	})
}

func fifo(t *testing.T) string {
	name := filepath.Join(t.TempDir(), "fifo")
	must(syscall.Mkfifo(name, 0o600))
	return name
}

// Opening a fifo waits for the other side.
func TestNoRaceFifoOpen(t *testing.T) {
	var b box
	name := fifo(t)
	together(func() {
		b.x = 1
		b.pass()
		get(os.OpenFile(name, os.O_WRONLY, 0)).Close()
	}, func() {
		f := get(os.Open(name))
		b.pass()
		b.x = 2
		f.Close()
	})
}

// Both have opened it, and then go on.
func TestRaceFifoOpen(t *testing.T) {
	var b box
	name := fifo(t)
	together(func() {
		f := get(os.OpenFile(name, os.O_WRONLY, 0))
		nap()
		b.x = 1
		b.pass()
		longNap()
		f.Close()
	}, func() {
		f := get(os.Open(name))
		time.Sleep(30 * time.Millisecond)
		b.pass()
		b.x = 2
		f.Close()
	})
}

func TestNoRaceFifoReaderOpens(t *testing.T) {
	var b box
	name := fifo(t)
	together(func() {
		b.x = 1
		b.countLeft()
		f := get(os.Open(name))
		get(io.ReadAll(f))
		f.Close()
	}, func() {
		f := get(os.OpenFile(name, os.O_WRONLY, 0))
		b.countRight()
		b.x = 2
		f.Close()
	})
}

// The reader opens it before.
func TestRaceFifoReaderOpens(t *testing.T) {
	var b box
	name := fifo(t)
	together(func() {
		f := get(os.Open(name))
		nap()
		b.x = 1
		b.countLeft()
		get(io.ReadAll(f))
		f.Close()
	}, func() {
		f := get(os.OpenFile(name, os.O_WRONLY, 0))
		longNap()
		b.countRight()
		b.x = 2
		f.Close()
	})
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

// A read that returns bytes comes after their write, and not after the close that came before the read.
func TestNoRacePipeReadBeforeTheEnd(t *testing.T) {
	var b box
	r, w := pipe(t)
	together(func() {
		b.x = 1
		b.pass()
		w.Write([]byte("state"))
		w.Close()
	}, func() {
		nap()
		var state [5]byte
		io.ReadFull(r, state[:])
		b.pass()
		b.x = 2
	})
}

func TestRacePipeReadBeforeTheEnd(t *testing.T) {
	var b box
	r, w := pipe(t)
	together(func() {
		w.Write([]byte("state"))
		b.x = 1
		b.pass()
		w.Close()
	}, func() {
		nap()
		var state [5]byte
		io.ReadFull(r, state[:])
		b.pass()
		b.x = 2
	})
}

// The first bytes show nothing of the close, and the end of the file that follows does.
func TestNoRacePipeReadToTheEnd(t *testing.T) {
	var b box
	r, w := pipe(t)
	together(func() {
		w.Write([]byte("state"))
		b.x = 1
		b.pass()
		w.Close()
	}, func() {
		nap()
		io.ReadAll(r)
		b.pass()
		b.x = 2
	})
}

func TestRacePipeReadToTheEnd(t *testing.T) {
	var b box
	r, w := pipe(t)
	together(func() {
		w.Write([]byte("state"))
		w.Close()
		b.x = 1
		b.pass()
	}, func() {
		nap()
		io.ReadAll(r)
		b.pass()
		b.x = 2
	})
}

// A write finds that the pipe is closed.
func TestNoRacePipeClosedThenWritten(t *testing.T) {
	var b box
	r, w := pipe(t)
	together(func() {
		b.x = 1
		b.pass()
		r.Close()
	}, func() {
		for _, err := w.Write([]byte("state")); err == nil; _, err = w.Write([]byte("state")) {
			time.Sleep(time.Millisecond)
		}
		b.pass()
		b.x = 2
		w.Close()
	})
}

func TestRacePipeClosedThenWritten(t *testing.T) {
	var b box
	r, w := pipe(t)
	together(func() {
		r.Close()
		b.x = 1
		b.pass()
	}, func() {
		nap()
		for _, err := w.Write([]byte("state")); err == nil; _, err = w.Write([]byte("state")) {
			time.Sleep(time.Millisecond)
		}
		b.pass()
		b.x = 2
		w.Close()
	})
}

// Pipes that come after each other have the same places, and each has its own order.
func TestNoRacePipesAfterEachOther(t *testing.T) {
	var b box
	for range 300 {
		r, w := pipe(t)
		together(func() {
			b.x = 1
			b.pass()
			w.Write([]byte("state"))
			w.Close()
		}, func() {
			var state [5]byte
			io.ReadFull(r, state[:])
			b.pass()
			b.x = 2
			r.Close()
		})
	}
}

func TestRacePipesAfterEachOther(t *testing.T) {
	var b box
	for range 30 {
		r, w := pipe(t)
		together(func() {
			w.Write([]byte("state"))
			b.x = 1
			b.pass()
			w.Close()
		}, func() {
			nap()
			var state [5]byte
			io.ReadFull(r, state[:])
			b.pass()
			b.x = 2
			r.Close()
		})
	}
}
