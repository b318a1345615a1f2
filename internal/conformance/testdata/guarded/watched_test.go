// What somebody is told of calls that only look: by watches of files, by signals for what happens to a connection, by a file's place, by faults. Each pair
// of programs has its means from one function.

package guarded

import (
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"syscall"
	"testing"
)

// watched tells a watcher that a file is opened, or read.
func watched(t *testing.T, event uint32) (tell func(), told func() bool) {
	f := tempFile(t, "some")
	told = inotify(t, filepath.Dir(f.Name()), event)
	if event == syscall.IN_ACCESS {
		return func() { get(f.ReadAt(make([]byte, 4), 0)) }, told
	}
	return func() {
		fd := get(syscall.Open(f.Name(), syscall.O_RDONLY|syscall.O_CLOEXEC, 0))
		t.Cleanup(func() { syscall.Close(fd) })
	}, told
}

func TestNoRaceWatchOpen(t *testing.T) {
	var b box
	tell, told := watched(t, syscall.IN_OPEN)
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

func TestRaceWatchOpen(t *testing.T) {
	var b box
	tell, told := watched(t, syscall.IN_OPEN)
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

func TestNoRaceWatchAccess(t *testing.T) {
	var b box
	tell, told := watched(t, syscall.IN_ACCESS)
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

func TestRaceWatchAccess(t *testing.T) {
	var b box
	tell, told := watched(t, syscall.IN_ACCESS)
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

// Two read files. Once nobody watches any more, that tells nobody.
func TestRaceWatchOver(t *testing.T) {
	var b box
	f, g := tempFile(t, "some"), tempFile(t, "other")
	fd := get(syscall.InotifyInit1(syscall.IN_CLOEXEC))
	get(syscall.InotifyAddWatch(fd, filepath.Dir(f.Name()), syscall.IN_OPEN))
	syscall.Close(fd)
	together(func() {
		b.x = 1
		b.pass()
		f.ReadAt(make([]byte, 4), 0)
	}, func() {
		longNap()
		g.ReadAt(make([]byte, 4), 0)
		b.pass()
		b.x = 2
	})
}

// through makes a name by a path through a directory that another one makes.
func through(t *testing.T) (tell func(), told func() bool) {
	dir := t.TempDir()
	return func() { must(os.Mkdir(dir+"/new", 0o700)) }, func() bool { return os.Mkdir(dir+"/new/../other", 0o700) == nil }
}

func TestNoRaceThroughDirectory(t *testing.T) {
	var b box
	tell, told := through(t)
	together(func() {
		nap()
		b.x = 1
		b.pass()
		tell()
	}, func() {
		longNap()
		if told() {
			b.pass()
			b.x = 2
		}
	})
}

func TestRaceThroughDirectory(t *testing.T) {
	var b box
	tell, told := through(t)
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

// received sends a descriptor to this process itself, which gets another one for the same open file.
func received(t *testing.T, fd int) int {
	pair := get(syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0))
	send(pair[0], fd)
	got := receive(pair[1])
	t.Cleanup(func() {
		for _, fd := range []int{pair[0], pair[1], got} {
			syscall.Close(fd)
		}
	})
	return got
}

// sought moves the place of a file by one descriptor, which another one finds.
func sought(t *testing.T) (tell func(), told func() bool) {
	fd := int(tempFile(t, "0123456789").Fd())
	other := received(t, fd)
	return func() { get(syscall.Seek(fd, 5, 0)) }, func() bool { return get(syscall.Seek(other, 0, 1)) == 5 }
}

func TestNoRaceSoughtElsewhere(t *testing.T) {
	var b box
	tell, told := sought(t)
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

func TestRaceSoughtElsewhere(t *testing.T) {
	var b box
	tell, told := sought(t)
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

// signaled is a channel for one signal.
func signaled(t *testing.T, sig os.Signal) (told func() bool) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, sig)
	t.Cleanup(func() { signal.Stop(c) })
	return func() bool { <-c; return true }
}

// brokenPipe has the writer of a pipe that nobody reads get a signal.
func brokenPipe(t *testing.T) (tell func(), told func() bool) {
	r, w, err := os.Pipe()
	must(err)
	r.Close()
	t.Cleanup(func() { w.Close() })
	return func() { w.Write([]byte{1}) }, signaled(t, syscall.SIGPIPE)
}

func TestNoRaceBrokenPipe(t *testing.T) {
	var b box
	tell, told := brokenPipe(t)
	together(func() {
		nap()
		b.x = 1
		b.pass()
		tell()
	}, func() {
		told()
		b.pass()
		b.x = 2
	})
}

func TestRaceBrokenPipe(t *testing.T) {
	var b box
	tell, told := brokenPipe(t)
	together(func() {
		tell()
		b.x = 1
		b.pass()
	}, func() {
		told()
		longNap()
		b.pass()
		b.x = 2
	})
}

// readySignal has a signal sent when a connection can be read.
func readySignal(t *testing.T) (tell func(), told func() bool) {
	pair := get(syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0))
	t.Cleanup(func() {
		syscall.Close(pair[0])
		syscall.Close(pair[1])
	})
	told = signaled(t, syscall.SIGIO)
	fcntl(pair[0], syscall.F_SETOWN, os.Getpid())
	fcntl(pair[0], syscall.F_SETFL, syscall.O_ASYNC|syscall.O_NONBLOCK)
	return func() { get(syscall.Write(pair[1], []byte{1})) }, told
}

func fcntl(fd, cmd, arg int) {
	if _, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), uintptr(cmd), uintptr(arg)); errno != 0 {
		panic(errno)
	}
}

func TestNoRaceReadySignal(t *testing.T) {
	var b box
	tell, told := readySignal(t)
	together(func() {
		nap()
		b.x = 1
		b.pass()
		tell()
	}, func() {
		told()
		b.pass()
		b.x = 2
	})
}

func TestRaceReadySignal(t *testing.T) {
	var b box
	tell, told := readySignal(t)
	together(func() {
		tell()
		b.x = 1
		b.pass()
	}, func() {
		told()
		longNap()
		b.pass()
		b.x = 2
	})
}

// fault takes the right to read a page away, which its reader finds by a panic.
func fault(t *testing.T) (tell func(), told func() bool) {
	page := get(syscall.Mmap(-1, 0, 4096, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE))
	t.Cleanup(func() { syscall.Munmap(page) })
	return func() { must(syscall.Mprotect(page, syscall.PROT_NONE)) }, func() (faults bool) {
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		defer func() { faults = recover() != nil }()
		return page[7] == 1
	}
}

func TestNoRaceFault(t *testing.T) {
	var b box
	tell, told := fault(t)
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

func TestRaceFault(t *testing.T) {
	var b box
	tell, told := fault(t)
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

// Handlers of two connections race, though broken ones make signals.
func TestRaceAlthoughPipesBreak(t *testing.T) {
	var b box
	signaled(t, syscall.SIGPIPE)
	two := func() (client, server net.Conn) {
		l := get(net.Listen("tcp", "127.0.0.1:0"))
		t.Cleanup(func() { l.Close() })
		client = get(net.Dial("tcp", l.Addr().String()))
		server = get(l.Accept())
		t.Cleanup(func() { client.Close(); server.Close() })
		return client, server
	}
	a, c := two()
	d, e := two()
	together(func() {
		b.x = 1
		b.pass()
		get(a.Write([]byte{1}))
		get(c.Read(make([]byte, 1)))
	}, func() {
		longNap()
		get(d.Write([]byte{1}))
		get(e.Read(make([]byte, 1)))
		b.pass()
		b.x = 2
	})
}
