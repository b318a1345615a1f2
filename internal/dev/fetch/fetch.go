// Package fetch gets modules for the tools that run racepred on code of others: module@version -> a
// copy of its files that may be written to.
package fetch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Split parts module@version/package, where the version has no slash.
func Split(target string) (module, sub string) {
	at := strings.Index(target, "@")
	if i := strings.Index(target[at+1:], "/"); at >= 0 && i >= 0 {
		return target[:at+1+i], target[at+2+i:]
	}
	return target, ""
}

// Module downloads a module@version into the module cache and copies it to the directory, which
// must not exist or be empty. A module without go.mod gets the one that the go command makes for
// it, which names no dependencies.
func Module(ctx context.Context, module, to string) error {
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", module)
	cmd.Dir = os.TempDir() // outside of any module
	out, err := cmd.Output()
	var answer struct{ Dir, GoMod, Error string }
	if jsonErr := json.Unmarshal(out, &answer); jsonErr != nil || answer.Error != "" || err != nil {
		return fmt.Errorf("go mod download %s: %v %s", module, err, answer.Error)
	}
	if err := os.CopyFS(to, os.DirFS(answer.Dir)); err != nil {
		return err
	}
	file := filepath.Join(to, "go.mod")
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	made, err := os.ReadFile(answer.GoMod)
	if err != nil {
		return err
	}
	return os.WriteFile(file, made, 0o666)
}

// Dependencies downloads what the module in the directory needs.
func Dependencies(ctx context.Context, dir string) error {
	cmd := exec.CommandContext(ctx, "go", "mod", "download")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("dependencies of %s: %w\n%s", dir, err, out)
	}
	return nil
}
