// Files: their names, contents and properties, which another goroutine asks for again and again.

package guarded

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// read is empty if there is no file.
func read(name string) []byte {
	p, _ := os.ReadFile(name)
	return p
}

func rootRead(r *os.Root, name string) []byte {
	p, _ := r.ReadFile(name)
	return p
}

func links(name string) uint64 { return uint64(get(os.Stat(name)).Sys().(*syscall.Stat_t).Nlink) }

func found(f fs.FS, name string) bool {
	_, err := fs.Stat(f, name)
	return err == nil
}

// entries counts what is in a directory, with itself.
func entries(name string) (n int) {
	must(filepath.WalkDir(name, func(string, fs.DirEntry, error) error {
		n++
		return nil
	}))
	return n
}

// It is made and looked for under the lock.
func TestNoRaceMkdirAsked(t *testing.T) {
	var b box
	name := filepath.Join(t.TempDir(), "f")
	together(func() {
		b.x = 1
		b.mu.Lock()
		must(os.Mkdir(name, 0o700))
		b.mu.Unlock()
	}, func() {
		until(t, func() bool {
			b.mu.Lock()
			defer b.mu.Unlock()
			return exists(name)
		})
		b.x = 2
	})
}

// What is looked for under the lock was there before.
func TestRaceMkdirAsked(t *testing.T) {
	var b box
	name := filepath.Join(t.TempDir(), "f")
	must(os.Mkdir(name, 0o700))
	together(func() {
		b.x = 1
		b.pass()
	}, func() {
		nap()
		until(t, func() bool {
			b.mu.Lock()
			defer b.mu.Unlock()
			return exists(name)
		})
		b.x = 2
	})
}

func TestNoRaceRemoveInside(t *testing.T) {
	var b box
	name := filepath.Join(t.TempDir(), "f")
	must(os.WriteFile(name, []byte("old"), 0o600))
	together(func() {
		b.x = 1
		b.mu.Lock()
		defer b.mu.Unlock()
		must(os.Remove(name))
	}, func() {
		until(t, func() bool { return !exists(name) })
		b.mu.Lock()
		defer b.mu.Unlock()
		b.x = 2
	})
}

// The last word comes when the lock is given back.
func TestRaceRemoveInside(t *testing.T) {
	var b box
	name := filepath.Join(t.TempDir(), "f")
	must(os.WriteFile(name, []byte("old"), 0o600))
	together(func() {
		b.mu.Lock()
		must(os.Remove(name))
		b.mu.Unlock()
		b.x = 1
		b.pass()
	}, func() {
		until(t, func() bool { return !exists(name) })
		nap()
		b.mu.Lock()
		defer b.mu.Unlock()
		b.x = 2
	})
}

func TestNoRaceWriteFile(t *testing.T) {
	var b box
	name := filepath.Join(t.TempDir(), "f")
	together(func() {
		b.x = 1
		b.pass()
		must(os.WriteFile(name, []byte("done"), 0o600))
	}, func() {
		until(t, func() bool { return string(read(name)) == "done" })
		b.pass()
		b.x = 2
	})
}

// Two goroutines write different files.
func TestRaceWriteFile(t *testing.T) {
	var b box
	name, name2 := filepath.Join(t.TempDir(), "f"), filepath.Join(t.TempDir(), "g")
	together(func() {
		b.x = 1
		b.pass()
		must(os.WriteFile(name, []byte("done"), 0o600))
	}, func() {
		nap()
		must(os.WriteFile(name2, []byte("done"), 0o600))
		b.pass()
		b.x = 2
	})
}

// It is written and read under the lock.
func TestNoRaceWriteFileAsked(t *testing.T) {
	var b box
	name := filepath.Join(t.TempDir(), "f")
	must(os.WriteFile(name, []byte("old"), 0o600))
	together(func() {
		b.x = 1
		b.mu.Lock()
		must(os.WriteFile(name, []byte("done"), 0o600))
		b.mu.Unlock()
	}, func() {
		until(t, func() bool {
			b.mu.Lock()
			defer b.mu.Unlock()
			return string(read(name)) == "done"
		})
		b.x = 2
	})
}

// Between the file and the state there is nothing.
func TestRaceWriteFileAsked(t *testing.T) {
	var b box
	name := filepath.Join(t.TempDir(), "f")
	must(os.WriteFile(name, []byte("old"), 0o600))
	together(func() {
		must(os.WriteFile(name, []byte("done"), 0o600))
		b.x = 1
		b.pass()
	}, func() {
		until(t, func() bool { return string(read(name)) == "done" })
		nap()
		b.pass()
		b.x = 2
	})
}

func TestNoRaceGlob(t *testing.T) {
	var b box
	name := filepath.Join(t.TempDir(), "f")
	together(func() {
		b.x = 1
		b.mu.Lock()
		defer b.mu.Unlock()
		must(os.WriteFile(name+".7.log", nil, 0o600))
	}, func() {
		until(t, func() bool { return len(get(filepath.Glob(name+".*.log"))) == 1 })
		b.mu.Lock()
		defer b.mu.Unlock()
		b.x = 2
	})
}

// The log is there from the beginning.
func TestRaceGlob(t *testing.T) {
	var b box
	name := filepath.Join(t.TempDir(), "f")
	together(func() {
		must(os.WriteFile(name+".7.log", nil, 0o600))
		b.x = 1
		b.pass()
	}, func() {
		until(t, func() bool { return len(get(filepath.Glob(name+".*.log"))) == 1 })
		nap()
		b.pass()
		b.x = 2
	})
}

func TestNoRaceRoot(t *testing.T) {
	var b box
	root := get(os.OpenRoot(t.TempDir()))
	defer root.Close()
	together(func() {
		b.x = 1
		b.pass()
		must(root.Mkdir("d", 0o700))
	}, func() {
		until(t, func() bool { return found(root.FS(), "d") })
		b.pass()
		b.x = 2
	})
}

// Each has its own root.
func TestRaceRoot(t *testing.T) {
	var b box
	root := get(os.OpenRoot(t.TempDir()))
	defer root.Close()
	root2 := get(os.OpenRoot(t.TempDir()))
	defer root2.Close()
	together(func() {
		b.x = 1
		b.pass()
		must(root.Mkdir("d", 0o700))
	}, func() {
		nap()
		must(root2.Mkdir("d", 0o700))
		b.pass()
		b.x = 2
	})
}

func TestNoRaceRootFile(t *testing.T) {
	var b box
	root := get(os.OpenRoot(t.TempDir()))
	defer root.Close()
	together(func() {
		b.x = 1
		b.countLeft()
		must(root.WriteFile("f", []byte("done"), 0o600))
	}, func() {
		until(t, func() bool { return string(rootRead(root, "f")) == "done" })
		b.countRight()
		b.x = 2
	})
}

// The file says it before.
func TestRaceRootFile(t *testing.T) {
	var b box
	root := get(os.OpenRoot(t.TempDir()))
	defer root.Close()
	together(func() {
		must(root.WriteFile("f", []byte("done"), 0o600))
		b.x = 1
		b.countLeft()
	}, func() {
		until(t, func() bool { return string(rootRead(root, "f")) == "done" })
		nap()
		b.countRight()
		b.x = 2
	})
}
