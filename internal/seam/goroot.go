package seam

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// copyGOROOT makes a GOROOT at dst that is src with files put in. Below src
// folders are real, since the go command does not follow links to folders in
// patterns such as std, and files that did not change are links; all else
// (bin, pkg, ...) is one link each.
func copyGOROOT(dst, src string, files map[string][]byte) error {
	if err := os.MkdirAll(filepath.Join(dst, "src"), 0o777); err != nil {
		return err
	}
	top, err := os.ReadDir(src)
	if err != nil {
		return err
	}
	for _, e := range top {
		if e.Name() == "src" {
			continue
		}
		if err := os.Symlink(filepath.Join(src, e.Name()), filepath.Join(dst, e.Name())); err != nil {
			return err
		}
	}
	if err := linkTree(filepath.Join(dst, "src"), filepath.Join(src, "src"), "", files); err != nil {
		return err
	}
	return writeFiles(filepath.Join(dst, "src"), files)
}

func linkTree(dst, src, rel string, files map[string][]byte) error {
	entries, err := os.ReadDir(filepath.Join(src, rel))
	if err != nil {
		return err
	}
	for _, e := range entries {
		p := filepath.Join(rel, e.Name())
		if _, ok := files[filepath.ToSlash(p)]; ok {
			continue
		}
		to := filepath.Join(dst, p)
		// The go command does not follow links to folders in patterns such as
		// std, so folders are made for real and files are linked.
		if e.Type()&fs.ModeDir != 0 {
			if strings.HasPrefix(e.Name(), ".") {
				continue
			}
			if err := os.MkdirAll(to, 0o777); err != nil {
				return err
			}
			if err := linkTree(dst, src, p, files); err != nil {
				return err
			}
			continue
		}
		if err := os.Symlink(filepath.Join(src, p), to); err != nil {
			return err
		}
	}
	return nil
}
