// TCP: connections that begin, carry something, and end.

package guarded

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"
)

func tcpListener(t *testing.T) net.Listener {
	l := get(net.Listen("tcp", "127.0.0.1:0"))
	t.Cleanup(func() { l.Close() })
	return l
}

// tcpPair is a connection with both its ends.
func tcpPair(t *testing.T) (client, server *net.TCPConn) {
	l := tcpListener(t)
	c := get(net.Dial("tcp", l.Addr().String()))
	s := get(l.Accept())
	t.Cleanup(func() {
		c.Close()
		s.Close()
	})
	return c.(*net.TCPConn), s.(*net.TCPConn)
}

// freeAddress is one that nobody listens at. Only these programs use the host.
func freeAddress() string {
	l := get(net.Listen("tcp", "127.83.17.4:0"))
	defer l.Close()
	return l.Addr().String()
}

func TestNoRaceTCPAccept(t *testing.T) {
	var b box
	l := tcpListener(t)
	together(func() {
		b.x = 1
		b.mu.Lock()
		b.mu.Unlock()
		get(net.Dial("tcp", l.Addr().String())).Close()
	}, func() {
		c := get(l.Accept())
		b.mu.Lock()
		b.mu.Unlock()
		b.x = 2
		c.Close()
	})
}

// Dial does not wait for Accept: the listener's queue is enough.
func TestRaceTCPAccept(t *testing.T) {
	var b box
	l := tcpListener(t)
	together(func() {
		b.x = 1
		b.mu.Lock()
		b.mu.Unlock()
		longNap()
		get(l.Accept()).Close()
	}, func() {
		nap()
		c := get(net.Dial("tcp", l.Addr().String()))
		b.mu.Lock()
		b.mu.Unlock()
		b.x = 2
		c.Close()
	})
}

func TestNoRaceTCPDialUntilListening(t *testing.T) {
	var b box
	address := freeAddress()
	together(func() {
		b.x = 1
		b.countLeft()
		l := get(net.Listen("tcp", address))
		defer l.Close()
		get(l.Accept()).Close()
	}, func() {
		until(t, func() bool {
			c, err := net.Dial("tcp", address)
			if err == nil {
				c.Close()
			}
			return err == nil
		})
		b.countRight()
		b.x = 2
	})
}

// The server listens before it is set up.
func TestRaceTCPDialUntilListening(t *testing.T) {
	var b box
	address := freeAddress()
	together(func() {
		l := get(net.Listen("tcp", address))
		defer l.Close()
		b.x = 1
		b.countLeft()
		longNap()
		get(l.Accept()).Close()
	}, func() {
		nap()
		until(t, func() bool {
			c, err := net.Dial("tcp", address)
			if err == nil {
				c.Close()
			}
			return err == nil
		})
		b.countRight()
		b.x = 2
	})
}

func TestNoRaceTCPWrite(t *testing.T) {
	var b box
	client, server := tcpPair(t)
	together(func() {
		b.x = 1
		b.pass()
		get(client.Write([]byte("x")))
	}, func() {
		get(server.Read(make([]byte, 1)))
		b.pass()
		b.x = 2
	})
}

// Handlers of two connections: each hears from its own client.
func TestRaceTCPWrite(t *testing.T) {
	var b box
	client1, server1 := tcpPair(t)
	client2, server2 := tcpPair(t)
	together(func() {
		get(client1.Write([]byte("x")))
		nap()
		get(client2.Write([]byte("x")))
	}, func() {
		get(server1.Read(make([]byte, 1)))
		b.x = 1
		b.pass()
		get(server1.Write([]byte("y")))
	}, func() {
		get(server2.Read(make([]byte, 1)))
		b.pass()
		b.x = 2
		get(server2.Write([]byte("y")))
	})
}

func TestNoRaceTCPClose(t *testing.T) {
	var b box
	client, server := tcpPair(t)
	together(func() {
		b.x = 1
		b.pass()
		client.Close()
	}, func() {
		get(io.ReadAll(server))
		b.pass()
		b.x = 2
	})
}

// It is another connection that ends.
func TestRaceTCPClose(t *testing.T) {
	var b box
	client, _ := tcpPair(t)
	other, server := tcpPair(t)
	other.Close()
	together(func() {
		b.x = 1
		b.pass()
		client.Close()
	}, func() {
		nap()
		get(io.ReadAll(server))
		b.pass()
		b.x = 2
	})
}

func TestNoRaceTCPHalfClose(t *testing.T) {
	var rw sync.RWMutex
	client, server := tcpPair(t)
	got := ""
	together(func() {
		got = "request"
		rw.RLock()
		rw.RUnlock()
		client.CloseWrite()
		get(io.ReadAll(client))
	}, func() {
		get(io.ReadAll(server))
		rw.Lock()
		rw.Unlock()
		got += ", answer"
		server.Close()
	})
}

// The direction is closed before the request is noted.
func TestRaceTCPHalfClose(t *testing.T) {
	var rw sync.RWMutex
	client, server := tcpPair(t)
	got := ""
	together(func() {
		client.CloseWrite()
		nap()
		got = "request"
		rw.RLock()
		rw.RUnlock()
		get(io.ReadAll(client))
	}, func() {
		get(io.ReadAll(server))
		longNap()
		rw.Lock()
		rw.Unlock()
		got += ", answer"
		server.Close()
	})
}

func TestNoRaceTCPReset(t *testing.T) {
	var b box
	client, server := tcpPair(t)
	together(func() {
		b.x = 1
		b.pass()
		client.SetLinger(0)
		client.Close()
	}, func() {
		if _, err := server.Read(make([]byte, 1)); errors.Is(err, syscall.ECONNRESET) {
			b.pass()
			b.x = 2
		}
	})
	if b.x != 2 {
		t.Error("the connection was not reset")
	}
}

// Each resets its connection, and nobody waits for it.
func TestRaceTCPReset(t *testing.T) {
	var b box
	client1, _ := tcpPair(t)
	client2, _ := tcpPair(t)
	together(func() {
		b.x = 1
		b.pass()
		client1.SetLinger(0)
		client1.Close()
	}, func() {
		nap()
		client2.SetLinger(0)
		client2.Close()
		b.pass()
		b.x = 2
	})
}

func TestNoRaceTCPListenerClosedDial(t *testing.T) {
	var b box
	l := tcpListener(t)
	together(func() {
		b.x = 1
		b.countLeft()
		l.Close()
	}, func() {
		until(t, func() bool {
			c, err := net.Dial("tcp", l.Addr().String())
			if err == nil {
				c.Close()
			}
			return err != nil
		})
		b.countRight()
		b.x = 2
	})
}

// The listener is closed first, the state is set after.
func TestRaceTCPListenerClosedDial(t *testing.T) {
	var b box
	l := tcpListener(t)
	together(func() {
		l.Close()
		b.x = 1
		b.countLeft()
	}, func() {
		nap()
		until(t, func() bool {
			_, err := net.Dial("tcp", l.Addr().String())
			return err != nil
		})
		b.countRight()
		b.x = 2
	})
}

func TestNoRaceTCPListenerClosedAccept(t *testing.T) {
	var b box
	l := tcpListener(t)
	together(func() {
		b.x = 1
		b.pass()
		l.Close()
	}, func() {
		if _, err := l.Accept(); errors.Is(err, net.ErrClosed) {
			b.pass()
			b.x = 2
		}
	})
}

// Of two servers each waits for its own listener's end.
func TestRaceTCPListenerClosedAccept(t *testing.T) {
	var b box
	l1, l2 := tcpListener(t), tcpListener(t)
	together(func() {
		l1.Close()
		nap()
		l2.Close()
	}, func() {
		l1.Accept()
		b.x = 1
		b.pass()
	}, func() {
		l2.Accept()
		b.pass()
		b.x = 2
	})
}

func TestNoRaceTCPDeadline(t *testing.T) {
	var b box
	_, server := tcpPair(t)
	together(func() {
		b.x = 1
		b.pass()
		server.SetReadDeadline(time.Unix(1, 0))
	}, func() {
		if _, err := server.Read(make([]byte, 1)); errors.Is(err, os.ErrDeadlineExceeded) {
			b.pass()
			b.x = 2
		}
	})
}

// The deadline was set before.
func TestRaceTCPDeadline(t *testing.T) {
	var b box
	_, server := tcpPair(t)
	together(func() {
		server.SetReadDeadline(time.Now().Add(5 * time.Millisecond))
		b.x = 1
		b.pass()
	}, func() {
		if _, err := server.Read(make([]byte, 1)); errors.Is(err, os.ErrDeadlineExceeded) {
			nap()
			b.pass()
			b.x = 2
		}
	})
}

func TestNoRaceTCPBuffers(t *testing.T) {
	var b box
	client, server := tcpPair(t)
	together(func() {
		b.x = 1
		b.pass()
		get((&net.Buffers{[]byte("ab"), []byte("cd")}).WriteTo(client))
	}, func() {
		get(io.ReadFull(server, make([]byte, 4)))
		b.pass()
		b.x = 2
	})
}

// The reader waits for the first part, which is sent before.
func TestRaceTCPBuffers(t *testing.T) {
	var b box
	client, server := tcpPair(t)
	together(func() {
		get((&net.Buffers{[]byte("ab"), []byte("cd")}).WriteTo(client))
		nap()
		b.x = 1
		b.pass()
		get((&net.Buffers{[]byte("ef")}).WriteTo(client))
	}, func() {
		get(io.ReadFull(server, make([]byte, 4)))
		longNap()
		b.pass()
		b.x = 2
	})
}

// The writer of more than the buffers hold knows that somebody reads.
func TestNoRaceTCPFull(t *testing.T) {
	var b box
	client, server := tcpPair(t)
	must(client.SetWriteBuffer(16 << 10))
	must(server.SetReadBuffer(16 << 10))
	together(func() {
		nap()
		b.x = 1
		b.countLeft()
		get(io.Copy(io.Discard, server))
	}, func() {
		get(client.Write(make([]byte, 1<<20)))
		b.countRight()
		b.x = 2
		client.Close()
	})
}

// The writer of a little does not, whoever reads later.
func TestRaceTCPFull(t *testing.T) {
	var b box
	client, server := tcpPair(t)
	together(func() {
		b.x = 1
		b.countLeft()
		longNap()
		get(io.Copy(io.Discard, server))
	}, func() {
		nap()
		get(client.Write([]byte("a little")))
		b.countRight()
		b.x = 2
		client.Close()
	})
}

func TestNoRaceTCPWriteFails(t *testing.T) {
	var b box
	client, server := tcpPair(t)
	together(func() {
		b.x = 1
		b.pass()
		server.Close()
	}, func() {
		until(t, func() bool {
			_, err := client.Write([]byte("x"))
			return err != nil
		})
		b.pass()
		b.x = 2
	})
}

// The peer is gone before anything is done.
func TestRaceTCPWriteFails(t *testing.T) {
	var b box
	client, server := tcpPair(t)
	together(func() {
		server.Close()
		b.x = 1
		b.pass()
	}, func() {
		nap()
		until(t, func() bool {
			_, err := client.Write([]byte("x"))
			return err != nil
		})
		b.pass()
		b.x = 2
	})
}

func TestNoRaceTCPPortFree(t *testing.T) {
	var b box
	address := freeAddress()
	l := get(net.Listen("tcp", address))
	together(func() {
		b.x = 1
		b.pass()
		l.Close()
	}, func() {
		until(t, func() bool {
			again, err := net.Listen("tcp", address)
			if err == nil {
				again.Close()
			}
			return err == nil
		})
		b.pass()
		b.x = 2
	})
}

// The port is free before.
func TestRaceTCPPortFree(t *testing.T) {
	var b box
	address := freeAddress()
	l := get(net.Listen("tcp", address))
	together(func() {
		l.Close()
		nap()
		b.x = 1
		b.pass()
	}, func() {
		until(t, func() bool {
			again, err := net.Listen("tcp", address)
			if err == nil {
				again.Close()
			}
			return err == nil
		})
		longNap()
		b.pass()
		b.x = 2
	})
}

func TestNoRaceTCPPortTaken(t *testing.T) {
	var b box
	address := freeAddress()
	together(func() {
		b.x = 1
		b.countLeft()
		if l, err := net.Listen("tcp", address); err == nil {
			time.Sleep(50 * time.Millisecond)
			l.Close()
		}
	}, func() {
		nap()
		if l, err := net.Listen("tcp", address); errors.Is(err, syscall.EADDRINUSE) {
			b.countRight()
			b.x = 2
		} else if err == nil {
			l.Close()
		}
	})
}

// The port was taken before.
func TestRaceTCPPortTaken(t *testing.T) {
	var b box
	address := freeAddress()
	l := get(net.Listen("tcp", address))
	defer l.Close()
	together(func() {
		b.x = 1
		b.countLeft()
		longNap()
		net.Listen("tcp", address)
	}, func() {
		nap()
		if _, err := net.Listen("tcp", address); errors.Is(err, syscall.EADDRINUSE) {
			b.countRight()
			b.x = 2
		}
	})
}

// A relay copies from one connection to the other.
func TestNoRaceTCPRelay(t *testing.T) {
	var b box
	client, in := tcpPair(t)
	out, server := tcpPair(t)
	together(func() {
		b.x = 1
		b.pass()
		get(client.Write([]byte("x")))
		client.Close()
	}, func() {
		get(io.Copy(out, in)) // spliced
		out.Close()
	}, func() {
		get(io.ReadAll(server))
		b.pass()
		b.x = 2
	})
}

// What the relay copies was sent before.
func TestRaceTCPRelay(t *testing.T) {
	var b box
	client, in := tcpPair(t)
	out, server := tcpPair(t)
	together(func() {
		get(client.Write([]byte("x")))
		client.CloseWrite()
		b.x = 1
		b.pass()
	}, func() {
		get(io.Copy(out, in))
		out.Close()
	}, func() {
		get(io.ReadAll(server))
		nap()
		b.pass()
		b.x = 2
	})
}

func TestNoRaceTCPSendfile(t *testing.T) {
	var b box
	client, server := tcpPair(t)
	f := get(os.CreateTemp(t.TempDir(), ""))
	defer f.Close()
	get(f.Write(bytes.Repeat([]byte("line\n"), 2000)))
	get(f.Seek(0, io.SeekStart))
	together(func() {
		b.x = 1
		b.pass()
		get(io.Copy(client, f))
		client.CloseWrite()
	}, func() {
		get(io.ReadFull(server, make([]byte, 10000)))
		b.pass()
		b.x = 2
	})
}

// Two connections get the same file.
func TestRaceTCPSendfile(t *testing.T) {
	var b box
	client1, server1 := tcpPair(t)
	client2, server2 := tcpPair(t)
	name := t.TempDir() + "/f"
	must(os.WriteFile(name, bytes.Repeat([]byte("line\n"), 2000), 0o600))
	send := func(c net.Conn) {
		f := get(os.Open(name))
		defer f.Close()
		get(io.Copy(c, f))
		c.Close()
	}
	together(func() {
		b.x = 1
		b.pass()
		send(client1)
	}, func() {
		nap()
		send(client2)
		b.pass()
		b.x = 2
	}, func() {
		get(io.ReadAll(server1))
		get(io.ReadAll(server2))
	})
}

// A descriptor of the connection's is a file of its own.
func TestNoRaceTCPFile(t *testing.T) {
	var b box
	client, server := tcpPair(t)
	f := get(server.File())
	defer f.Close()
	together(func() {
		b.x = 1
		b.pass()
		get(client.Write([]byte("x")))
	}, func() {
		get(f.Read(make([]byte, 1)))
		b.pass()
		b.x = 2
	})
}

// Both write to the connection, one of them through its file, and nobody waits for that.
func TestRaceTCPFile(t *testing.T) {
	var b box
	client, server := tcpPair(t)
	f := get(client.File())
	defer f.Close()
	together(func() {
		b.x = 1
		b.pass()
		longNap()
		get(client.Write([]byte("x")))
	}, func() {
		nap()
		get(f.Write([]byte("y")))
		b.pass()
		b.x = 2
	})
	get(io.ReadFull(server, make([]byte, 2)))
}

// A read that finds the end comes after the close.
func TestNoRaceTCPReadToTheEnd(t *testing.T) {
	var b box
	client, server := tcpPair(t)
	together(func() {
		server.Write([]byte("state"))
		b.x = 1
		b.pass()
		server.Close()
	}, func() {
		io.ReadAll(client)
		b.pass()
		b.x = 2
	})
}

func TestRaceTCPReadToTheEnd(t *testing.T) {
	var b box
	client, server := tcpPair(t)
	together(func() {
		server.Write([]byte("state"))
		server.Close()
		b.x = 1
		b.pass()
	}, func() {
		nap()
		io.ReadAll(client)
		b.pass()
		b.x = 2
	})
}

// A read that returns bytes does not, even if the other end was closed before.
func TestRaceTCPReadBeforeTheEnd(t *testing.T) {
	var b box
	client, server := tcpPair(t)
	together(func() {
		server.Write([]byte("state"))
		b.x = 1
		b.pass()
		server.Close()
	}, func() {
		nap()
		var state [5]byte
		io.ReadFull(client, state[:])
		b.pass()
		b.x = 2
	})
}

// It comes after the write of these bytes, all the same.
func TestNoRaceTCPReadBeforeTheEnd(t *testing.T) {
	var b box
	client, server := tcpPair(t)
	together(func() {
		b.x = 1
		b.pass()
		server.Write([]byte("state"))
		server.Close()
	}, func() {
		nap()
		var state [5]byte
		io.ReadFull(client, state[:])
		b.pass()
		b.x = 2
	})
}

// Which end is closed first shows nothing.
func TestRaceTCPBothEndsClosed(t *testing.T) {
	var b box
	client, server := tcpPair(t)
	together(func() {
		server.Write([]byte("state"))
		b.x = 1
		b.pass()
		server.Close()
	}, func() {
		nap()
		var state [5]byte
		io.ReadFull(client, state[:])
		b.pass()
		b.x = 2
		client.Close()
	})
}

// That one is closed does, to a read.
func TestNoRaceTCPClosedThenRead(t *testing.T) {
	var b box
	client, server := tcpPair(t)
	together(func() {
		b.x = 1
		b.pass()
		server.Close()
	}, func() {
		var none [1]byte
		client.Read(none[:])
		b.pass()
		b.x = 2
		client.Close()
	})
}

func TestRaceTCPClosedThenRead(t *testing.T) {
	var b box
	client, server := tcpPair(t)
	together(func() {
		server.Close()
		b.x = 1
		b.pass()
	}, func() {
		nap()
		var none [1]byte
		client.Read(none[:])
		b.pass()
		b.x = 2
		client.Close()
	})
}
