package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// fetch downloads a module@version into the module cache and copies it to the
// directory, with what it depends on downloaded too.
func fetch(ctx context.Context, module, to string) (string, error) {
	if err := copyModule(ctx, module, to); err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, "go", "mod", "download")
	cmd.Dir = to
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("dependencies of %s: %w\n%s", module, err, out)
	}
	return to, nil
}

// copyModule downloads a module@version into the module cache and copies it to the directory, writable.
func copyModule(ctx context.Context, module, to string) error {
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", module)
	cmd.Dir = os.TempDir() // outside of any module
	out, err := cmd.Output()
	var answer struct{ Dir, Error string }
	if jsonErr := json.Unmarshal(out, &answer); jsonErr != nil || answer.Error != "" || err != nil {
		return fmt.Errorf("go mod download %s: %v %s", module, err, answer.Error)
	}
	if _, err := os.Stat(filepath.Join(answer.Dir, "go.mod")); err != nil {
		return fmt.Errorf("%s has no go.mod", module)
	}
	return os.CopyFS(to, os.DirFS(answer.Dir))
}
