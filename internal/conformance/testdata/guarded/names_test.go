// Files: their names, contents and properties, which another goroutine asks for again and again.

package guarded

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"
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

func TestNoRaceMkdir(t *testing.T) {
	var b box
	name := filepath.Join(t.TempDir(), "f")
	together(func() {
		b.x = 1
		b.pass()
		must(os.Mkdir(name, 0o700))
	}, func() {
		until(t, func() bool { return exists(name) })
		b.pass()
		b.x = 2
	})
}

// The directory is there before what it tells.
func TestRaceMkdir(t *testing.T) {
	var b box
	name := filepath.Join(t.TempDir(), "f")
	together(func() {
		must(os.Mkdir(name, 0o700))
		b.x = 1
		b.pass()
	}, func() {
		until(t, func() bool { return exists(name) })
		nap()
		b.pass()
		b.x = 2
	})
}

func TestNoRaceMkdirInside(t *testing.T) {
	var b box
	name := filepath.Join(t.TempDir(), "f")
	together(func() {
		b.x = 1
		b.mu.Lock()
		must(os.Mkdir(name, 0o700))
		b.mu.Unlock()
	}, func() {
		until(t, func() bool { return exists(name) })
		b.pass()
		b.x = 2
	})
}

// Both make a directory, and nobody looks.
func TestRaceMkdirInside(t *testing.T) {
	var b box
	name, name2 := filepath.Join(t.TempDir(), "f"), filepath.Join(t.TempDir(), "g")
	together(func() {
		b.x = 1
		b.pass()
		must(os.Mkdir(name, 0o700))
	}, func() {
		nap()
		must(os.Mkdir(name2, 0o700))
		b.pass()
		b.x = 2
	})
}

func TestNoRaceMkdirAll(t *testing.T) {
	var b box
	name := filepath.Join(t.TempDir(), "f")
	together(func() {
		b.x = 1
		b.countLeft()
		must(os.MkdirAll(name+"/a/b", 0o700))
	}, func() {
		until(t, func() bool { return exists(name + "/a/b") })
		b.countRight()
		b.x = 2
	})
}

// The inner directory is made after.
func TestRaceMkdirAll(t *testing.T) {
	var b box
	name := filepath.Join(t.TempDir(), "f")
	together(func() {
		must(os.MkdirAll(name+"/a", 0o700))
		b.x = 1
		b.countLeft()
	}, func() {
		until(t, func() bool { return exists(name + "/a") })
		nap()
		b.countRight()
		b.x = 2
	})
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

func TestNoRaceRename(t *testing.T) {
	var b box
	name := filepath.Join(t.TempDir(), "f")
	must(os.WriteFile(name, []byte("old"), 0o600))
	together(func() {
		b.x = 1
		b.pass()
		must(os.Rename(name, name+".old"))
	}, func() {
		until(t, func() bool { return exists(name + ".old") })
		b.pass()
		b.x = 2
	})
}

// What is waited for is the new name, given too early.
func TestRaceRename(t *testing.T) {
	var b box
	name := filepath.Join(t.TempDir(), "f")
	must(os.WriteFile(name, []byte("old"), 0o600))
	together(func() {
		must(os.Rename(name, name+".old"))
		b.x = 1
		b.pass()
	}, func() {
		until(t, func() bool { return exists(name + ".old") })
		nap()
		b.pass()
		b.x = 2
	})
}

func TestNoRaceRenameInside(t *testing.T) {
	var b box
	name := filepath.Join(t.TempDir(), "f")
	must(os.WriteFile(name, []byte("old"), 0o600))
	together(func() {
		b.x = 1
		b.mu.Lock()
		must(os.Rename(name, name+".old"))
		b.mu.Unlock()
	}, func() {
		until(t, func() bool { return !exists(name) })
		b.pass()
		b.x = 2
	})
}

// The old name is gone before.
func TestRaceRenameInside(t *testing.T) {
	var b box
	name := filepath.Join(t.TempDir(), "f")
	must(os.WriteFile(name, []byte("old"), 0o600))
	together(func() {
		must(os.Rename(name, name+".old"))
		nap()
		b.x = 1
		b.pass()
	}, func() {
		until(t, func() bool { return !exists(name) })
		longNap()
		b.pass()
		b.x = 2
	})
}

func TestNoRaceRenameOver(t *testing.T) {
	var b box
	name := filepath.Join(t.TempDir(), "f")
	must(os.WriteFile(name, []byte("old"), 0o600))
	must(os.WriteFile(name+".new", []byte("new"), 0o600))
	together(func() {
		b.x = 1
		b.countLeft()
		must(os.Rename(name+".new", name))
	}, func() {
		until(t, func() bool { return string(get(os.ReadFile(name))) == "new" })
		b.countRight()
		b.x = 2
	})
}

// The configuration is replaced before it is noted.
func TestRaceRenameOver(t *testing.T) {
	var b box
	name := filepath.Join(t.TempDir(), "f")
	must(os.WriteFile(name, []byte("old"), 0o600))
	must(os.WriteFile(name+".new", []byte("new"), 0o600))
	together(func() {
		must(os.Rename(name+".new", name))
		b.x = 1
		b.countLeft()
	}, func() {
		until(t, func() bool { return string(get(os.ReadFile(name))) == "new" })
		nap()
		b.countRight()
		b.x = 2
	})
}

func TestNoRaceRemove(t *testing.T) {
	var b box
	name := filepath.Join(t.TempDir(), "f")
	must(os.WriteFile(name, []byte("old"), 0o600))
	together(func() {
		b.x = 1
		b.pass()
		must(os.Remove(name))
	}, func() {
		until(t, func() bool { return !exists(name) })
		b.pass()
		b.x = 2
	})
}

// It is gone before.
func TestRaceRemove(t *testing.T) {
	var b box
	name := filepath.Join(t.TempDir(), "f")
	must(os.WriteFile(name, []byte("old"), 0o600))
	together(func() {
		must(os.Remove(name))
		nap()
		b.x = 1
		b.pass()
	}, func() {
		until(t, func() bool { return !exists(name) })
		longNap()
		b.pass()
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

func TestNoRaceRemoveAll(t *testing.T) {
	var b box
	name := filepath.Join(t.TempDir(), "f")
	must(os.MkdirAll(name+"/a/b", 0o700))
	together(func() {
		b.x = 1
		b.pass()
		must(os.RemoveAll(name))
	}, func() {
		until(t, func() bool { return !exists(name) })
		b.pass()
		b.x = 2
	})
}

// All is gone, and then it is noted.
func TestRaceRemoveAll(t *testing.T) {
	var b box
	name := filepath.Join(t.TempDir(), "f")
	must(os.MkdirAll(name+"/a/b", 0o700))
	together(func() {
		must(os.RemoveAll(name))
		b.x = 1
		b.pass()
	}, func() {
		until(t, func() bool { return !exists(name) })
		nap()
		b.pass()
		b.x = 2
	})
}

// What cannot be removed is nothing's any more: before, the name was no directory's.
func TestNoRaceRemoveFails(t *testing.T) {
	var b box
	name := filepath.Join(t.TempDir(), "f")
	must(os.WriteFile(name, []byte("old"), 0o600))
	together(func() {
		b.x = 1
		b.countLeft()
		must(os.Remove(name))
	}, func() {
		until(t, func() bool { return errors.Is(os.Remove(name+"/x"), os.ErrNotExist) })
		b.countRight()
		b.x = 2
	})
}

// It is gone before.
func TestRaceRemoveFails(t *testing.T) {
	var b box
	name := filepath.Join(t.TempDir(), "f")
	must(os.WriteFile(name, []byte("old"), 0o600))
	together(func() {
		must(os.Remove(name))
		nap()
		b.x = 1
		b.pass()
	}, func() {
		until(t, func() bool { return errors.Is(os.Remove(name+"/x"), os.ErrNotExist) })
		longNap()
		b.pass()
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

func TestNoRaceWriteFileInside(t *testing.T) {
	var b box
	name := filepath.Join(t.TempDir(), "f")
	must(os.WriteFile(name, []byte("old"), 0o600))
	together(func() {
		b.x = 1
		b.mu.Lock()
		must(os.WriteFile(name, []byte("done"), 0o600))
		b.mu.Unlock()
	}, func() {
		until(t, func() bool { return string(read(name)) == "done" })
		b.pass()
		b.x = 2
	})
}

// It is another file that is read.
func TestRaceWriteFileInside(t *testing.T) {
	var b box
	name := filepath.Join(t.TempDir(), "f")
	must(os.WriteFile(name, []byte("old"), 0o600))
	must(os.WriteFile(name+"2", []byte("done"), 0o600))
	together(func() {
		b.x = 1
		b.mu.Lock()
		must(os.WriteFile(name, []byte("done"), 0o600))
		b.mu.Unlock()
	}, func() {
		nap()
		until(t, func() bool { return string(read(name+"2")) == "done" })
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

func TestNoRaceSymlink(t *testing.T) {
	var b box
	name := filepath.Join(t.TempDir(), "f")
	together(func() {
		b.x = 1
		b.pass()
		must(os.Symlink("target", name))
	}, func() {
		until(t, func() bool { return exists(name) })
		b.pass()
		b.x = 2
	})
}

// The link points before there is anything.
func TestRaceSymlink(t *testing.T) {
	var b box
	name := filepath.Join(t.TempDir(), "f")
	together(func() {
		must(os.Symlink("target", name))
		b.x = 1
		b.pass()
	}, func() {
		until(t, func() bool { return exists(name) })
		nap()
		b.pass()
		b.x = 2
	})
}

func TestNoRaceReadlink(t *testing.T) {
	var rw sync.RWMutex
	var b box
	name := filepath.Join(t.TempDir(), "f")
	must(os.Symlink("1", name))
	must(os.Symlink("2", name+".new"))
	together(func() {
		b.x = 1
		rw.RLock()
		rw.RUnlock()
		must(os.Rename(name+".new", name))
	}, func() {
		until(t, func() bool { return get(os.Readlink(name)) == "2" })
		rw.Lock()
		rw.Unlock()
		b.x = 2
	})
}

// The link is changed before.
func TestRaceReadlink(t *testing.T) {
	var b box
	name := filepath.Join(t.TempDir(), "f")
	must(os.Symlink("1", name))
	must(os.Symlink("2", name+".new"))
	together(func() {
		must(os.Rename(name+".new", name))
		nap()
		b.x = 1
		b.pass()
	}, func() {
		until(t, func() bool { return get(os.Readlink(name)) == "2" })
		longNap()
		b.pass()
		b.x = 2
	})
}

func TestNoRaceLink(t *testing.T) {
	var b box
	name := filepath.Join(t.TempDir(), "f")
	must(os.WriteFile(name, []byte("old"), 0o600))
	together(func() {
		b.x = 1
		b.countLeft()
		must(os.Link(name, name+"2"))
	}, func() {
		until(t, func() bool { return links(name) == 2 })
		b.countRight()
		b.x = 2
	})
}

// The second name is there before.
func TestRaceLink(t *testing.T) {
	var b box
	name := filepath.Join(t.TempDir(), "f")
	must(os.WriteFile(name, []byte("old"), 0o600))
	together(func() {
		must(os.Link(name, name+"2"))
		b.x = 1
		b.countLeft()
	}, func() {
		until(t, func() bool { return links(name) == 2 })
		nap()
		b.countRight()
		b.x = 2
	})
}

func TestNoRaceChmod(t *testing.T) {
	var b box
	name := filepath.Join(t.TempDir(), "f")
	must(os.WriteFile(name, []byte("old"), 0o600))
	together(func() {
		b.x = 1
		b.pass()
		must(os.Chmod(name, 0o400))
	}, func() {
		until(t, func() bool { return get(os.Stat(name)).Mode().Perm() == 0o400 })
		b.pass()
		b.x = 2
	})
}

// It is changed before.
func TestRaceChmod(t *testing.T) {
	var b box
	name := filepath.Join(t.TempDir(), "f")
	must(os.WriteFile(name, []byte("old"), 0o600))
	together(func() {
		must(os.Chmod(name, 0o400))
		nap()
		b.x = 1
		b.pass()
	}, func() {
		until(t, func() bool { return get(os.Stat(name)).Mode().Perm() == 0o400 })
		longNap()
		b.pass()
		b.x = 2
	})
}

func TestNoRaceChmodInside(t *testing.T) {
	var b box
	name := filepath.Join(t.TempDir(), "f")
	must(os.WriteFile(name, []byte("old"), 0o600))
	together(func() {
		b.x = 1
		b.mu.Lock()
		must(os.Chmod(name, 0o400))
		b.mu.Unlock()
	}, func() {
		until(t, func() bool { return get(os.Stat(name)).Mode().Perm() == 0o400 })
		b.pass()
		b.x = 2
	})
}

// The mode is changed before.
func TestRaceChmodInside(t *testing.T) {
	var b box
	name := filepath.Join(t.TempDir(), "f")
	must(os.WriteFile(name, []byte("old"), 0o600))
	together(func() {
		must(os.Chmod(name, 0o400))
		b.x = 1
		b.pass()
	}, func() {
		until(t, func() bool { return get(os.Stat(name)).Mode().Perm() == 0o400 })
		nap()
		b.pass()
		b.x = 2
	})
}

func TestNoRaceChtimes(t *testing.T) {
	var b box
	name := filepath.Join(t.TempDir(), "f")
	must(os.WriteFile(name, []byte("old"), 0o600))
	together(func() {
		b.x = 1
		b.countLeft()
		must(os.Chtimes(name, time.Unix(7, 0), time.Unix(7, 0)))
	}, func() {
		until(t, func() bool { return get(os.Stat(name)).ModTime().Unix() == 7 })
		b.countRight()
		b.x = 2
	})
}

// The time is set before.
func TestRaceChtimes(t *testing.T) {
	var b box
	name := filepath.Join(t.TempDir(), "f")
	must(os.WriteFile(name, []byte("old"), 0o600))
	together(func() {
		must(os.Chtimes(name, time.Unix(7, 0), time.Unix(7, 0)))
		b.x = 1
		b.countLeft()
	}, func() {
		until(t, func() bool { return get(os.Stat(name)).ModTime().Unix() == 7 })
		nap()
		b.countRight()
		b.x = 2
	})
}

func TestNoRaceTruncate(t *testing.T) {
	var b box
	name := filepath.Join(t.TempDir(), "f")
	must(os.WriteFile(name, []byte("old"), 0o600))
	together(func() {
		b.x = 1
		b.pass()
		must(os.Truncate(name, 1000))
	}, func() {
		until(t, func() bool { return get(os.Stat(name)).Size() == 1000 })
		b.pass()
		b.x = 2
	})
}

// The file grows before.
func TestRaceTruncate(t *testing.T) {
	var b box
	name := filepath.Join(t.TempDir(), "f")
	must(os.WriteFile(name, []byte("old"), 0o600))
	together(func() {
		must(os.Truncate(name, 1000))
		b.x = 1
		b.pass()
	}, func() {
		until(t, func() bool { return get(os.Stat(name)).Size() == 1000 })
		nap()
		b.pass()
		b.x = 2
	})
}

func TestNoRaceReadDir(t *testing.T) {
	var b box
	name := filepath.Join(t.TempDir(), "f")
	must(os.Mkdir(name, 0o700))
	together(func() {
		b.x = 1
		b.pass()
		get(os.Create(filepath.Join(name, "entry"))).Close()
	}, func() {
		until(t, func() bool { return len(get(os.ReadDir(name))) == 1 })
		b.pass()
		b.x = 2
	})
}

// The entry is made before.
func TestRaceReadDir(t *testing.T) {
	var b box
	name := filepath.Join(t.TempDir(), "f")
	must(os.Mkdir(name, 0o700))
	together(func() {
		get(os.Create(filepath.Join(name, "entry"))).Close()
		b.x = 1
		b.pass()
	}, func() {
		until(t, func() bool { return len(get(os.ReadDir(name))) == 1 })
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

func TestNoRaceWalkDir(t *testing.T) {
	var b box
	name := filepath.Join(t.TempDir(), "f")
	must(os.MkdirAll(name+"/a", 0o700))
	together(func() {
		b.x = 1
		b.countLeft()
		must(os.Mkdir(name+"/a/b", 0o700))
	}, func() {
		until(t, func() bool { return entries(name) == 3 })
		b.countRight()
		b.x = 2
	})
}

// The entry is made before.
func TestRaceWalkDir(t *testing.T) {
	var b box
	name := filepath.Join(t.TempDir(), "f")
	must(os.MkdirAll(name+"/a", 0o700))
	together(func() {
		must(os.Mkdir(name+"/a/b", 0o700))
		nap()
		b.x = 1
		b.pass()
	}, func() {
		until(t, func() bool { return entries(name) == 3 })
		longNap()
		b.pass()
		b.x = 2
	})
}

func TestNoRaceCreateTemp(t *testing.T) {
	var rw sync.RWMutex
	var b box
	name := filepath.Join(t.TempDir(), "f")
	must(os.Mkdir(name, 0o700))
	together(func() {
		b.x = 1
		rw.RLock()
		rw.RUnlock()
		get(os.CreateTemp(name, "*")).Close()
	}, func() {
		until(t, func() bool { return len(get(os.ReadDir(name))) == 1 })
		rw.Lock()
		rw.Unlock()
		b.x = 2
	})
}

// Each has a temporary file.
func TestRaceCreateTemp(t *testing.T) {
	var b box
	name := filepath.Join(t.TempDir(), "f")
	must(os.Mkdir(name, 0o700))
	together(func() {
		b.x = 1
		b.pass()
		get(os.CreateTemp(name, "*")).Close()
	}, func() {
		nap()
		get(os.CreateTemp(name, "*")).Close()
		b.pass()
		b.x = 2
	})
}

func TestNoRaceStatFS(t *testing.T) {
	var b box
	name := filepath.Join(t.TempDir(), "f")
	together(func() {
		b.x = 1
		b.pass()
		must(os.Mkdir(name, 0o700))
	}, func() {
		until(t, func() bool { return found(os.DirFS(filepath.Dir(name)), "f") })
		b.pass()
		b.x = 2
	})
}

// The directory is there before.
func TestRaceStatFS(t *testing.T) {
	var b box
	name := filepath.Join(t.TempDir(), "f")
	together(func() {
		must(os.Mkdir(name, 0o700))
		b.x = 1
		b.pass()
	}, func() {
		until(t, func() bool { return found(os.DirFS(filepath.Dir(name)), "f") })
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

// The directory is made before.
func TestRaceRoot(t *testing.T) {
	var b box
	root := get(os.OpenRoot(t.TempDir()))
	defer root.Close()
	together(func() {
		must(root.Mkdir("d", 0o700))
		nap()
		b.x = 1
		b.pass()
	}, func() {
		until(t, func() bool { return found(root.FS(), "d") })
		longNap()
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

func TestNoRaceCopyFS(t *testing.T) {
	var b box
	name := filepath.Join(t.TempDir(), "f")
	from := t.TempDir()
	must(os.WriteFile(from+"/a", []byte("done"), 0o600))
	together(func() {
		b.x = 1
		b.pass()
		must(os.CopyFS(name, os.DirFS(from)))
	}, func() {
		until(t, func() bool { return string(read(name+"/a")) == "done" })
		b.pass()
		b.x = 2
	})
}

// What is copied is there before.
func TestRaceCopyFS(t *testing.T) {
	var b box
	name := filepath.Join(t.TempDir(), "f")
	from := t.TempDir()
	must(os.WriteFile(from+"/a", []byte("done"), 0o600))
	together(func() {
		must(os.CopyFS(name, os.DirFS(from)))
		b.x = 1
		b.pass()
	}, func() {
		until(t, func() bool { return string(read(name+"/a")) == "done" })
		nap()
		b.pass()
		b.x = 2
	})
}
