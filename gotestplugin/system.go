package gotestplugin

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"golang.org/x/term"
)

// cacheDir is racepred's cache directory: RACEPRED_CACHE, or racepred in the
// user's cache directory.
func cacheDir(env []string) (string, error) {
	if dir := getenv(env, "RACEPRED_CACHE"); dir != "" {
		if !filepath.IsAbs(dir) {
			return "", fmt.Errorf("RACEPRED_CACHE=%s is not an absolute path", dir)
		}
		return dir, nil
	}
	dir := ""
	switch runtime.GOOS {
	case "windows":
		dir = getenv(env, "LocalAppData")
	case "darwin", "ios":
		if home := getenv(env, "HOME"); home != "" {
			dir = filepath.Join(home, "Library", "Caches")
		}
	default:
		dir = getenv(env, "XDG_CACHE_HOME")
		if home := getenv(env, "HOME"); dir == "" && home != "" {
			dir = filepath.Join(home, ".cache")
		}
	}
	if !filepath.IsAbs(dir) {
		return "", errors.New("no cache directory: set RACEPRED_CACHE or HOME")
	}
	return filepath.Join(dir, "racepred"), nil
}

// isTerminal reports whether w is a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// say prints a line of progress, on a terminal only.
func (c *call) say(format string, args ...any) {
	if isTerminal(c.err) {
		fmt.Fprintf(c.err, "racepred: "+format+"\n", args...)
	}
}

// makeCache makes the cache directory, if it is missing. A go.mod in it keeps the go command from
// taking what is below for packages of a module that the directory lies in.
func makeCache(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	if err := writable(dir); err != nil {
		return err
	}
	name := filepath.Join(dir, "go.mod")
	if _, err := os.Stat(name); err == nil {
		return nil
	}
	return os.WriteFile(name, []byte("module racepred.invalid/cache // what racepred keeps: no package of the module around it\n"), 0o666)
}
