// Open files: positions, locks, sizes, and what else two descriptors share.

//go:build linux

package guarded

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

func tempFile(t *testing.T, content string) *os.File {
	name := filepath.Join(t.TempDir(), "file")
	must(os.WriteFile(name, []byte(content), 0o600))
	return open(t, name)
}

func open(t *testing.T, name string) *os.File {
	f := get(os.OpenFile(name, os.O_RDWR, 0))
	t.Cleanup(func() { f.Close() })
	return f
}

// takeFile makes a lock file, and waits while it exists.
func takeFile(t *testing.T, name string) {
	until(t, func() bool {
		f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL, 0o600)
		if err == nil {
			f.Close()
		}
		return err == nil
	})
}

func TestNoRaceLockFile(t *testing.T) {
	var b box
	name := filepath.Join(t.TempDir(), "lock")
	takeFile(t, name)
	together(func() {
		b.x = 1
		b.pass()
		must(os.Remove(name))
	}, func() {
		takeFile(t, name)
		b.pass()
		b.x = 2
	})
}

// The lock files of two resources.
func TestRaceLockFile(t *testing.T) {
	var b box
	name1, name2 := filepath.Join(t.TempDir(), "lock"), filepath.Join(t.TempDir(), "lock")
	together(func() {
		takeFile(t, name1)
		b.x = 1
		b.pass()
		must(os.Remove(name1))
	}, func() {
		nap()
		takeFile(t, name2)
		b.pass()
		b.x = 2
		must(os.Remove(name2))
	})
}

// The variable is the lock file's own.
func TestNoRaceLockFileAround(t *testing.T) {
	var b box
	name := filepath.Join(t.TempDir(), "lock")
	together(func() {
		takeFile(t, name)
		b.x++
		b.countLeft()
		must(os.Remove(name))
	}, func() {
		nap()
		takeFile(t, name)
		b.countRight()
		b.x++
		must(os.Remove(name))
	})
}

// The variable is changed when the lock file has been removed.
func TestRaceLockFileAround(t *testing.T) {
	var b box
	name := filepath.Join(t.TempDir(), "lock")
	together(func() {
		takeFile(t, name)
		must(os.Remove(name))
		b.x++
		b.countLeft()
	}, func() {
		nap()
		takeFile(t, name)
		b.countRight()
		b.x++
		must(os.Remove(name))
	})
}

func flock(f *os.File, how int) { must(syscall.Flock(int(f.Fd()), how)) }

func TestNoRaceFlock(t *testing.T) {
	var b box
	f1 := tempFile(t, "")
	f2 := open(t, f1.Name())
	flock(f1, syscall.LOCK_EX)
	together(func() {
		b.x = 1
		b.pass()
		flock(f1, syscall.LOCK_UN)
	}, func() {
		flock(f2, syscall.LOCK_EX)
		b.pass()
		b.x = 2
	})
}

// The lock is free before.
func TestRaceFlock(t *testing.T) {
	var b box
	f1 := tempFile(t, "")
	f2 := open(t, f1.Name())
	flock(f1, syscall.LOCK_EX)
	together(func() {
		flock(f1, syscall.LOCK_UN)
		nap()
		b.x = 1
		b.pass()
	}, func() {
		flock(f2, syscall.LOCK_EX)
		longNap()
		b.pass()
		b.x = 2
	})
}

// Closing the file gives the lock back.
func TestNoRaceFlockClose(t *testing.T) {
	var b box
	f1 := tempFile(t, "")
	f2 := open(t, f1.Name())
	flock(f1, syscall.LOCK_EX)
	together(func() {
		b.x = 1
		b.countLeft()
		f1.Close()
	}, func() {
		until(t, func() bool { return syscall.Flock(int(f2.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil })
		b.countRight()
		b.x = 2
	})
}

// It is free before.
func TestRaceFlockClose(t *testing.T) {
	var b box
	f1 := tempFile(t, "")
	f2 := open(t, f1.Name())
	flock(f1, syscall.LOCK_EX)
	together(func() {
		f1.Close()
		b.x = 1
		b.countLeft()
	}, func() {
		until(t, func() bool { return syscall.Flock(int(f2.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil })
		nap()
		b.countRight()
		b.x = 2
	})
}

const (
	ofdSetLock     = 37 // F_OFD_SETLK
	ofdSetLockWait = 38
)

func ofd(f *os.File, command int, kind int16) error {
	return syscall.FcntlFlock(f.Fd(), command, &syscall.Flock_t{Type: kind, Whence: io.SeekStart, Len: 1})
}

func TestNoRaceFcntlLock(t *testing.T) {
	var b box
	f1 := tempFile(t, "x")
	f2 := open(t, f1.Name())
	must(ofd(f1, ofdSetLock, syscall.F_WRLCK))
	together(func() {
		b.x = 1
		b.pass()
		must(ofd(f1, ofdSetLock, syscall.F_UNLCK))
	}, func() {
		must(ofd(f2, ofdSetLockWait, syscall.F_WRLCK))
		b.pass()
		b.x = 2
	})
}

// The lock is free before.
func TestRaceFcntlLock(t *testing.T) {
	var b box
	f1 := tempFile(t, "x")
	f2 := open(t, f1.Name())
	must(ofd(f1, ofdSetLock, syscall.F_WRLCK))
	together(func() {
		must(ofd(f1, ofdSetLock, syscall.F_UNLCK))
		nap()
		b.x = 1
		b.pass()
	}, func() {
		must(ofd(f2, ofdSetLockWait, syscall.F_WRLCK))
		longNap()
		b.pass()
		b.x = 2
	})
}

// A duplicate has the same position.
func TestNoRaceSeekShared(t *testing.T) {
	var b box
	f := tempFile(t, "content")
	double := os.NewFile(uintptr(get(syscall.Dup(int(f.Fd())))), "double")
	defer double.Close()
	together(func() {
		b.x = 1
		b.pass()
		get(f.Seek(3, io.SeekStart))
	}, func() {
		until(t, func() bool { return get(double.Seek(0, io.SeekCurrent)) == 3 })
		b.pass()
		b.x = 2
	})
}

// A file that is opened twice has two.
func TestRaceSeekShared(t *testing.T) {
	var b box
	f := tempFile(t, "content")
	double := open(t, f.Name())
	together(func() {
		b.x = 1
		b.pass()
		get(f.Seek(3, io.SeekStart))
	}, func() {
		nap()
		get(double.Seek(3, io.SeekStart))
		b.pass()
		b.x = 2
	})
}

func TestNoRaceWriteAt(t *testing.T) {
	var b box
	f := tempFile(t, "0000")
	together(func() {
		b.x = 1
		b.pass()
		get(f.WriteAt([]byte("1"), 2))
	}, func() {
		p := make([]byte, 1)
		until(t, func() bool { return get(f.ReadAt(p, 2)) == 1 && p[0] == '1' })
		b.pass()
		b.x = 2
	})
}

// It is written before.
func TestRaceWriteAt(t *testing.T) {
	var b box
	f := tempFile(t, "0000")
	together(func() {
		get(f.WriteAt([]byte("1"), 2))
		nap()
		b.x = 1
		b.pass()
	}, func() {
		p := make([]byte, 1)
		until(t, func() bool { return get(f.ReadAt(p, 2)) == 1 && p[0] == '1' })
		longNap()
		b.pass()
		b.x = 2
	})
}

func TestNoRaceGrows(t *testing.T) {
	var b box
	f := tempFile(t, "")
	together(func() {
		b.x = 1
		b.countLeft()
		get(f.WriteString("a line\n"))
	}, func() {
		until(t, func() bool { return get(os.Stat(f.Name())).Size() > 0 })
		b.countRight()
		b.x = 2
	})
}

// There is a first line before.
func TestRaceGrows(t *testing.T) {
	var b box
	f := tempFile(t, "")
	together(func() {
		get(f.WriteString("a line\n"))
		nap()
		b.x = 1
		b.countLeft()
		get(f.WriteString("another line\n"))
	}, func() {
		until(t, func() bool { return get(os.Stat(f.Name())).Size() > 0 })
		longNap()
		b.countRight()
		b.x = 2
	})
}

func TestNoRaceTruncated(t *testing.T) {
	var b box
	f := tempFile(t, "content")
	together(func() {
		b.x = 1
		b.mu.Lock()
		must(f.Truncate(0))
		b.mu.Unlock()
	}, func() {
		until(t, func() bool { return get(f.Stat()).Size() == 0 })
		b.pass()
		b.x = 2
	})
}

// It is truncated before.
func TestRaceTruncated(t *testing.T) {
	var b box
	f := tempFile(t, "content")
	together(func() {
		must(f.Truncate(0))
		nap()
		b.x = 1
		b.pass()
	}, func() {
		until(t, func() bool { return get(f.Stat()).Size() == 0 })
		longNap()
		b.pass()
		b.x = 2
	})
}

// Logs of two goroutines, in files of their own, as loggers have them.
func TestNoRaceLogFile(t *testing.T) {
	var b box
	name := filepath.Join(t.TempDir(), "log")
	say := func(line string) {
		f := get(os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600))
		defer f.Close()
		get(f.WriteString(line + "\n"))
	}
	together(func() {
		b.x = 1
		b.pass()
		say("done")
	}, func() {
		until(t, func() bool { return strings.Contains(string(read(name)), "done\n") })
		b.pass()
		b.x = 2
	})
}

// Nobody reads the logs.
func TestRaceLogFile(t *testing.T) {
	var b box
	dir := t.TempDir()
	say := func(name, line string) {
		f := get(os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600))
		defer f.Close()
		get(f.WriteString(line + "\n"))
	}
	together(func() {
		b.x = 1
		b.pass()
		say("one", "done")
	}, func() {
		nap()
		say("two", "begin")
		b.pass()
		b.x = 2
	})
}

func TestNoRaceCopyFile(t *testing.T) {
	var b box
	from, to := tempFile(t, "content"), tempFile(t, "")
	together(func() {
		b.x = 1
		b.pass()
		get(io.Copy(to, from)) // copy_file_range
	}, func() {
		until(t, func() bool { return string(read(to.Name())) == "content" })
		b.pass()
		b.x = 2
	})
}

// It is copied before.
func TestRaceCopyFile(t *testing.T) {
	var b box
	from, to := tempFile(t, "content"), tempFile(t, "")
	together(func() {
		get(io.Copy(to, from))
		nap()
		b.x = 1
		b.pass()
	}, func() {
		until(t, func() bool { return string(read(to.Name())) == "content" })
		longNap()
		b.pass()
		b.x = 2
	})
}

func TestNoRaceInotify(t *testing.T) {
	var b box
	dir := t.TempDir()
	fd := get(syscall.InotifyInit1(syscall.IN_CLOEXEC))
	defer syscall.Close(fd)
	get(syscall.InotifyAddWatch(fd, dir, syscall.IN_CREATE))
	together(func() {
		b.x = 1
		b.pass()
		must(os.WriteFile(filepath.Join(dir, "f"), nil, 0o600))
	}, func() {
		get(syscall.Read(fd, make([]byte, 4096)))
		b.pass()
		b.x = 2
	})
}

// The file is written before.
func TestRaceInotify(t *testing.T) {
	var b box
	dir := t.TempDir()
	fd := get(syscall.InotifyInit1(syscall.IN_CLOEXEC))
	defer syscall.Close(fd)
	get(syscall.InotifyAddWatch(fd, dir, syscall.IN_CREATE))
	together(func() {
		must(os.WriteFile(filepath.Join(dir, "f"), nil, 0o600))
		nap()
		b.x = 1
		b.pass()
	}, func() {
		get(syscall.Read(fd, make([]byte, 4096)))
		longNap()
		b.pass()
		b.x = 2
	})
}

// The process has a list of its open files.
func TestNoRaceProcFiles(t *testing.T) {
	var b box
	name := filepath.Join(t.TempDir(), "f")
	opened := func() bool {
		for _, e := range get(os.ReadDir("/proc/self/fd")) {
			if to, _ := os.Readlink("/proc/self/fd/" + e.Name()); to == name {
				return true
			}
		}
		return false
	}
	together(func() {
		b.x = 1
		b.pass()
		f := get(os.Create(name))
		t.Cleanup(func() { f.Close() })
	}, func() {
		until(t, opened)
		b.pass()
		b.x = 2
	})
}

// The file is open before.
func TestRaceProcFiles(t *testing.T) {
	var b box
	name := filepath.Join(t.TempDir(), "f")
	together(func() {
		f := get(os.Create(name))
		t.Cleanup(func() { f.Close() })
		nap()
		b.x = 1
		b.pass()
	}, func() {
		until(t, func() bool {
			for _, e := range get(os.ReadDir("/proc/self/fd")) {
				if to, _ := os.Readlink("/proc/self/fd/" + e.Name()); to == name {
					return true
				}
			}
			return false
		})
		longNap()
		b.pass()
		b.x = 2
	})
}

// A descriptor that is closed is none any more.
func TestNoRaceDescriptorClosed(t *testing.T) {
	var b box
	const high = 777
	must(syscall.Dup3(int(tempFile(t, "").Fd()), high, syscall.O_CLOEXEC))
	together(func() {
		b.x = 1
		b.pass()
		must(syscall.Close(high))
	}, func() {
		until(t, func() bool { return syscall.Fstat(high, new(syscall.Stat_t)) == syscall.EBADF })
		b.pass()
		b.x = 2
	})
}

// It is closed before.
func TestRaceDescriptorClosed(t *testing.T) {
	var b box
	const high = 777
	must(syscall.Dup3(int(tempFile(t, "").Fd()), high, syscall.O_CLOEXEC))
	together(func() {
		must(syscall.Close(high))
		nap()
		b.x = 1
		b.pass()
	}, func() {
		until(t, func() bool { return syscall.Fstat(high, new(syscall.Stat_t)) == syscall.EBADF })
		longNap()
		b.pass()
		b.x = 2
	})
}

// The flags belong to the open file.
func TestNoRaceDescriptorFlags(t *testing.T) {
	var b box
	f := tempFile(t, "")
	fcntl := func(command, arg uintptr) uintptr {
		v, _, _ := syscall.Syscall(syscall.SYS_FCNTL, f.Fd(), command, arg)
		return v
	}
	together(func() {
		b.x = 1
		b.pass()
		fcntl(syscall.F_SETFL, syscall.O_APPEND)
	}, func() {
		until(t, func() bool { return fcntl(syscall.F_GETFL, 0)&syscall.O_APPEND != 0 })
		b.pass()
		b.x = 2
	})
}

// They are set before.
func TestRaceDescriptorFlags(t *testing.T) {
	var b box
	f := tempFile(t, "")
	fcntl := func(command, arg uintptr) uintptr {
		v, _, _ := syscall.Syscall(syscall.SYS_FCNTL, f.Fd(), command, arg)
		return v
	}
	together(func() {
		fcntl(syscall.F_SETFL, syscall.O_APPEND)
		b.x = 1
		b.pass()
	}, func() {
		until(t, func() bool { return fcntl(syscall.F_GETFL, 0)&syscall.O_APPEND != 0 })
		nap()
		b.pass()
		b.x = 2
	})
}

// The one that closes second is told so.
func TestNoRaceCloseTwice(t *testing.T) {
	var b box
	f := tempFile(t, "")
	together(func() {
		b.x = 1
		b.pass()
		f.Close()
	}, func() {
		nap()
		if errors.Is(f.Close(), os.ErrClosed) {
			b.pass()
			b.x = 2
		}
	})
	if b.x != 2 {
		t.Error("the second Close did not fail")
	}
}

// Each closes its own file.
func TestRaceCloseTwice(t *testing.T) {
	var b box
	f, g := tempFile(t, ""), tempFile(t, "")
	g.Close()
	together(func() {
		b.x = 1
		b.pass()
		f.Close()
	}, func() {
		nap()
		if errors.Is(g.Close(), os.ErrClosed) {
			b.pass()
			b.x = 2
		}
	})
}

// What the other has closed cannot be written.
func TestNoRaceWriteClosed(t *testing.T) {
	var b box
	f := tempFile(t, "")
	together(func() {
		b.x = 1
		b.countLeft()
		f.Close()
	}, func() {
		until(t, func() bool {
			_, err := f.WriteString("x")
			return errors.Is(err, os.ErrClosed)
		})
		b.countRight()
		b.x = 2
	})
}

// It was closed before.
func TestRaceWriteClosed(t *testing.T) {
	var b box
	f := tempFile(t, "")
	together(func() {
		f.Close()
		b.x = 1
		b.countLeft()
	}, func() {
		nap()
		until(t, func() bool {
			_, err := f.WriteString("x")
			return errors.Is(err, os.ErrClosed)
		})
		b.countRight()
		b.x = 2
	})
}

// The umask belongs to the process.
func TestNoRaceUmask(t *testing.T) {
	var b box
	dir := t.TempDir()
	defer syscall.Umask(syscall.Umask(0o22))
	n := 0
	mode := func() os.FileMode {
		n++
		name := filepath.Join(dir, strconv.Itoa(n))
		must(os.Mkdir(name, 0o777))
		return get(os.Stat(name)).Mode().Perm()
	}
	together(func() {
		b.x = 1
		b.pass()
		syscall.Umask(0o77)
	}, func() {
		until(t, func() bool { return mode() == 0o700 })
		b.pass()
		b.x = 2
	})
}

// It is set before.
func TestRaceUmask(t *testing.T) {
	var b box
	dir := t.TempDir()
	defer syscall.Umask(syscall.Umask(0o22))
	together(func() {
		syscall.Umask(0o77)
		b.x = 1
		b.pass()
	}, func() {
		nap()
		must(os.Mkdir(filepath.Join(dir, "d"), 0o777))
		b.pass()
		b.x = 2
	})
}

// An attribute of the file's.
func TestNoRaceXattr(t *testing.T) {
	var b box
	f := tempFile(t, "")
	if syscall.Setxattr(f.Name(), "user.first", nil, 0) != nil {
		t.Skip("no attributes here")
	}
	together(func() {
		b.x = 1
		b.pass()
		must(syscall.Setxattr(f.Name(), "user.done", []byte("1"), 0))
	}, func() {
		until(t, func() bool {
			n, _ := syscall.Getxattr(f.Name(), "user.done", make([]byte, 1))
			return n == 1
		})
		b.pass()
		b.x = 2
	})
}

// It is set before.
func TestRaceXattr(t *testing.T) {
	var b box
	f := tempFile(t, "")
	if syscall.Setxattr(f.Name(), "user.first", nil, 0) != nil {
		t.Skip("no attributes here")
	}
	together(func() {
		must(syscall.Setxattr(f.Name(), "user.done", []byte("1"), 0))
		nap()
		b.x = 1
		b.pass()
	}, func() {
		until(t, func() bool {
			n, _ := syscall.Getxattr(f.Name(), "user.done", make([]byte, 1))
			return n == 1
		})
		longNap()
		b.pass()
		b.x = 2
	})
}

// Space that is reserved.
func TestNoRaceFallocate(t *testing.T) {
	var b box
	f := tempFile(t, "")
	together(func() {
		b.x = 1
		b.pass()
		must(syscall.Fallocate(int(f.Fd()), 0, 0, 100))
	}, func() {
		until(t, func() bool {
			var s syscall.Stat_t
			_, _, errno := syscall.RawSyscall(syscall.SYS_FSTAT, f.Fd(), uintptr(unsafe.Pointer(&s)), 0)
			return errno == 0 && s.Size == 100
		})
		b.pass()
		b.x = 2
	})
}

// It is reserved before.
func TestRaceFallocate(t *testing.T) {
	var b box
	f := tempFile(t, "")
	together(func() {
		must(syscall.Fallocate(int(f.Fd()), 0, 0, 100))
		b.x = 1
		b.pass()
	}, func() {
		until(t, func() bool {
			var s syscall.Stat_t
			_, _, errno := syscall.RawSyscall(syscall.SYS_FSTAT, f.Fd(), uintptr(unsafe.Pointer(&s)), 0)
			return errno == 0 && s.Size == 100
		})
		nap()
		b.pass()
		b.x = 2
	})
}
