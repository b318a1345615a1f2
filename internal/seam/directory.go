package seam

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/racepred/racepred/internal/cacheage"
)

// completed is the file of a directory that materialize has made. Its time is about that of the
// directory's last use.
const completed = "complete"

// used reports whether dir is complete, and notes that it is used.
func used(dir string) bool {
	name := filepath.Join(dir, completed)
	info, err := os.Stat(name)
	if err == nil {
		cacheage.Used(name, info)
	}
	return err == nil
}

// trim removes the directories beneath parent that were not used for long, and what interrupted
// runs left.
func trim(parent string, now time.Time) error {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return err
	}
	for _, e := range entries {
		dir := filepath.Join(parent, e.Name())
		info, err := os.Stat(filepath.Join(dir, completed))
		if errors.Is(err, fs.ErrNotExist) {
			info, err = os.Stat(dir)
		}
		if err == nil && cacheage.Over(info, now) {
			_ = os.RemoveAll(dir)
		}
	}
	return nil
}

// materialize makes dir, with the profile, by fill, all or nothing: other processes may do the same
// at the same time.
func materialize(dir string, fill func(tmp string) error) error {
	if used(dir) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(dir), "tmp-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if err := os.Chmod(tmp, 0o755); err != nil {
		return err
	}
	if err := fill(tmp); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(tmp, profileName), profile, 0o666); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(tmp, completed), nil, 0o666); err != nil {
		return err
	}
	if err := trim(filepath.Dir(dir), time.Now()); err != nil {
		return err
	}
	if err := os.Rename(tmp, dir); err != nil {
		if used(dir) {
			return nil // somebody else was faster
		}
		// A rest of an interrupted run is in the way.
		if rmErr := os.RemoveAll(dir); rmErr != nil {
			return errors.Join(err, rmErr)
		}
		return os.Rename(tmp, dir)
	}
	return nil
}
