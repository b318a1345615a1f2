// What the process and others find out of descriptors, names and ports: by counting them, by events of others, by calls that fail
// until another one was made, in child processes that have them as well. Each pair of programs has its means from one function.

package guarded

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// descriptors counts those of the process that are of a kind.
func descriptors(kind string) (n int) {
	for _, e := range get(os.ReadDir("/proc/self/fd")) {
		if to, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil && strings.HasPrefix(to, kind) {
			n++
		}
	}
	return n
}

// get2 is the error of two results.
func get2[T any](_ T, err error) error { return err }

// inotify waits for an event of what is in a directory.
func inotify(t *testing.T, dir string, event uint32) func() bool {
	fd := get(syscall.InotifyInit1(syscall.IN_CLOEXEC))
	t.Cleanup(func() { syscall.Close(fd) })
	get(syscall.InotifyAddWatch(fd, dir, event))
	return func() bool { return get(syscall.Read(fd, make([]byte, 4096))) > 0 }
}

// epoll waits until something can be read.
func epoll(t *testing.T, fd int) func() bool {
	ep := get(syscall.EpollCreate1(syscall.EPOLL_CLOEXEC))
	t.Cleanup(func() { syscall.Close(ep) })
	must(syscall.EpollCtl(ep, syscall.EPOLL_CTL_ADD, fd, &syscall.EpollEvent{Events: syscall.EPOLLIN, Fd: int32(fd)}))
	return func() bool {
		n, _ := syscall.EpollWait(ep, make([]syscall.EpollEvent, 1), 1000)
		return n > 0
	}
}

// rawUDP is a socket that package net does not know.
func rawUDP(t *testing.T) (fd int, name string) {
	fd = get(syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC|syscall.SOCK_NONBLOCK, 0))
	t.Cleanup(func() { syscall.Close(fd) })
	must(syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}))
	return fd, "127.0.0.1:" + strconv.Itoa(get(syscall.Getsockname(fd)).(*syscall.SockaddrInet4).Port)
}

// fileOf is another descriptor of a connection.
func fileOf(t *testing.T, c interface{ File() (*os.File, error) }) int {
	f := get(c.File())
	t.Cleanup(func() { f.Close() })
	return int(f.Fd())
}

// child starts a shell with a connection as its standard input, and a file to write to at the end of its script.
func child(t *testing.T, c interface{ File() (*os.File, error) }, script string) (out string) {
	out = filepath.Join(t.TempDir(), "out")
	f := get(c.File())
	cmd := exec.Command("/bin/sh", "-c", script+out)
	cmd.Stdin = f
	must(cmd.Start())
	f.Close()
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	return out
}

// A leak check counts the descriptors.
func descriptorGone(t *testing.T) (tell func(), told func() bool) {
	f := tempFile(t, "")
	n := descriptors("")
	return func() { f.Close() }, func() bool { return descriptors("") < n }
}

func TestNoRaceDescriptorGone(t *testing.T) {
	var b box
	tell, told := descriptorGone(t)
	together(func() {
		nap()
		b.x = 1
		b.pass()
		tell()
	}, func() {
		until(t, told)
		b.pass()
		b.x = 2
	})
}

func TestRaceDescriptorGone(t *testing.T) {
	var b box
	tell, told := descriptorGone(t)
	together(func() {
		tell()
		b.x = 1
		b.pass()
	}, func() {
		until(t, told)
		longNap()
		b.pass()
		b.x = 2
	})
}

func descriptorOpened(t *testing.T) (tell func(), told func() bool) {
	name := tempFile(t, "").Name()
	n := descriptors("")
	return func() { open(t, name) }, func() bool { return descriptors("") > n }
}

func TestNoRaceDescriptorOpened(t *testing.T) {
	var b box
	tell, told := descriptorOpened(t)
	together(func() {
		nap()
		b.x = 1
		b.pass()
		tell()
	}, func() {
		until(t, told)
		b.pass()
		b.x = 2
	})
}

func TestRaceDescriptorOpened(t *testing.T) {
	var b box
	tell, told := descriptorOpened(t)
	together(func() {
		tell()
		b.x = 1
		b.pass()
	}, func() {
		until(t, told)
		longNap()
		b.pass()
		b.x = 2
	})
}

func descriptorOfPipe(t *testing.T) (tell func(), told func() bool) {
	_, w := pipe(t)
	n := descriptors("pipe:")
	return func() { w.Close() }, func() bool { return descriptors("pipe:") < n }
}

func TestNoRaceDescriptorOfPipe(t *testing.T) {
	var b box
	tell, told := descriptorOfPipe(t)
	together(func() {
		nap()
		b.x = 1
		b.pass()
		tell()
	}, func() {
		until(t, told)
		b.pass()
		b.x = 2
	})
}

func TestRaceDescriptorOfPipe(t *testing.T) {
	var b box
	tell, told := descriptorOfPipe(t)
	together(func() {
		tell()
		b.x = 1
		b.pass()
	}, func() {
		until(t, told)
		longNap()
		b.pass()
		b.x = 2
	})
}

// Both ends of the connection are closed, so that only the count of sockets shows it.
func descriptorOfConnection(t *testing.T) (tell func(), told func() bool) {
	client, server := tcpPair(t)
	n := descriptors("socket:")
	server.Close()
	io.Copy(io.Discard, client)
	return func() { client.Close() }, func() bool { return descriptors("socket:") <= n-2 }
}

func TestNoRaceDescriptorOfConnection(t *testing.T) {
	var b box
	tell, told := descriptorOfConnection(t)
	together(func() {
		nap()
		b.x = 1
		b.pass()
		tell()
	}, func() {
		until(t, told)
		b.pass()
		b.x = 2
	})
}

func TestRaceDescriptorOfConnection(t *testing.T) {
	var b box
	tell, told := descriptorOfConnection(t)
	together(func() {
		tell()
		b.x = 1
		b.pass()
	}, func() {
		until(t, told)
		longNap()
		b.pass()
		b.x = 2
	})
}

// A call fails, as the descriptor is closed.
func badDescriptor(t *testing.T) (tell func(), told func() bool) {
	fd := 900 + len(t.Name()) // nobody else gets this number
	must(syscall.Dup3(int(tempFile(t, "").Fd()), fd, syscall.O_CLOEXEC))
	return func() { syscall.Close(fd) }, func() bool { return syscall.Fstat(fd, new(syscall.Stat_t)) == syscall.EBADF }
}

func TestNoRaceBadDescriptor(t *testing.T) {
	var b box
	tell, told := badDescriptor(t)
	together(func() {
		nap()
		b.x = 1
		b.pass()
		tell()
	}, func() {
		until(t, told)
		b.pass()
		b.x = 2
	})
}

func TestRaceBadDescriptor(t *testing.T) {
	var b box
	tell, told := badDescriptor(t)
	together(func() {
		tell()
		b.x = 1
		b.pass()
	}, func() {
		until(t, told)
		longNap()
		b.pass()
		b.x = 2
	})
}

func inotifyClosed(t *testing.T) (tell func(), told func() bool) {
	dir := t.TempDir()
	f := get(os.Create(filepath.Join(dir, "f")))
	must(get2(f.WriteString("data")))
	return func() { f.Close() }, inotify(t, dir, syscall.IN_CLOSE_WRITE)
}

func TestNoRaceInotifyClosed(t *testing.T) {
	var b box
	tell, told := inotifyClosed(t)
	together(func() {
		nap()
		b.x = 1
		b.pass()
		tell()
	}, func() {
		until(t, told)
		b.pass()
		b.x = 2
	})
}

func TestRaceInotifyClosed(t *testing.T) {
	var b box
	tell, told := inotifyClosed(t)
	together(func() {
		tell()
		b.x = 1
		b.pass()
	}, func() {
		until(t, told)
		longNap()
		b.pass()
		b.x = 2
	})
}

func epollPort(t *testing.T) (tell func(), told func() bool) {
	fd, name := rawUDP(t)
	c := get(net.Dial("udp", name))
	t.Cleanup(func() { c.Close() })
	return func() { c.Write([]byte("x")) }, epoll(t, fd)
}

func TestNoRaceEpollPort(t *testing.T) {
	var b box
	tell, told := epollPort(t)
	together(func() {
		nap()
		b.x = 1
		b.pass()
		tell()
	}, func() {
		until(t, told)
		b.pass()
		b.x = 2
	})
}

func TestRaceEpollPort(t *testing.T) {
	var b box
	tell, told := epollPort(t)
	together(func() {
		tell()
		b.x = 1
		b.pass()
	}, func() {
		until(t, told)
		longNap()
		b.pass()
		b.x = 2
	})
}

func epollSendto(t *testing.T) (tell func(), told func() bool) {
	fd, _ := rawUDP(t)
	from, _ := rawUDP(t)
	to := get(syscall.Getsockname(fd))
	return func() { must(syscall.Sendto(from, []byte("x"), 0, to)) }, epoll(t, fd)
}

func TestNoRaceEpollSendto(t *testing.T) {
	var b box
	tell, told := epollSendto(t)
	together(func() {
		nap()
		b.x = 1
		b.pass()
		tell()
	}, func() {
		until(t, told)
		b.pass()
		b.x = 2
	})
}

func TestRaceEpollSendto(t *testing.T) {
	var b box
	tell, told := epollSendto(t)
	together(func() {
		tell()
		b.x = 1
		b.pass()
	}, func() {
		until(t, told)
		longNap()
		b.pass()
		b.x = 2
	})
}

func epollUnixSocket(t *testing.T) (tell func(), told func() bool) {
	name := socketName(t)
	l := get(net.Listen("unix", name))
	c := get(net.Dial("unix", name))
	s := get(l.Accept())
	t.Cleanup(func() { c.Close(); s.Close(); l.Close() })
	return func() { c.Write([]byte("x")) }, epoll(t, fileOf(t, s.(*net.UnixConn)))
}

func TestNoRaceEpollUnixSocket(t *testing.T) {
	var b box
	tell, told := epollUnixSocket(t)
	together(func() {
		nap()
		b.x = 1
		b.pass()
		tell()
	}, func() {
		until(t, told)
		b.pass()
		b.x = 2
	})
}

func TestRaceEpollUnixSocket(t *testing.T) {
	var b box
	tell, told := epollUnixSocket(t)
	together(func() {
		tell()
		b.x = 1
		b.pass()
	}, func() {
		until(t, told)
		longNap()
		b.pass()
		b.x = 2
	})
}

func epollListener(t *testing.T) (tell func(), told func() bool) {
	l := tcpListener(t)
	return func() {
		c := get(net.Dial("tcp", l.Addr().String()))
		t.Cleanup(func() { c.Close() })
	}, epoll(t, fileOf(t, l.(*net.TCPListener)))
}

func TestNoRaceEpollListener(t *testing.T) {
	var b box
	tell, told := epollListener(t)
	together(func() {
		nap()
		b.x = 1
		b.pass()
		tell()
	}, func() {
		until(t, told)
		b.pass()
		b.x = 2
	})
}

func TestRaceEpollListener(t *testing.T) {
	var b box
	tell, told := epollListener(t)
	together(func() {
		tell()
		b.x = 1
		b.pass()
	}, func() {
		until(t, told)
		longNap()
		b.pass()
		b.x = 2
	})
}

// A child process has the other end.
func childHasUnixSocket(t *testing.T) (tell func(), told func() bool) {
	name := socketName(t)
	l := get(net.Listen("unix", name))
	c := get(net.Dial("unix", name))
	must(get2(c.Write([]byte("first\n"))))
	s := get(l.Accept())
	t.Cleanup(func() { c.Close(); s.Close(); l.Close() })
	out := child(t, s.(*net.UnixConn), "read a; read b; echo $b > ")
	return func() { c.Write([]byte("go\n")) }, func() bool { return string(read(out)) == "go\n" }
}

func TestNoRaceChildHasUnixSocket(t *testing.T) {
	var b box
	tell, told := childHasUnixSocket(t)
	together(func() {
		nap()
		b.x = 1
		b.pass()
		tell()
	}, func() {
		until(t, told)
		b.pass()
		b.x = 2
	})
}

func TestRaceChildHasUnixSocket(t *testing.T) {
	var b box
	tell, told := childHasUnixSocket(t)
	together(func() {
		tell()
		b.x = 1
		b.pass()
	}, func() {
		until(t, told)
		longNap()
		b.pass()
		b.x = 2
	})
}

func childHasPort(t *testing.T) (tell func(), told func() bool) {
	l := get(net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)}))
	c := get(net.Dial("udp", l.LocalAddr().String()))
	t.Cleanup(func() { c.Close(); l.Close() })
	out := child(t, l, "dd bs=100 count=1 2>/dev/null of=")
	return func() { c.Write([]byte("go\n")) }, func() bool { return string(read(out)) == "go\n" }
}

func TestNoRaceChildHasPort(t *testing.T) {
	var b box
	tell, told := childHasPort(t)
	together(func() {
		nap()
		b.x = 1
		b.pass()
		tell()
	}, func() {
		until(t, told)
		b.pass()
		b.x = 2
	})
}

func TestRaceChildHasPort(t *testing.T) {
	var b box
	tell, told := childHasPort(t)
	together(func() {
		tell()
		b.x = 1
		b.pass()
	}, func() {
		until(t, told)
		longNap()
		b.pass()
		b.x = 2
	})
}

// Who removes succeeds as soon as there is something.
func touchRemove(t *testing.T) (tell func(), told func() bool) {
	name := filepath.Join(t.TempDir(), "f")
	return func() { get(os.Create(name)).Close() }, func() bool { return os.Remove(name) == nil }
}

func TestNoRaceTouchRemove(t *testing.T) {
	var b box
	tell, told := touchRemove(t)
	together(func() {
		nap()
		b.x = 1
		b.pass()
		tell()
	}, func() {
		until(t, told)
		b.pass()
		b.x = 2
	})
}

func TestRaceTouchRemove(t *testing.T) {
	var b box
	tell, told := touchRemove(t)
	together(func() {
		tell()
		b.x = 1
		b.pass()
	}, func() {
		until(t, told)
		longNap()
		b.pass()
		b.x = 2
	})
}

func touchUnlink(t *testing.T) (tell func(), told func() bool) {
	name := filepath.Join(t.TempDir(), "f")
	return func() {
		must(syscall.Close(get(syscall.Open(name, syscall.O_CREAT|syscall.O_WRONLY|syscall.O_CLOEXEC, 0o600))))
	}, func() bool { return syscall.Unlink(name) == nil }
}

func TestNoRaceTouchUnlink(t *testing.T) {
	var b box
	tell, told := touchUnlink(t)
	together(func() {
		nap()
		b.x = 1
		b.pass()
		tell()
	}, func() {
		until(t, told)
		b.pass()
		b.x = 2
	})
}

func TestRaceTouchUnlink(t *testing.T) {
	var b box
	tell, told := touchUnlink(t)
	together(func() {
		tell()
		b.x = 1
		b.pass()
	}, func() {
		until(t, told)
		longNap()
		b.pass()
		b.x = 2
	})
}

// Who makes a file succeeds as soon as the directory of its name is gone.
func rmdirCreate(t *testing.T) (tell func(), told func() bool) {
	name := filepath.Join(t.TempDir(), "f")
	must(os.Mkdir(name, 0o700))
	return func() { must(syscall.Rmdir(name)) }, func() bool {
		f, err := os.Create(name)
		f.Close()
		return err == nil
	}
}

func TestNoRaceRmdirCreate(t *testing.T) {
	var b box
	tell, told := rmdirCreate(t)
	together(func() {
		nap()
		b.x = 1
		b.pass()
		tell()
	}, func() {
		until(t, told)
		b.pass()
		b.x = 2
	})
}

func TestRaceRmdirCreate(t *testing.T) {
	var b box
	tell, told := rmdirCreate(t)
	together(func() {
		tell()
		b.x = 1
		b.pass()
	}, func() {
		until(t, told)
		longNap()
		b.pass()
		b.x = 2
	})
}

func removeExclusive(t *testing.T) (tell func(), told func() bool) {
	name := tempFile(t, "").Name()
	return func() { must(os.Remove(name)) }, func() bool {
		f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL, 0o600)
		f.Close()
		return err == nil
	}
}

func TestNoRaceRemoveExclusive(t *testing.T) {
	var b box
	tell, told := removeExclusive(t)
	together(func() {
		nap()
		b.x = 1
		b.pass()
		tell()
	}, func() {
		until(t, told)
		b.pass()
		b.x = 2
	})
}

func TestRaceRemoveExclusive(t *testing.T) {
	var b box
	tell, told := removeExclusive(t)
	together(func() {
		tell()
		b.x = 1
		b.pass()
	}, func() {
		until(t, told)
		longNap()
		b.pass()
		b.x = 2
	})
}

// The directory cannot be removed as long as something is in it.
func unlinkRmdir(t *testing.T) (tell func(), told func() bool) {
	dir := filepath.Join(t.TempDir(), "d")
	must(os.Mkdir(dir, 0o700))
	must(os.WriteFile(dir+"/f", nil, 0o600))
	return func() { must(syscall.Unlink(dir + "/f")) }, func() bool { return syscall.Rmdir(dir) == nil }
}

func TestNoRaceUnlinkRmdir(t *testing.T) {
	var b box
	tell, told := unlinkRmdir(t)
	together(func() {
		nap()
		b.x = 1
		b.pass()
		tell()
	}, func() {
		until(t, told)
		b.pass()
		b.x = 2
	})
}

func TestRaceUnlinkRmdir(t *testing.T) {
	var b box
	tell, told := unlinkRmdir(t)
	together(func() {
		tell()
		b.x = 1
		b.pass()
	}, func() {
		until(t, told)
		longNap()
		b.pass()
		b.x = 2
	})
}

func renameRemove(t *testing.T) (tell func(), told func() bool) {
	f := tempFile(t, "")
	name := f.Name() + "2"
	return func() { must(os.Rename(f.Name(), name)) }, func() bool { return os.Remove(name) == nil }
}

func TestNoRaceRenameRemove(t *testing.T) {
	var b box
	tell, told := renameRemove(t)
	together(func() {
		nap()
		b.x = 1
		b.pass()
		tell()
	}, func() {
		until(t, told)
		b.pass()
		b.x = 2
	})
}

func TestRaceRenameRemove(t *testing.T) {
	var b box
	tell, told := renameRemove(t)
	together(func() {
		tell()
		b.x = 1
		b.pass()
	}, func() {
		until(t, told)
		longNap()
		b.pass()
		b.x = 2
	})
}

// The file is made by the name of a link that leads nowhere.
func danglingLink(t *testing.T) (tell func(), told func() bool) {
	dir := t.TempDir()
	must(os.Symlink(dir+"/target", dir+"/link"))
	return func() { must(os.WriteFile(dir+"/link", nil, 0o600)) }, func() bool { return os.Remove(dir+"/target") == nil }
}

func TestNoRaceDanglingLink(t *testing.T) {
	var b box
	tell, told := danglingLink(t)
	together(func() {
		nap()
		b.x = 1
		b.pass()
		tell()
	}, func() {
		until(t, told)
		b.pass()
		b.x = 2
	})
}

func TestRaceDanglingLink(t *testing.T) {
	var b box
	tell, told := danglingLink(t)
	together(func() {
		tell()
		b.x = 1
		b.pass()
	}, func() {
		until(t, told)
		longNap()
		b.pass()
		b.x = 2
	})
}

func procPlace(t *testing.T) (tell func(), told func() bool) {
	f := tempFile(t, "0123456789")
	must(get2(f.Seek(0, 0)))
	fd := int(f.Fd())
	return func() { syscall.Read(fd, make([]byte, 3)) }, func() bool {
		return strings.HasPrefix(string(read("/proc/self/fdinfo/"+strconv.Itoa(fd))), "pos:\t3")
	}
}

func TestNoRaceProcPlace(t *testing.T) {
	var b box
	tell, told := procPlace(t)
	together(func() {
		nap()
		b.x = 1
		b.pass()
		tell()
	}, func() {
		until(t, told)
		b.pass()
		b.x = 2
	})
}

func TestRaceProcPlace(t *testing.T) {
	var b box
	tell, told := procPlace(t)
	together(func() {
		tell()
		b.x = 1
		b.pass()
	}, func() {
		until(t, told)
		longNap()
		b.pass()
		b.x = 2
	})
}

func procPorts(t *testing.T) (tell func(), told func() bool) {
	l := tcpListener(t)
	line := fmt.Sprintf("0100007F:%04X 00000000:0000 0A", l.Addr().(*net.TCPAddr).Port)
	return func() { l.Close() }, func() bool { return !strings.Contains(string(read("/proc/net/tcp")), line) }
}

func TestNoRaceProcPorts(t *testing.T) {
	var b box
	tell, told := procPorts(t)
	together(func() {
		nap()
		b.x = 1
		b.pass()
		tell()
	}, func() {
		until(t, told)
		b.pass()
		b.x = 2
	})
}

func TestRaceProcPorts(t *testing.T) {
	var b box
	tell, told := procPorts(t)
	together(func() {
		tell()
		b.x = 1
		b.pass()
	}, func() {
		until(t, told)
		longNap()
		b.pass()
		b.x = 2
	})
}

func rawConnect(t *testing.T) (tell func(), told func() bool) {
	l := tcpListener(t)
	fd := get(syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0))
	t.Cleanup(func() { syscall.Close(fd) })
	to := &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}, Port: l.Addr().(*net.TCPAddr).Port}
	return func() { must(syscall.Connect(fd, to)) }, func() bool {
		_, err := syscall.Getpeername(fd)
		return err == nil
	}
}

func TestNoRaceRawConnect(t *testing.T) {
	var b box
	tell, told := rawConnect(t)
	together(func() {
		nap()
		b.x = 1
		b.pass()
		tell()
	}, func() {
		until(t, told)
		b.pass()
		b.x = 2
	})
}

func TestRaceRawConnect(t *testing.T) {
	var b box
	tell, told := rawConnect(t)
	together(func() {
		tell()
		b.x = 1
		b.pass()
	}, func() {
		until(t, told)
		longNap()
		b.pass()
		b.x = 2
	})
}

// spin calls told until it is true, so often that one call is likely to begin before what it sees, and to end after it.
func spin(told func() bool) {
	for !told() {
	}
}

func TestNoRaceRawConnectMeanwhile(t *testing.T) {
	for range 10 {
		var b box
		tell, told := rawConnect(t)
		together(func() {
			nap()
			b.x = 1
			b.pass()
			tell()
		}, func() {
			spin(told)
			b.pass()
			b.x = 2
		})
	}
}

func TestRaceRawConnectMeanwhile(t *testing.T) {
	var b box
	tell, told := rawConnect(t)
	together(func() {
		nap()
		tell()
		b.x = 1
		b.pass()
	}, func() {
		spin(told)
		longNap()
		b.pass()
		b.x = 2
	})
}

// rawBind gives a socket a port that the system chooses.
func rawBind(t *testing.T) (tell func(), told func() bool) {
	fd := get(syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0))
	t.Cleanup(func() { syscall.Close(fd) })
	return func() { must(syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}})) }, func() bool {
		at, err := syscall.Getsockname(fd)
		must(err)
		return at.(*syscall.SockaddrInet4).Port != 0
	}
}

func TestNoRaceRawBind(t *testing.T) {
	for range 10 {
		var b box
		tell, told := rawBind(t)
		together(func() {
			nap()
			b.x = 1
			b.pass()
			tell()
		}, func() {
			spin(told)
			b.pass()
			b.x = 2
		})
	}
}

func TestRaceRawBind(t *testing.T) {
	var b box
	tell, told := rawBind(t)
	together(func() {
		tell()
		b.x = 1
		b.pass()
	}, func() {
		until(t, told)
		longNap()
		b.pass()
		b.x = 2
	})
}
