// Memory that is not Go's, and calls of the system that no package wraps.

//go:build linux && amd64

package guarded

import (
	"encoding/binary"
	"io"
	"net"
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

// Two counters, and the first one is counted up before.
func TestRaceEventfd(t *testing.T) {
	var b box
	fd1, fd2 := eventfd(t), eventfd(t)
	together(func() {
		b.x = 1
		b.pass()
		get(syscall.Write(fd1, one()))
	}, func() {
		nap()
		get(syscall.Write(fd2, one()))
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

// ready asks whether the descriptor can be read.
func ready(fd int) bool {
	var set syscall.FdSet
	set.Bits[fd/64] |= 1 << (fd % 64)
	n, _ := syscall.Select(fd+1, &set, nil, nil, &syscall.Timeval{Usec: 100})
	return n == 1
}

// How much there is to read.
func unread(fd uintptr) (n int32) {
	syscall.Syscall(syscall.SYS_IOCTL, fd, syscall.TIOCINQ, uintptr(unsafe.Pointer(&n)))
	return n
}

// peek looks at what there is, and does not wait.
func peek(c *net.TCPConn) (n int) {
	get(c.SyscallConn()).Control(func(fd uintptr) {
		n, _, _ = syscall.Recvfrom(int(fd), make([]byte, 1), syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
	})
	return n
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
