// Open files: positions, locks, sizes, and what else two descriptors share.

//go:build linux

package guarded

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
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

func flock(f *os.File, how int) { must(syscall.Flock(int(f.Fd()), how)) }

const (
	ofdSetLock     = 37 // F_OFD_SETLK
	ofdSetLockWait = 38
)

func ofd(f *os.File, command int, kind int16) error {
	return syscall.FcntlFlock(f.Fd(), command, &syscall.Flock_t{Type: kind, Whence: io.SeekStart, Len: 1})
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

// Both write a part of the file.
func TestRaceWriteAt(t *testing.T) {
	var b box
	f := tempFile(t, "0000")
	g := open(t, f.Name())
	together(func() {
		b.x = 1
		b.pass()
		get(f.WriteAt([]byte("1"), 2))
	}, func() {
		nap()
		get(g.WriteAt([]byte("1"), 3))
		b.pass()
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

// Each truncates its own.
func TestRaceTruncated(t *testing.T) {
	var b box
	f, g := tempFile(t, "content"), tempFile(t, "content")
	together(func() {
		b.x = 1
		b.pass()
		must(f.Truncate(0))
	}, func() {
		nap()
		must(g.Truncate(0))
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
