// What is known of the ends of pipes and connections: who sees that one is closed, and who does not.

//go:build linux

package guarded

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
)

// There is no order but that of the close and the end that the reader finds.
func TestNoRaceEnd(t *testing.T) {
	var b box
	client, server := tcpPair(t)
	together(func() {
		io.WriteString(server, "state")
		b.x = 1
		server.Close()
	}, func() {
		get(io.ReadAll(client))
		b.x = 2
	})
}

func TestRaceEnd(t *testing.T) {
	var b box
	client, server := tcpPair(t)
	together(func() {
		io.WriteString(server, "state")
		server.Close()
		b.x = 1
	}, func() {
		get(io.ReadAll(client))
		b.x = 2
	})
}

// The same for one direction.
func TestNoRaceHalfEnd(t *testing.T) {
	var b box
	client, server := tcpPair(t)
	together(func() {
		b.x = 1
		must(server.CloseWrite())
	}, func() {
		get(io.ReadAll(client))
		b.x = 2
	})
}

func TestRaceHalfEnd(t *testing.T) {
	var b box
	client, server := tcpPair(t)
	together(func() {
		must(server.CloseWrite())
		b.x = 1
	}, func() {
		get(io.ReadAll(client))
		b.x = 2
	})
}

// A write fails since the reader is gone.
func TestNoRacePipeWithoutReader(t *testing.T) {
	var b box
	r, w := pipe(t)
	together(func() {
		b.x = 1
		r.Close()
	}, func() {
		until(t, func() bool {
			_, err := w.Write([]byte("x"))
			return err != nil
		})
		b.x = 2
	})
}

func TestRacePipeWithoutReader(t *testing.T) {
	var b box
	r, w := pipe(t)
	together(func() {
		r.Close()
		b.x = 1
	}, func() {
		until(t, func() bool {
			_, err := w.Write([]byte("x"))
			return err != nil
		})
		b.x = 2
	})
}

// A read returns bytes, though one direction was shut down before.
func TestRaceReadBeforeHalfEnd(t *testing.T) {
	var b box
	client, server := tcpPair(t)
	together(func() {
		io.WriteString(server, "x")
		b.x = 1
		b.pass()
		must(server.CloseWrite())
	}, func() {
		nap()
		get(client.Read(make([]byte, 1)))
		b.pass()
		b.x = 2
	})
}

// It comes after the write.
func TestNoRaceReadBeforeHalfEnd(t *testing.T) {
	var b box
	client, server := tcpPair(t)
	together(func() {
		b.x = 1
		b.pass()
		io.WriteString(server, "x")
		must(server.CloseWrite())
	}, func() {
		nap()
		get(client.Read(make([]byte, 1)))
		b.pass()
		b.x = 2
	})
}

// echo answers lines, and does something between an answer and the next line.
func echo(server *net.TCPConn, between func()) {
	lines := bufio.NewScanner(server)
	for lines.Scan() {
		fmt.Fprintln(server, lines.Text())
		between()
	}
}

// The server waits for the next line before the client reads the answer.
func TestRaceEchoReadsOn(t *testing.T) {
	var b box
	client, server := tcpPair(t)
	together(func() {
		echo(server, func() {
			b.x++
			b.pass()
		})
	}, func() {
		r := bufio.NewReader(client)
		fmt.Fprintln(client, "line")
		nap()
		get(r.ReadString('\n'))
		b.pass()
		b.x++
		client.Close()
	})
}

// The answer to a second line comes after what was done with the first.
func TestNoRaceEchoReadsOn(t *testing.T) {
	var b box
	client, server := tcpPair(t)
	together(func() {
		n := 0
		echo(server, func() {
			if n++; n == 1 {
				b.x++
				b.pass()
			}
		})
	}, func() {
		r := bufio.NewReader(client)
		for range 2 {
			fmt.Fprintln(client, "line")
			get(r.ReadString('\n'))
		}
		b.pass()
		b.x++
		client.Close()
	})
}

// serveLines answers a line on each connection, until the listener is closed.
func serveLines(l net.Listener, handle func(line string)) {
	var handlers sync.WaitGroup
	for {
		c, err := l.Accept()
		if err != nil {
			break
		}
		handlers.Go(func() {
			defer c.Close()
			line, _ := bufio.NewReader(c).ReadString('\n')
			handle(line)
			io.WriteString(c, line)
		})
	}
	handlers.Wait()
}

func ask(l net.Listener) {
	c := get(net.Dial("tcp", l.Addr().String()))
	defer c.Close()
	fmt.Fprintln(c, "line")
	get(bufio.NewReader(c).ReadString('\n'))
}

// Handlers of two connections of one server: that the first is closed tells the second client nothing.
func TestRaceTwoHandlers(t *testing.T) {
	var b box
	l := tcpListener(t)
	together(func() {
		serveLines(l, func(string) {
			b.pass()
			b.x++
			b.pass()
		})
	}, func() {
		together(func() { ask(l) }, func() {
			longNap()
			ask(l)
		})
		l.Close()
	})
}

// One client asks twice.
func TestNoRaceTwoHandlers(t *testing.T) {
	var b box
	l := tcpListener(t)
	together(func() {
		serveLines(l, func(string) {
			b.pass()
			b.x++
			b.pass()
		})
	}, func() {
		ask(l)
		ask(l)
		l.Close()
	})
}

// The signal tells that the reader is gone.
func TestNoRacePipeSignal(t *testing.T) {
	signals := make(chan os.Signal, 10)
	signal.Notify(signals, syscall.SIGPIPE)
	defer signal.Stop(signals)
	var b box
	r, w := pipe(t)
	together(func() {
		b.x = 1
		b.pass()
		r.Close()
	}, func() {
		until(t, func() bool {
			_, err := w.Write([]byte("x"))
			return err != nil
		})
	}, func() {
		<-signals
		b.pass()
		b.x = 2
	})
}

func TestRacePipeSignal(t *testing.T) {
	signals := make(chan os.Signal, 10)
	signal.Notify(signals, syscall.SIGPIPE)
	defer signal.Stop(signals)
	var b box
	r, w := pipe(t)
	together(func() {
		r.Close()
		b.x = 1
		b.pass()
	}, func() {
		nap()
		until(t, func() bool {
			_, err := w.Write([]byte("x"))
			return err != nil
		})
	}, func() {
		<-signals
		b.pass()
		b.x = 2
	})
}

// A close that waits for the other end.
func TestNoRaceClosesSlowly(t *testing.T) {
	var b box
	client, server := tcpPair(t)
	must(client.SetWriteBuffer(1 << 20))
	must(server.SetReadBuffer(4 << 10))
	must(client.SetLinger(1000))
	together(func() {
		get(client.Write(make([]byte, 300<<10)))
		client.Close()
		b.pass()
		b.x = 2
	}, func() {
		longNap()
		b.x = 1
		b.pass()
		server.Close()
	})
}

// A close that does not.
func TestRaceClosesSlowly(t *testing.T) {
	var b box
	client, server := tcpPair(t)
	must(client.SetLinger(0))
	together(func() {
		nap()
		client.Close()
		b.pass()
		b.x = 2
	}, func() {
		b.x = 1
		b.pass()
		server.Close()
	})
}

// lowWater makes reads wait for ten bytes, or the end.
func lowWater(f *os.File) {
	must(syscall.SetsockoptInt(int(f.Fd()), syscall.SOL_SOCKET, syscall.SO_RCVLOWAT, 10))
}

// A read returns fewer bytes since the other end was closed.
func TestNoRaceReadsFew(t *testing.T) {
	var b box
	a, c := socketFiles(t)
	lowWater(c)
	together(func() {
		get(a.Write([]byte("hello")))
		nap()
		b.x = 1
		b.pass()
		a.Close()
	}, func() {
		if n := get(c.Read(make([]byte, 10))); n != 5 {
			t.Skip("the system does not keep to SO_RCVLOWAT")
		}
		b.pass()
		b.x = 2
	})
}

// It has enough of them before.
func TestRaceReadsFew(t *testing.T) {
	var b box
	a, c := socketFiles(t)
	lowWater(c)
	together(func() {
		get(a.Write([]byte("hello world")))
		a.Close()
		b.x = 1
		b.pass()
	}, func() {
		get(c.Read(make([]byte, 10)))
		nap()
		b.pass()
		b.x = 2
	})
}

// A socket with two names: the listener's is relative.
func TestNoRaceUnixOtherName(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	l := get(net.Listen("unix", "s"))
	defer l.Close()
	for range 50 {
		var b box
		hold := make(chan bool)
		together(func() {
			b.x = 1
			b.pass()
			c := get(net.Dial("unix", filepath.Join(dir, "s")))
			<-hold
			c.Close()
		}, func() {
			c := get(l.Accept())
			b.pass()
			b.x = 2
			close(hold)
			c.Close()
		})
	}
}

func TestRaceUnixOtherName(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	l := get(net.Listen("unix", "s"))
	defer l.Close()
	var b box
	together(func() {
		c := get(net.Dial("unix", filepath.Join(dir, "s")))
		b.x = 1
		b.pass()
		longNap()
		c.Close()
	}, func() {
		nap()
		c := get(l.Accept())
		b.pass()
		b.x = 2
		c.Close()
	})
}

// A write that succeeds has not seen that the client is done.
func TestRaceWriteAfterHalfEnd(t *testing.T) {
	var b box
	client, server := tcpPair(t)
	together(func() {
		b.x = 1
		must(client.CloseWrite())
	}, func() {
		nap()
		get(server.Write([]byte("state")))
		b.x = 2
	})
}

// The server waits for that.
func TestNoRaceWriteAfterHalfEnd(t *testing.T) {
	var b box
	client, server := tcpPair(t)
	together(func() {
		b.x = 1
		must(client.CloseWrite())
	}, func() {
		get(io.ReadAll(server))
		get(server.Write([]byte("state")))
		b.x = 2
	})
}

// readsReset reads by a copy that is made when the connection may be gone.
func readsReset(c *net.TCPConn) {
	f := get(c.File())
	defer f.Close()
	f.Read(make([]byte, 1))
}

func TestNoRaceCopyAfterReset(t *testing.T) {
	var b box
	client, server := tcpPair(t)
	must(server.SetLinger(0))
	together(func() {
		b.x = 1
		b.pass()
		server.Close()
	}, func() {
		nap()
		readsReset(client)
		b.pass()
		b.x = 2
	})
}

func TestRaceCopyAfterReset(t *testing.T) {
	var b box
	client, server := tcpPair(t)
	must(server.SetLinger(0))
	together(func() {
		server.Close()
		b.x = 1
		b.pass()
	}, func() {
		nap()
		readsReset(client)
		b.pass()
		b.x = 2
	})
}

// Of two calls, one gets the error of the reset, and the other one finds that it is taken.
func TestNoRaceErrorTaken(t *testing.T) {
	var b box
	client, server := tcpPair(t)
	f := get(client.File())
	defer f.Close()
	must(server.SetLinger(0))
	server.Close()
	together(func() {
		nap()
		b.x = 1
		b.pass()
		client.Read(make([]byte, 1))
	}, func() {
		longNap()
		if _, err := f.Write([]byte("x")); errors.Is(err, syscall.EPIPE) {
			b.pass()
			b.x = 2
		}
	})
}

// Nobody asks which error it is.
func TestRaceErrorTaken(t *testing.T) {
	var b box
	client, server := tcpPair(t)
	f := get(client.File())
	defer f.Close()
	must(server.SetLinger(0))
	server.Close()
	together(func() {
		nap()
		client.Read(make([]byte, 1))
		b.x = 1
		b.pass()
	}, func() {
		longNap()
		f.Write([]byte("x"))
		b.pass()
		b.x = 2
	})
}
