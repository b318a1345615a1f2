// Datagrams, and sockets of the Unix domain.

package guarded

import (
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
)

func udpSocket(t *testing.T) *net.UDPConn {
	c := get(net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)}))
	t.Cleanup(func() { c.Close() })
	return c
}

var socketNumber atomic.Int32

// socketName is a short path, since those of sockets may not be long.
func socketName(t *testing.T) string {
	name := filepath.Join(os.TempDir(), "guarded"+strconv.Itoa(os.Getpid())+"."+strconv.Itoa(int(socketNumber.Add(1))))
	t.Cleanup(func() { os.Remove(name) })
	return name
}

func unixgram(t *testing.T) *net.UnixConn {
	c := get(net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socketName(t), Net: "unixgram"}))
	t.Cleanup(func() { c.Close() })
	return c
}

func TestNoRaceUnixStream(t *testing.T) {
	var b box
	l := get(net.Listen("unix", socketName(t)))
	defer l.Close()
	together(func() {
		c := get(net.Dial("unix", l.Addr().String()))
		b.x = 1
		b.pass()
		get(io.WriteString(c, "bye"))
		c.Close()
	}, func() {
		c := get(l.Accept())
		get(io.ReadAll(c))
		b.pass()
		b.x = 2
	})
}

// The two connections of one client have handlers of their own.
func TestRaceUnixStream(t *testing.T) {
	var b box
	l := get(net.Listen("unix", socketName(t)))
	defer l.Close()
	together(func() {
		c1 := get(net.Dial("unix", l.Addr().String()))
		c2 := get(net.Dial("unix", l.Addr().String()))
		c1.Close()
		nap()
		c2.Close()
	}, func() {
		c1, c2 := get(l.Accept()), get(l.Accept())
		together(func() {
			get(io.ReadAll(c1))
			b.x = 1
			b.pass()
		}, func() {
			get(io.ReadAll(c2))
			b.pass()
			b.x = 2
		})
	})
}

func TestNoRaceUnixPacket(t *testing.T) {
	var b box
	l := get(net.Listen("unixpacket", "@guarded"+strconv.Itoa(os.Getpid())))
	defer l.Close()
	c := get(net.Dial("unixpacket", l.Addr().String()))
	defer c.Close()
	s := get(l.Accept())
	defer s.Close()
	together(func() {
		b.x = 1
		b.pass()
		get(c.Write([]byte("x")))
	}, func() {
		get(s.Read(make([]byte, 9)))
		b.pass()
		b.x = 2
	})
}

// Both sides send first.
func TestRaceUnixPacket(t *testing.T) {
	var b box
	l := get(net.Listen("unixpacket", "@guarded"+strconv.Itoa(os.Getpid())))
	defer l.Close()
	c := get(net.Dial("unixpacket", l.Addr().String()))
	defer c.Close()
	s := get(l.Accept())
	defer s.Close()
	together(func() {
		b.x = 1
		b.pass()
		get(c.Write([]byte("x")))
	}, func() {
		nap()
		get(s.Write([]byte("y")))
		b.pass()
		b.x = 2
	})
	get(s.Read(make([]byte, 9)))
}

// socketPair is a pair without a name, as files.
func socketPair(t *testing.T) (one, two *os.File) {
	fds := get(syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC|syscall.SOCK_NONBLOCK, 0))
	one, two = os.NewFile(uintptr(fds[0]), "one"), os.NewFile(uintptr(fds[1]), "two")
	t.Cleanup(func() {
		one.Close()
		two.Close()
	})
	return one, two
}
