// Memory that is not Go's, and calls of the system that no package wraps.

//go:build linux && amd64

package guarded

import (
	"encoding/binary"
	"io"
	"net"
	"os"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// mapped is a page of memory that is not Go's.
func mapped(t *testing.T) []byte {
	return mapFile(t, -1, syscall.MAP_ANON|syscall.MAP_SHARED)
}

func mapFile(t *testing.T, fd, flags int) []byte {
	mem := get(syscall.Mmap(fd, 0, 4096, syscall.PROT_READ|syscall.PROT_WRITE, flags))
	t.Cleanup(func() { syscall.Munmap(mem) })
	return mem
}

// word is an atomic variable there.
func word(mem []byte, i int) *atomic.Uint32 { return (*atomic.Uint32)(unsafe.Pointer(&mem[4*i])) }

func TestNoRaceMmapFlag(t *testing.T) {
	var b box
	mem := mapped(t)
	together(func() {
		b.x = 1
		b.mu.Lock()
		mem[0] = 1
		b.mu.Unlock()
	}, func() {
		until(t, func() bool {
			b.mu.Lock()
			defer b.mu.Unlock()
			return mem[0] == 1
		})
		b.x = 2
	})
}

// The flag is set before.
func TestRaceMmapFlag(t *testing.T) {
	var b box
	mem := mapped(t)
	together(func() {
		b.mu.Lock()
		mem[0] = 1
		b.mu.Unlock()
		nap()
		b.x = 1
		b.pass()
	}, func() {
		until(t, func() bool {
			b.mu.Lock()
			defer b.mu.Unlock()
			return mem[0] == 1
		})
		longNap()
		b.pass()
		b.x = 2
	})
}

func TestNoRaceMmapOnce(t *testing.T) {
	var b box
	mem := mapped(t)
	together(func() {
		b.x = 1
		b.mu.Lock()
		mem[0] = 1
		b.mu.Unlock()
	}, func() {
		nap()
		b.mu.Lock()
		ok := mem[0] == 1
		b.mu.Unlock()
		if ok {
			b.x = 2
		}
	})
	if b.x != 2 {
		t.Error("the second section did not see the first")
	}
}

// The flag is set in an earlier section.
func TestRaceMmapOnce(t *testing.T) {
	var b box
	mem := mapped(t)
	together(func() {
		b.mu.Lock()
		mem[0] = 1
		b.mu.Unlock()
		b.x = 1
		b.pass()
	}, func() {
		nap()
		b.mu.Lock()
		ok := mem[0] == 1
		b.mu.Unlock()
		if ok {
			b.x = 2
		}
	})
}

func TestNoRaceMmapAtomic(t *testing.T) {
	var b box
	mem := mapped(t)
	together(func() {
		b.x = 1
		b.pass()
		word(mem, 0).Store(1)
	}, func() {
		until(t, func() bool { return word(mem, 0).Load() == 1 })
		b.pass()
		b.x = 2
	})
}

// It is set before.
func TestRaceMmapAtomic(t *testing.T) {
	var b box
	mem := mapped(t)
	together(func() {
		word(mem, 0).Store(1)
		nap()
		b.x = 1
		b.pass()
	}, func() {
		until(t, func() bool { return word(mem, 0).Load() == 1 })
		longNap()
		b.pass()
		b.x = 2
	})
}

// One file in two places.
func TestNoRaceMmapTwice(t *testing.T) {
	var b box
	f := tempFile(t, string(make([]byte, 4096)))
	one, two := mapFile(t, int(f.Fd()), syscall.MAP_SHARED), mapFile(t, int(f.Fd()), syscall.MAP_SHARED)
	together(func() {
		b.x = 1
		b.mu.Lock()
		one[0] = 1
		b.mu.Unlock()
	}, func() {
		until(t, func() bool {
			b.mu.Lock()
			defer b.mu.Unlock()
			return two[0] == 1
		})
		b.x = 2
	})
}

// It is set before.
func TestRaceMmapTwice(t *testing.T) {
	var b box
	f := tempFile(t, string(make([]byte, 4096)))
	one, two := mapFile(t, int(f.Fd()), syscall.MAP_SHARED), mapFile(t, int(f.Fd()), syscall.MAP_SHARED)
	together(func() {
		one[0] = 1
		nap()
		b.x = 1
		b.mu.Lock()
		b.mu.Unlock()
	}, func() {
		until(t, func() bool { return word(two, 0).Load()&0xff == 1 })
		longNap()
		b.pass()
		b.x = 2
	})
}

func TestNoRaceMmapTwiceAtomic(t *testing.T) {
	var b box
	f := tempFile(t, string(make([]byte, 4096)))
	one, two := mapFile(t, int(f.Fd()), syscall.MAP_SHARED), mapFile(t, int(f.Fd()), syscall.MAP_SHARED)
	together(func() {
		b.x = 1
		b.pass()
		word(one, 3).Store(7)
	}, func() {
		until(t, func() bool { return word(two, 3).Load() == 7 })
		b.pass()
		b.x = 2
	})
}

// It is set before.
func TestRaceMmapTwiceAtomic(t *testing.T) {
	var b box
	f := tempFile(t, string(make([]byte, 4096)))
	one, two := mapFile(t, int(f.Fd()), syscall.MAP_SHARED), mapFile(t, int(f.Fd()), syscall.MAP_SHARED)
	together(func() {
		word(one, 3).Store(7)
		b.x = 1
		b.pass()
	}, func() {
		until(t, func() bool { return word(two, 3).Load() == 7 })
		nap()
		b.pass()
		b.x = 2
	})
}

// The file is written, the memory shows it.
func TestNoRaceMmapWritten(t *testing.T) {
	var b box
	f := tempFile(t, string(make([]byte, 4096)))
	mem := mapFile(t, int(f.Fd()), syscall.MAP_SHARED)
	together(func() {
		b.x = 1
		b.pass()
		get(f.WriteAt([]byte{1}, 0))
	}, func() {
		until(t, func() bool { return word(mem, 0).Load() == 1 })
		b.pass()
		b.x = 2
	})
}

// The file is written before.
func TestRaceMmapWritten(t *testing.T) {
	var b box
	f := tempFile(t, string(make([]byte, 4096)))
	mem := mapFile(t, int(f.Fd()), syscall.MAP_SHARED)
	together(func() {
		get(f.WriteAt([]byte{1}, 0))
		nap()
		b.x = 1
		b.pass()
	}, func() {
		until(t, func() bool { return word(mem, 0).Load() == 1 })
		longNap()
		b.pass()
		b.x = 2
	})
}

// The memory is written, the file shows it.
func TestNoRaceMmapRead(t *testing.T) {
	var b box
	f := tempFile(t, string(make([]byte, 4096)))
	mem := mapFile(t, int(f.Fd()), syscall.MAP_SHARED)
	together(func() {
		b.x = 1
		b.countLeft()
		mem[7] = 1
	}, func() {
		p := make([]byte, 1)
		until(t, func() bool { return get(f.ReadAt(p, 7)) == 1 && p[0] == 1 })
		b.countRight()
		b.x = 2
	})
}

// It is written before.
func TestRaceMmapRead(t *testing.T) {
	var b box
	f := tempFile(t, string(make([]byte, 4096)))
	mem := mapFile(t, int(f.Fd()), syscall.MAP_SHARED)
	together(func() {
		mem[7] = 1
		b.x = 1
		b.countLeft()
	}, func() {
		p := make([]byte, 1)
		until(t, func() bool { return get(f.ReadAt(p, 7)) == 1 && p[0] == 1 })
		nap()
		b.countRight()
		b.x = 2
	})
}

// memfd is a file without a name.
func memfd(t *testing.T) int {
	fd, _, errno := syscall.Syscall(319, uintptr(unsafe.Pointer(&[]byte("guarded\x00")[0])), 0, 0) // memfd_create of amd64
	if errno != 0 {
		t.Skip(errno)
	}
	must(syscall.Ftruncate(int(fd), 4096))
	t.Cleanup(func() { syscall.Close(int(fd)) })
	return int(fd)
}

func TestNoRaceMemfd(t *testing.T) {
	var b box
	fd := memfd(t)
	one, two := mapFile(t, fd, syscall.MAP_SHARED), mapFile(t, fd, syscall.MAP_SHARED)
	together(func() {
		b.x = 1
		b.pass()
		word(one, 0).Add(1)
	}, func() {
		until(t, func() bool { return word(two, 0).Load() == 1 })
		b.pass()
		b.x = 2
	})
}

// It is added before.
func TestRaceMemfd(t *testing.T) {
	var b box
	fd := memfd(t)
	one, two := mapFile(t, fd, syscall.MAP_SHARED), mapFile(t, fd, syscall.MAP_SHARED)
	together(func() {
		word(one, 0).Add(1)
		nap()
		b.x = 1
		b.pass()
	}, func() {
		until(t, func() bool { return word(two, 0).Load() == 1 })
		longNap()
		b.pass()
		b.x = 2
	})
}

// eventfd is a counter of the system's.
func eventfd(t *testing.T) int {
	fd, _, errno := syscall.RawSyscall(syscall.SYS_EVENTFD2, 0, syscall.O_CLOEXEC, 0)
	if errno != 0 {
		t.Skip(errno)
	}
	t.Cleanup(func() { syscall.Close(int(fd)) })
	return int(fd)
}

func one() []byte { return binary.NativeEndian.AppendUint64(nil, 1) }

func TestNoRaceEventfd(t *testing.T) {
	var b box
	fd := eventfd(t)
	together(func() {
		b.x = 1
		b.pass()
		get(syscall.Write(fd, one()))
	}, func() {
		get(syscall.Read(fd, make([]byte, 8)))
		b.pass()
		b.x = 2
	})
}

// It is counted up before.
func TestRaceEventfd(t *testing.T) {
	var b box
	fd := eventfd(t)
	together(func() {
		get(syscall.Write(fd, one()))
		nap()
		b.x = 1
		b.pass()
	}, func() {
		get(syscall.Read(fd, make([]byte, 8)))
		longNap()
		b.pass()
		b.x = 2
	})
}

func rawWrite(fd int, p []byte) {
	syscall.Syscall(syscall.SYS_WRITE, uintptr(fd), uintptr(unsafe.Pointer(&p[0])), uintptr(len(p)))
}

func rawRead(fd int, p []byte) int {
	n, _, _ := syscall.Syscall(syscall.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(&p[0])), uintptr(len(p)))
	return int(n)
}

func TestNoRaceRawEventfd(t *testing.T) {
	var b box
	fd := eventfd(t)
	together(func() {
		b.x = 1
		b.mu.Lock()
		rawWrite(fd, one())
		b.mu.Unlock()
	}, func() {
		rawRead(fd, make([]byte, 8))
		b.pass()
		b.x = 2
	})
}

// It is counted up before.
func TestRaceRawEventfd(t *testing.T) {
	var b box
	fd := eventfd(t)
	together(func() {
		rawWrite(fd, one())
		b.x = 1
		b.pass()
	}, func() {
		rawRead(fd, make([]byte, 8))
		nap()
		b.pass()
		b.x = 2
	})
}

// rawPipe are the ends of a pipe, as the system gives them.
func rawPipe(t *testing.T) (r, w int) {
	var fds [2]int32
	_, _, errno := syscall.RawSyscall(syscall.SYS_PIPE2, uintptr(unsafe.Pointer(&fds)), syscall.O_CLOEXEC, 0)
	if errno != 0 {
		t.Fatal(errno)
	}
	t.Cleanup(func() {
		syscall.Close(int(fds[0]))
		syscall.Close(int(fds[1]))
	})
	return int(fds[0]), int(fds[1])
}

func TestNoRaceRawPipe(t *testing.T) {
	var b box
	r, w := rawPipe(t)
	together(func() {
		b.x = 1
		b.pass()
		rawWrite(w, []byte("x"))
	}, func() {
		rawRead(r, make([]byte, 1))
		b.pass()
		b.x = 2
	})
}

// Two pipes, and nobody reads.
func TestRaceRawPipe(t *testing.T) {
	var b box
	_, w1 := rawPipe(t)
	_, w2 := rawPipe(t)
	together(func() {
		b.x = 1
		b.pass()
		rawWrite(w1, []byte("x"))
	}, func() {
		nap()
		rawWrite(w2, []byte("x"))
		b.pass()
		b.x = 2
	})
}

func TestNoRaceRawMkdir(t *testing.T) {
	var b box
	name := append([]byte(t.TempDir()+"/d"), 0)
	p := uintptr(unsafe.Pointer(&name[0]))
	together(func() {
		b.x = 1
		b.pass()
		syscall.RawSyscall(syscall.SYS_MKDIR, p, 0o700, 0)
	}, func() {
		until(t, func() bool {
			_, _, errno := syscall.RawSyscall(syscall.SYS_ACCESS, p, 0, 0)
			return errno == 0
		})
		b.pass()
		b.x = 2
	})
}

// The directory is made before.
func TestRaceRawMkdir(t *testing.T) {
	var b box
	name := append([]byte(t.TempDir()+"/d"), 0)
	p := uintptr(unsafe.Pointer(&name[0]))
	together(func() {
		syscall.RawSyscall(syscall.SYS_MKDIR, p, 0o700, 0)
		nap()
		b.x = 1
		b.pass()
	}, func() {
		until(t, func() bool {
			_, _, errno := syscall.RawSyscall(syscall.SYS_ACCESS, p, 0, 0)
			return errno == 0
		})
		longNap()
		b.pass()
		b.x = 2
	})
}

func TestNoRaceEpoll(t *testing.T) {
	var b box
	r, w := rawPipe(t)
	ep := get(syscall.EpollCreate1(syscall.EPOLL_CLOEXEC))
	defer syscall.Close(ep)
	must(syscall.EpollCtl(ep, syscall.EPOLL_CTL_ADD, r, &syscall.EpollEvent{Events: syscall.EPOLLIN, Fd: int32(r)}))
	together(func() {
		b.x = 1
		b.pass()
		get(syscall.Write(w, []byte("x")))
	}, func() {
		until(t, func() bool {
			n, _ := syscall.EpollWait(ep, make([]syscall.EpollEvent, 1), 100)
			return n == 1
		})
		b.pass()
		b.x = 2
	})
}

// The event is there before.
func TestRaceEpoll(t *testing.T) {
	var b box
	r, w := rawPipe(t)
	ep := get(syscall.EpollCreate1(syscall.EPOLL_CLOEXEC))
	defer syscall.Close(ep)
	must(syscall.EpollCtl(ep, syscall.EPOLL_CTL_ADD, r, &syscall.EpollEvent{Events: syscall.EPOLLIN, Fd: int32(r)}))
	together(func() {
		get(syscall.Write(w, []byte("x")))
		b.x = 1
		b.pass()
	}, func() {
		until(t, func() bool {
			n, _ := syscall.EpollWait(ep, make([]syscall.EpollEvent, 1), 100)
			return n == 1
		})
		nap()
		b.pass()
		b.x = 2
	})
}

// ready asks whether the descriptor can be read.
func ready(fd int) bool {
	var set syscall.FdSet
	set.Bits[fd/64] |= 1 << (fd % 64)
	n, _ := syscall.Select(fd+1, &set, nil, nil, &syscall.Timeval{Usec: 100})
	return n == 1
}

func TestNoRaceSelect(t *testing.T) {
	var b box
	r, w := rawPipe(t)
	together(func() {
		b.x = 1
		b.countLeft()
		syscall.Close(get(syscall.Dup(w)))
		get(syscall.Write(w, []byte("x")))
	}, func() {
		until(t, func() bool { return ready(r) })
		b.countRight()
		b.x = 2
	})
}

// It can be read before.
func TestRaceSelect(t *testing.T) {
	var b box
	r, w := rawPipe(t)
	together(func() {
		get(syscall.Write(w, []byte("x")))
		b.x = 1
		b.countLeft()
	}, func() {
		until(t, func() bool { return ready(r) })
		nap()
		b.countRight()
		b.x = 2
	})
}

func TestNoRacePoll(t *testing.T) {
	var b box
	r, w := rawPipe(t)
	set := struct {
		fd              int32
		events, revents int16
	}{int32(r), 1, 0}
	together(func() {
		b.x = 1
		b.pass()
		syscall.Close(w)
	}, func() {
		syscall.Syscall(syscall.SYS_POLL, uintptr(unsafe.Pointer(&set)), 1, 10_000)
		if set.revents != 0 {
			b.pass()
			b.x = 2
		}
	})
}

// It waits for another one.
func TestRacePoll(t *testing.T) {
	var b box
	_, w := rawPipe(t)
	r2, w2 := rawPipe(t)
	set := struct {
		fd              int32
		events, revents int16
	}{int32(r2), 1, 0}
	syscall.Close(w2)
	together(func() {
		b.x = 1
		b.pass()
		syscall.Close(w)
	}, func() {
		nap()
		syscall.Syscall(syscall.SYS_POLL, uintptr(unsafe.Pointer(&set)), 1, 10_000)
		if set.revents != 0 {
			b.pass()
			b.x = 2
		}
	})
}

// How much there is to read.
func unread(fd uintptr) (n int32) {
	syscall.Syscall(syscall.SYS_IOCTL, fd, syscall.TIOCINQ, uintptr(unsafe.Pointer(&n)))
	return n
}

func TestNoRaceIoctl(t *testing.T) {
	var b box
	client, server := tcpPair(t)
	raw := get(server.SyscallConn())
	together(func() {
		b.x = 1
		b.pass()
		get(client.Write([]byte("xy")))
	}, func() {
		until(t, func() (ok bool) {
			raw.Control(func(fd uintptr) { ok = unread(fd) == 2 })
			return ok
		})
		b.pass()
		b.x = 2
	})
}

// That there is something does not say that it is all.
func TestRaceIoctl(t *testing.T) {
	var b box
	client, server := tcpPair(t)
	raw := get(server.SyscallConn())
	together(func() {
		get(client.Write([]byte("x")))
		nap()
		b.x = 1
		b.pass()
		get(client.Write([]byte("y")))
	}, func() {
		until(t, func() (ok bool) {
			raw.Control(func(fd uintptr) { ok = unread(fd) > 0 })
			return ok
		})
		longNap()
		b.pass()
		b.x = 2
	})
}

// peek looks at what there is, and does not wait.
func peek(c *net.TCPConn) (n int) {
	get(c.SyscallConn()).Control(func(fd uintptr) {
		n, _, _ = syscall.Recvfrom(int(fd), make([]byte, 1), syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
	})
	return n
}

func TestNoRacePeek(t *testing.T) {
	var b box
	client, server := tcpPair(t)
	together(func() {
		b.x = 1
		b.pass()
		get(client.Write([]byte("x")))
	}, func() {
		until(t, func() bool { return peek(server) == 1 })
		b.pass()
		b.x = 2
	})
}

// It is another connection.
func TestRacePeek(t *testing.T) {
	var b box
	client, _ := tcpPair(t)
	other, server := tcpPair(t)
	get(other.Write([]byte("x")))
	together(func() {
		b.x = 1
		b.pass()
		get(client.Write([]byte("x")))
	}, func() {
		nap()
		until(t, func() bool { return peek(server) == 1 })
		b.pass()
		b.x = 2
	})
}

func keepsAlive(c *net.TCPConn) (on bool) {
	get(c.SyscallConn()).Control(func(fd uintptr) {
		on = get(syscall.GetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_KEEPALIVE)) != 0
	})
	return on
}

func TestNoRaceSocketOption(t *testing.T) {
	var b box
	client, _ := tcpPair(t)
	must(client.SetKeepAlive(false))
	together(func() {
		b.x = 1
		b.pass()
		must(client.SetKeepAlive(true))
	}, func() {
		until(t, func() bool { return keepsAlive(client) })
		b.pass()
		b.x = 2
	})
}

// Each sets the option of its own connection.
func TestRaceSocketOption(t *testing.T) {
	var b box
	client1, _ := tcpPair(t)
	client2, _ := tcpPair(t)
	together(func() {
		b.x = 1
		b.pass()
		must(client1.SetKeepAlive(false))
	}, func() {
		nap()
		must(client2.SetKeepAlive(false))
		b.pass()
		b.x = 2
	})
}

// The system knows that the other side has closed.
func TestNoRaceSocketState(t *testing.T) {
	var b box
	client, server := tcpPair(t)
	const closeWait = 8
	state := func() (s int) {
		get(server.SyscallConn()).Control(func(fd uintptr) {
			s = get(syscall.GetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_INFO)) & 0xff
		})
		return s
	}
	together(func() {
		b.x = 1
		b.pass()
		client.Close()
	}, func() {
		until(t, func() bool { return state() == closeWait })
		b.pass()
		b.x = 2
	})
}

// It has closed before.
func TestRaceSocketState(t *testing.T) {
	var b box
	client, server := tcpPair(t)
	const closeWait = 8
	state := func() (s int) {
		get(server.SyscallConn()).Control(func(fd uintptr) {
			s = get(syscall.GetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_INFO)) & 0xff
		})
		return s
	}
	together(func() {
		client.Close()
		b.x = 1
		b.pass()
	}, func() {
		until(t, func() bool { return state() == closeWait })
		nap()
		b.pass()
		b.x = 2
	})
}

// Who wants a port for itself gets it when the listener that shares it has closed.
func TestNoRaceReusePort(t *testing.T) {
	var b box
	control := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) (err error) {
		c.Control(func(fd uintptr) { err = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, 15, 1) }) // SO_REUSEPORT
		return err
	}}
	l1 := get(control.Listen(t.Context(), "tcp", "127.83.17.4:0"))
	together(func() {
		b.x = 1
		b.pass()
		l1.Close()
	}, func() {
		until(t, func() bool {
			l, err := net.Listen("tcp", l1.Addr().String()) // without the option, it needs the port for itself
			if err == nil {
				l.Close()
			}
			return err == nil
		})
		b.pass()
		b.x = 2
	})
}

// The port is free before.
func TestRaceReusePort(t *testing.T) {
	var b box
	control := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) (err error) {
		c.Control(func(fd uintptr) { err = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, 15, 1) }) // SO_REUSEPORT
		return err
	}}
	l1 := get(control.Listen(t.Context(), "tcp", "127.83.17.4:0"))
	together(func() {
		l1.Close()
		nap()
		b.x = 1
		b.pass()
	}, func() {
		until(t, func() bool {
			l, err := net.Listen("tcp", l1.Addr().String())
			if err == nil {
				l.Close()
			}
			return err == nil
		})
		longNap()
		b.pass()
		b.x = 2
	})
}

// A timer of the system's that can be read.
func timerfd(t *testing.T) (fd int, set func(time.Duration)) {
	r, _, errno := syscall.Syscall(syscall.SYS_TIMERFD_CREATE, 1, syscall.O_CLOEXEC, 0)
	if errno != 0 {
		t.Skip(errno)
	}
	t.Cleanup(func() { syscall.Close(int(r)) })
	return int(r), func(d time.Duration) {
		v := [2]syscall.Timespec{1: syscall.NsecToTimespec(int64(d))}
		syscall.Syscall6(syscall.SYS_TIMERFD_SETTIME, r, 0, uintptr(unsafe.Pointer(&v)), 0, 0, 0)
	}
}

func TestNoRaceTimerfd(t *testing.T) {
	var b box
	fd, set := timerfd(t)
	together(func() {
		b.x = 1
		b.pass()
		set(time.Millisecond)
	}, func() {
		get(syscall.Read(fd, make([]byte, 8)))
		b.pass()
		b.x = 2
	})
}

// It is set before.
func TestRaceTimerfd(t *testing.T) {
	var b box
	fd, set := timerfd(t)
	together(func() {
		set(time.Millisecond)
		b.x = 1
		b.pass()
	}, func() {
		get(syscall.Read(fd, make([]byte, 8)))
		nap()
		b.pass()
		b.x = 2
	})
}

// Raw reads and writes of a connection wait with the poller.
func TestNoRaceRawConn(t *testing.T) {
	var b box
	client, server := tcpPair(t)
	together(func() {
		b.x = 1
		b.pass()
		get(client.SyscallConn()).Write(func(fd uintptr) bool {
			n, _ := syscall.Write(int(fd), []byte("x"))
			return n > 0
		})
	}, func() {
		get(server.SyscallConn()).Read(func(fd uintptr) bool {
			n, _ := syscall.Read(int(fd), make([]byte, 1))
			return n > 0
		})
		b.pass()
		b.x = 2
	})
}

// Each writes to its own connection.
func TestRaceRawConn(t *testing.T) {
	var b box
	client1, server1 := tcpPair(t)
	client2, server2 := tcpPair(t)
	write := func(c *net.TCPConn) {
		get(c.SyscallConn()).Write(func(fd uintptr) bool {
			n, _ := syscall.Write(int(fd), []byte("x"))
			return n > 0
		})
	}
	together(func() {
		b.x = 1
		b.pass()
		write(client1)
	}, func() {
		nap()
		write(client2)
		b.pass()
		b.x = 2
	})
	get(io.ReadFull(server1, make([]byte, 1)))
	get(io.ReadFull(server2, make([]byte, 1)))
}

// What is in a pipe is moved into another one by the system.
func TestNoRaceRawSplice(t *testing.T) {
	var b box
	r1, w1 := rawPipe(t)
	r2, w2 := rawPipe(t)
	together(func() {
		b.x = 1
		b.pass()
		get(syscall.Write(w1, []byte("x")))
	}, func() {
		get(syscall.Splice(r1, nil, w2, nil, 1, 0))
	}, func() {
		get(syscall.Read(r2, make([]byte, 1)))
		b.pass()
		b.x = 2
	})
}

// What is moved was there before.
func TestRaceRawSplice(t *testing.T) {
	var b box
	r1, w1 := rawPipe(t)
	r2, w2 := rawPipe(t)
	together(func() {
		get(syscall.Write(w1, []byte("x")))
		b.x = 1
		b.pass()
	}, func() {
		get(syscall.Splice(r1, nil, w2, nil, 1, 0))
	}, func() {
		get(syscall.Read(r2, make([]byte, 1)))
		nap()
		b.pass()
		b.x = 2
	})
}

// A file in memory that all may open.
func TestNoRaceSharedMemory(t *testing.T) {
	var b box
	f, err := os.CreateTemp("/dev/shm", "guarded")
	if err != nil {
		t.Skip(err)
	}
	defer os.Remove(f.Name())
	defer f.Close()
	must(f.Truncate(4096))
	mem := mapFile(t, int(f.Fd()), syscall.MAP_SHARED)
	together(func() {
		b.x = 1
		b.mu.Lock()
		mem[9] = 1
		b.mu.Unlock()
	}, func() {
		other := get(os.OpenFile(f.Name(), os.O_RDWR, 0))
		defer other.Close()
		again := mapFile(t, int(other.Fd()), syscall.MAP_SHARED)
		until(t, func() bool {
			b.mu.Lock()
			defer b.mu.Unlock()
			return again[9] == 1
		})
		b.x = 2
	})
}

// Memory of one's own.
func TestRaceSharedMemory(t *testing.T) {
	var b box
	f := tempFile(t, string(make([]byte, 4096)))
	mem := mapFile(t, int(f.Fd()), syscall.MAP_SHARED)
	private := mapFile(t, int(f.Fd()), syscall.MAP_PRIVATE)
	together(func() {
		b.x = 1
		b.mu.Lock()
		mem[9] = 1
		b.mu.Unlock()
	}, func() {
		nap()
		b.mu.Lock()
		private[9] = 1
		b.mu.Unlock()
		b.x = 2
	})
}
