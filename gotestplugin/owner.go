package gotestplugin

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// racepred removes the directories of a run at the end of the run, or the guard does (guard.go). If
// both are killed, the next run removes them. Directories in use are locked, and the system gives
// the lock back when the process ends.

// ownerFile, in such a directory, is locked by the racepred that made it. A directory that stays
// after the run has none.
const ownerFile = "owner"

// makeOwnDir makes a directory beneath dir, and removes those there whose racepred has ended.
func makeOwnDir(dir string) (string, error) {
	removeOrphans(dir)
	made, err := os.MkdirTemp(dir, "racepred-")
	if err != nil {
		return "", err
	}
	own(made)
	return made, nil
}

// removeOrphans removes the directories of runs that are over.
func removeOrphans(dir string) {
	owners, _ := filepath.Glob(filepath.Join(dir, "racepred-*", ownerFile))
	for _, name := range owners {
		if orphan(name) {
			_ = os.RemoveAll(filepath.Dir(name))
		}
	}
}

// writable reports whether a file can be made in dir.
func writable(dir string) error {
	probe, err := os.CreateTemp(dir, ".racepred-*")
	if err != nil {
		return &fs.PathError{Op: "write to", Path: dir, Err: reason(err)}
	}
	probe.Close()
	return os.Remove(probe.Name())
}

// reason is the cause of an error, without the name of a temporary file.
func reason(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}
