package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/racepred/racepred/instrument"
)

// listed is what go list says of a package.
type listed struct {
	ImportPath, Name, Dir, ForTest string
	Standard, DepOnly              bool
	GoFiles, CgoFiles, Imports     []string
	ImportMap                      map[string]string
	Module                         *struct{ GoVersion string }
}

func list(ctx context.Context, dir string, patterns []string) ([]listed, error) {
	args := append([]string{"list", "-e", "-deps", "-test", "-json=ImportPath,Name,Dir,ForTest,Standard,DepOnly,GoFiles,CgoFiles,Imports,ImportMap,Module", "--"}, patterns...)
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var pkgs []listed
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return pkgs, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		if p.Name != "main" || !strings.HasSuffix(p.ImportPath, ".test") {
			pkgs = append(pkgs, p)
		}
	}
}

// rewriteOnce rewrites as racepred test does: with the cache in c.rewrite.
func (c *config) rewriteOnce(ctx context.Context, stdout io.Writer) error {
	pkgs, err := list(ctx, c.dir, c.patterns)
	if err != nil {
		return err
	}
	modcache, err := exec.CommandContext(ctx, "go", "env", "GOMODCACHE").Output()
	if err != nil {
		return fmt.Errorf("go env: %w", err)
	}
	inCache := strings.TrimSpace(string(modcache)) + string(filepath.Separator)
	own := map[string]bool{}
	var paths []string
	var all []instrument.Listed
	for _, p := range pkgs {
		if !p.DepOnly && p.ForTest == "" {
			own[p.ImportPath] = true
			paths = append(paths, p.ImportPath)
		}
		l := instrument.Listed{
			ImportPath: p.ImportPath, Dir: p.Dir, ForTest: p.ForTest, Fixed: p.Standard || strings.HasPrefix(p.Dir, inCache),
			GoFiles: p.GoFiles, CgoFiles: p.CgoFiles, Imports: p.Imports, ImportMap: p.ImportMap,
		}
		if p.Module != nil {
			l.GoVersion = p.Module.GoVersion
		}
		all = append(all, l)
	}
	res, err := instrument.Rewrite(instrument.Config{
		Dir: c.dir, Patterns: paths, Paths: paths, Tests: true,
		Cache: &instrument.Cache{Dir: c.rewrite, Units: instrument.Units(all, own)},
	})
	if err != nil {
		return err
	}
	sites, size := 0, 0
	for _, p := range res.Packages {
		sites += p.Sites
	}
	for _, b := range res.Files {
		size += len(b)
	}
	fmt.Fprintf(stdout, "%d packages, %d files, %d bytes, %d sites\n", len(res.Packages), len(res.Files), size, sites)
	return nil
}

// lines counts the lines of Go code of the packages.
func lines(pkgs []listed) (n int) {
	seen := map[string]bool{}
	for _, p := range pkgs {
		if p.DepOnly {
			continue
		}
		for _, f := range append(p.GoFiles, p.CgoFiles...) {
			if !filepath.IsAbs(f) {
				f = filepath.Join(p.Dir, f)
			}
			if b, err := os.ReadFile(f); err == nil && !seen[f] {
				seen[f] = true
				n += bytes.Count(b, []byte("\n"))
			}
		}
	}
	return n
}
