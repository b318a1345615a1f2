package gotestplugin

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/racepred/racepred/internal/cacheage"
)

// overlayFile is the go command's format of an overlay.
type overlayFile struct {
	Replace map[string]string
}

// readOverlay reads the user's overlay: absolute path -> file that replaces it.
func readOverlay(path, dir string) (map[string]string, error) {
	if path == "" {
		return nil, nil
	}
	data, err := os.ReadFile(inDir(dir, path))
	if err != nil {
		return nil, fmt.Errorf("-overlay: %w", err)
	}
	var o overlayFile
	if err := json.Unmarshal(data, &o); err != nil {
		return nil, fmt.Errorf("-overlay %s: %w", path, err)
	}
	abs := make(map[string]string, len(o.Replace))
	for from, to := range o.Replace {
		abs[inDir(dir, from)] = inDir(dir, to)
	}
	return abs, nil
}

// mergeOverlays joins overlays; it is an error when two of them replace one file.
func mergeOverlays(layers ...map[string]string) (map[string]string, error) {
	out := map[string]string{}
	for _, layer := range layers {
		for from, to := range layer {
			if other, ok := out[from]; ok && other != to {
				return nil, fmt.Errorf("-overlay replaces %s, which racepred must replace itself", from)
			}
			out[from] = to
		}
	}
	return out, nil
}

// writeOverlay writes an overlay for the go command.
func writeOverlay(name string, replace map[string]string) error {
	data, err := encodeOverlay(replace)
	if err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o666)
}

func encodeOverlay(replace map[string]string) ([]byte, error) {
	return json.MarshalIndent(overlayFile{replace}, "", "\t")
}

// sourceCache keeps rewritten files under names made of their content, so that a file that
// a debugger or a compiler names still exists after the run.
type sourceCache struct{ dir string }

// cacheTrimming is how often files that were not used for long are looked for.
const cacheTrimming = 24 * time.Hour

// put stores one file and returns its path.
func (c sourceCache) put(base string, data []byte) (string, error) {
	name := c.name(base, data)
	if info, err := os.Stat(name); err == nil && info.Size() == int64(len(data)) {
		cacheage.Used(name, info)
		return name, nil
	}
	return name, c.write(name, data)
}

// once stores what build makes, unless that was done before for the same key, and returns its path.
func (c sourceCache) once(base, key string, build func() ([]byte, error)) (string, error) {
	name := c.name(base, []byte(key))
	if info, err := os.Stat(name); err == nil {
		cacheage.Used(name, info)
		return name, nil
	}
	data, err := build()
	if err != nil {
		return "", err
	}
	return name, c.write(name, data)
}

// name is the name of a file with that content or key.
func (c sourceCache) name(base string, data []byte) string {
	sum := sha256.Sum256(data)
	id := hex.EncodeToString(sum[:12])
	return filepath.Join(c.dir, id[:2], id+"-"+base)
}

func (c sourceCache) write(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return writeAtomically(name, data)
}

// trim removes files that were not used for long, once a day.
func (c sourceCache) trim(now time.Time) error {
	if err := os.MkdirAll(c.dir, 0o777); err != nil {
		return err
	}
	stamp := filepath.Join(c.dir, "trimmed")
	if info, err := os.Stat(stamp); err == nil && now.Sub(info.ModTime()) < cacheTrimming {
		return nil
	}
	err := filepath.WalkDir(c.dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || name == stamp {
			return err
		}
		info, err := d.Info()
		if err == nil && cacheage.Over(info, now) {
			_ = os.Remove(name)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return os.WriteFile(stamp, nil, 0o666)
}

// writeAtomically writes a file. Others see all of it or none.
func writeAtomically(name string, data []byte) error {
	return createAtomically(name, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// createAtomically is writeAtomically for what write writes. What a link leads to is replaced, and
// not the link; a pipe or a device is written to.
func createAtomically(name string, write func(io.Writer) error) error {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(write(f), f.Close())
	}
	if real, err := filepath.EvalSymlinks(name); err == nil {
		name = real
	}
	tmp, err := os.CreateTemp(filepath.Dir(name), ".racepred-*")
	if err != nil {
		return err
	}
	err = write(tmp)
	if closeErr := tmp.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Chmod(tmp.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(tmp.Name(), name)
	}
	if err != nil {
		_ = os.Remove(tmp.Name())
	}
	return err
}
