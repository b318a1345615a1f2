// Datagrams, and sockets of the Unix domain.

package guarded

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
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

func TestNoRaceUDPWriteTo(t *testing.T) {
	var b box
	from, to := udpSocket(t), udpSocket(t)
	together(func() {
		b.x = 1
		b.pass()
		get(from.WriteTo([]byte("x"), to.LocalAddr()))
	}, func() {
		to.ReadFrom(make([]byte, 9))
		b.pass()
		b.x = 2
	})
}

// Each sends to somebody else.
func TestRaceUDPWriteTo(t *testing.T) {
	var b box
	one, two, to1, to2 := udpSocket(t), udpSocket(t), udpSocket(t), udpSocket(t)
	together(func() {
		b.x = 1
		b.pass()
		get(one.WriteTo([]byte("x"), to1.LocalAddr()))
	}, func() {
		nap()
		get(two.WriteTo([]byte("y"), to2.LocalAddr()))
		b.pass()
		b.x = 2
	})
}

func TestNoRaceUDPConnected(t *testing.T) {
	var b box
	to := udpSocket(t)
	from := get(net.Dial("udp", to.LocalAddr().String()))
	defer from.Close()
	together(func() {
		b.x = 1
		b.countLeft()
		get(from.Write([]byte("x")))
	}, func() {
		to.ReadFromUDPAddrPort(make([]byte, 9))
		b.countRight()
		b.x = 2
	})
}

// Two receivers, and each is sent to at its time.
func TestRaceUDPConnected(t *testing.T) {
	var b box
	to1, to2 := udpSocket(t), udpSocket(t)
	from1 := get(net.Dial("udp", to1.LocalAddr().String()))
	defer from1.Close()
	from2 := get(net.Dial("udp", to2.LocalAddr().String()))
	defer from2.Close()
	together(func() {
		get(from1.Write([]byte("x")))
		nap()
		get(from2.Write([]byte("x")))
	}, func() {
		to1.ReadFromUDPAddrPort(make([]byte, 9))
		b.x = 1
		b.countLeft()
	}, func() {
		to2.ReadFromUDPAddrPort(make([]byte, 9))
		b.countRight()
		b.x = 2
	})
}

func TestNoRaceUDPMessage(t *testing.T) {
	var b box
	from, to := udpSocket(t), udpSocket(t)
	together(func() {
		b.x = 1
		b.pass()
		from.WriteMsgUDP([]byte("x"), nil, to.LocalAddr().(*net.UDPAddr))
	}, func() {
		to.ReadMsgUDP(make([]byte, 9), nil)
		b.pass()
		b.x = 2
	})
}

// The message is sent first.
func TestRaceUDPMessage(t *testing.T) {
	var b box
	from, to := udpSocket(t), udpSocket(t)
	together(func() {
		from.WriteMsgUDP([]byte("x"), nil, to.LocalAddr().(*net.UDPAddr))
		b.x = 1
		b.pass()
	}, func() {
		to.ReadMsgUDP(make([]byte, 9), nil)
		nap()
		b.pass()
		b.x = 2
	})
}

// The host tells who sends that nobody is there any more.
func TestNoRaceUDPRefused(t *testing.T) {
	var b box
	to := udpSocket(t)
	from := get(net.Dial("udp", to.LocalAddr().String()))
	defer from.Close()
	together(func() {
		b.x = 1
		b.pass()
		to.Close()
	}, func() {
		until(t, func() bool {
			_, err := from.Write([]byte("x"))
			return errors.Is(err, syscall.ECONNREFUSED)
		})
		b.pass()
		b.x = 2
	})
}

// The socket is closed, and then the last thing is done.
func TestRaceUDPRefused(t *testing.T) {
	var b box
	to := udpSocket(t)
	from := get(net.Dial("udp", to.LocalAddr().String()))
	defer from.Close()
	together(func() {
		to.Close()
		b.x = 1
		b.pass()
	}, func() {
		nap()
		until(t, func() bool {
			_, err := from.Write([]byte("x"))
			return errors.Is(err, syscall.ECONNREFUSED)
		})
		b.pass()
		b.x = 2
	})
}

func TestNoRaceUDPAnswer(t *testing.T) {
	var b box
	server, client := udpSocket(t), udpSocket(t)
	together(func() {
		p := make([]byte, 9)
		n, from, _ := server.ReadFrom(p)
		b.x = 1
		b.pass()
		server.WriteTo(p[:n], from)
	}, func() {
		get(client.WriteTo([]byte("x"), server.LocalAddr()))
		client.ReadFrom(make([]byte, 9))
		b.pass()
		b.x = 2
	})
}

// The client does not wait for the answer.
func TestRaceUDPAnswer(t *testing.T) {
	var b box
	server, client := udpSocket(t), udpSocket(t)
	together(func() {
		p := make([]byte, 9)
		n, from, _ := server.ReadFrom(p)
		b.x = 1
		b.pass()
		server.WriteTo(p[:n], from)
	}, func() {
		get(client.WriteTo([]byte("x"), server.LocalAddr()))
		nap()
		b.pass()
		b.x = 2
		client.ReadFrom(make([]byte, 9))
	})
}

func TestNoRaceUnixDialUntilListening(t *testing.T) {
	var b box
	name := socketName(t)
	together(func() {
		b.x = 1
		b.pass()
		l := get(net.Listen("unix", name))
		defer l.Close()
		get(l.Accept()).Close()
	}, func() {
		until(t, func() bool {
			c, err := net.Dial("unix", name)
			if err == nil {
				c.Close()
			}
			return err == nil
		})
		b.pass()
		b.x = 2
	})
}

// The server listens, and is not ready.
func TestRaceUnixDialUntilListening(t *testing.T) {
	var b box
	name := socketName(t)
	together(func() {
		l := get(net.Listen("unix", name))
		nap()
		b.x = 1
		b.pass()
		longNap()
		l.Close()
	}, func() {
		until(t, func() bool {
			c, err := net.Dial("unix", name)
			if err == nil {
				c.Close()
			}
			return err == nil
		})
		time.Sleep(30 * time.Millisecond)
		b.pass()
		b.x = 2
	})
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

func TestNoRaceUnixgram(t *testing.T) {
	var b box
	from, to := unixgram(t), unixgram(t)
	together(func() {
		b.x = 1
		b.countLeft()
		get(from.WriteTo([]byte("x"), to.LocalAddr()))
	}, func() {
		to.ReadFrom(make([]byte, 9))
		b.countRight()
		b.x = 2
	})
}

// The message is about something else, and was sent before.
func TestRaceUnixgram(t *testing.T) {
	var b box
	from, to := unixgram(t), unixgram(t)
	together(func() {
		get(from.WriteTo([]byte("hello"), to.LocalAddr()))
		nap()
		b.x = 1
		b.countLeft()
		get(from.WriteTo([]byte("done"), to.LocalAddr()))
	}, func() {
		to.ReadFrom(make([]byte, 9))
		longNap()
		b.countRight()
		b.x = 2
		to.ReadFrom(make([]byte, 9))
	})
}

// A queue of datagrams is full until somebody takes one.
func TestNoRaceUnixgramFull(t *testing.T) {
	var b box
	to := unixgram(t)
	from := get(net.Dial("unixgram", to.LocalAddr().String()))
	defer from.Close()
	from.SetWriteDeadline(time.Now().Add(5 * time.Millisecond))
	for {
		if _, err := from.Write([]byte("x")); err != nil {
			break
		}
	}
	from.SetWriteDeadline(time.Time{})
	together(func() {
		nap()
		b.x = 1
		b.pass()
		to.ReadFrom(make([]byte, 9))
	}, func() {
		get(from.Write([]byte("one more")))
		b.pass()
		b.x = 2
	})
}

// In an empty queue there is room, whoever reads later.
func TestRaceUnixgramFull(t *testing.T) {
	var b box
	to := unixgram(t)
	from := get(net.Dial("unixgram", to.LocalAddr().String()))
	defer from.Close()
	together(func() {
		b.x = 1
		b.pass()
		longNap()
		to.ReadFrom(make([]byte, 9))
	}, func() {
		nap()
		get(from.Write([]byte("one")))
		b.pass()
		b.x = 2
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

// Who sends first does not hear of the other one.
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
		longNap()
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
	return files(t, get(syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC|syscall.SOCK_NONBLOCK, 0)))
}

func TestNoRaceSocketPair(t *testing.T) {
	var b box
	one, two := socketPair(t)
	together(func() {
		b.x = 1
		b.pass()
		get(one.WriteString("x"))
	}, func() {
		get(two.Read(make([]byte, 9)))
		b.pass()
		b.x = 2
	})
}

// Who waits for an answer waits for the one to another question.
func TestRaceSocketPair(t *testing.T) {
	var b box
	one, two := socketPair(t)
	get(one.WriteString("asked before"))
	together(func() {
		b.x = 1
		b.pass()
		longNap()
		get(one.WriteString("x"))
	}, func() {
		nap()
		get(io.ReadFull(two, make([]byte, len("asked before"))))
		b.pass()
		b.x = 2
	})
}

func TestNoRaceSocketPairConn(t *testing.T) {
	var b box
	one, two := socketPair(t)
	c1, c2 := get(net.FileConn(one)), get(net.FileConn(two))
	one.Close()
	two.Close()
	defer c2.Close()
	together(func() {
		b.x = 1
		b.pass()
		c1.Close()
	}, func() {
		get(io.ReadAll(c2))
		b.pass()
		b.x = 2
	})
}

// The pair's own files keep it open; what ends is another pair.
func TestRaceSocketPairConn(t *testing.T) {
	var b box
	one, _ := socketPair(t)
	other, two := socketPair(t)
	c1, c2 := get(net.FileConn(one)), get(net.FileConn(two))
	defer c2.Close()
	other.Close()
	together(func() {
		b.x = 1
		b.pass()
		c1.Close()
	}, func() {
		nap()
		get(io.ReadAll(c2))
		b.pass()
		b.x = 2
	})
}

// A descriptor is sent, and what is written to the file tells.
func TestNoRaceUnixRights(t *testing.T) {
	var b box
	one, two := socketPair(t)
	c1, c2 := get(net.FileConn(one)).(*net.UnixConn), get(net.FileConn(two)).(*net.UnixConn)
	defer c1.Close()
	defer c2.Close()
	together(func() {
		b.x = 1
		b.pass()
		c1.WriteMsgUnix([]byte("x"), syscall.UnixRights(int(two.Fd())), nil)
	}, func() {
		oob := make([]byte, 64)
		_, n, _, _, _ := c2.ReadMsgUnix(make([]byte, 1), oob)
		for _, m := range get(syscall.ParseSocketControlMessage(oob[:n])) {
			for _, fd := range get(syscall.ParseUnixRights(&m)) {
				syscall.Close(fd)
			}
		}
		b.pass()
		b.x = 2
	})
}

// The descriptor is sent before.
func TestRaceUnixRights(t *testing.T) {
	var b box
	one, two := socketPair(t)
	c1, c2 := get(net.FileConn(one)).(*net.UnixConn), get(net.FileConn(two)).(*net.UnixConn)
	defer c1.Close()
	defer c2.Close()
	together(func() {
		c1.WriteMsgUnix([]byte("x"), syscall.UnixRights(int(two.Fd())), nil)
		b.x = 1
		b.pass()
	}, func() {
		oob := make([]byte, 64)
		_, n, _, _, _ := c2.ReadMsgUnix(make([]byte, 1), oob)
		for _, m := range get(syscall.ParseSocketControlMessage(oob[:n])) {
			for _, fd := range get(syscall.ParseUnixRights(&m)) {
				syscall.Close(fd)
			}
		}
		nap()
		b.pass()
		b.x = 2
	})
}
