package gotestplugin

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Directories that racepred makes for a run are removed at its end, or by the guard (guard.go). Should both be killed, the next run removes them: a lock that the system gives back
// with the process that has it says which are in use.

// ownerFile, in such a directory, is locked by the racepred that made it. One that is kept has none.
const ownerFile = "owner"

// makeOwnDir makes a directory beneath dir, after it removed those there that nobody owns any more.
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

// reason is why something failed, without the name of a file that the user has never heard of.
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
