// TCP: connections that begin, carry something, and end.

package guarded

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
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

// Both write to the connection, one of them through its file, and nobody reads before the end.
func TestRaceTCPFile(t *testing.T) {
	var b box
	client, server := tcpPair(t)
	f := get(client.File())
	defer f.Close()
	together(func() {
		b.x = 1
		b.pass()
		get(client.Write([]byte("x")))
	}, func() {
		nap()
		get(f.Write([]byte("y")))
		b.pass()
		b.x = 2
	})
	get(io.ReadFull(server, make([]byte, 2)))
}
