//go:build unix

package gotestplugin

import (
	"os"
	"path/filepath"
	"syscall"
)

// own locks the directory's owner file until the process ends. It appears when it is locked.
func own(dir string) {
	name := filepath.Join(dir, "."+ownerFile)
	fd, err := syscall.Open(name, syscall.O_CREAT|syscall.O_RDWR|syscall.O_CLOEXEC, 0o600)
	if err == nil && syscall.Flock(fd, syscall.LOCK_EX|syscall.LOCK_NB) == nil {
		_ = os.Rename(name, filepath.Join(dir, ownerFile))
	}
}

// orphan reports whether the lock is free.
func orphan(name string) bool {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}
