package instrument

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Listed is a package as go list -deps -test names it; test variants ("p [p.test]") are packages of
// their own.
type Listed struct {
	ImportPath, Dir   string
	ForTest           string
	Fixed             bool   // its files only change with the toolchain or with Dir
	GoVersion         string // of its module
	GoFiles, CgoFiles []string
	Imports           []string
	ImportMap         map[string]string
}

// Unit is a package with its tests, internal and external, which are cached together. A package
// that is listed only as built for the test of another one belongs to the unit of that one.
type Unit struct {
	Path string // import path of the package
	Key  string // a hash of its files and of all packages it imports, directly or not
}

// Units makes units of the packages with the given import paths. listed is in
// the order of go list: dependencies first. Packages whose content has no key (they, or
// what they import, use cgo or cannot be read) are left out.
func Units(listed []Listed, paths map[string]bool) []Unit {
	itself := map[string]bool{} // listed for itself, not only for another package's test
	for i := range listed {
		if p := &listed[i]; p.ForTest == "" {
			itself[p.ImportPath] = true
		}
	}
	keys := make(map[string]string, len(listed))
	parts := map[string][]string{}
	for i := range listed {
		p := &listed[i]
		keys[p.ImportPath] = p.key(keys)
		path, _, _ := strings.Cut(p.ImportPath, " ")
		if p.ForTest != "" && !paths[path] {
			path = strings.TrimSuffix(path, "_test")
		}
		if paths[path] && (p.ForTest == "" || p.ForTest == path || !itself[path]) {
			parts[path] = append(parts[path], keys[p.ImportPath])
		}
	}
	var units []Unit
	for path, list := range parts {
		if slices.Contains(list, "") {
			continue
		}
		slices.Sort(list)
		h := sha256.New()
		part(h, path)
		part(h, list...)
		units = append(units, Unit{path, hex.EncodeToString(h.Sum(nil))})
	}
	slices.SortFunc(units, func(a, b Unit) int { return strings.Compare(a.Path, b.Path) })
	return units
}

// key is a hash of a package and of what it imports; "" if it has none.
func (p *Listed) key(keys map[string]string) string {
	h := sha256.New()
	part(h, p.ImportPath, p.Dir, p.GoVersion)
	if len(p.CgoFiles) > 0 && !p.Fixed {
		return ""
	}
	files := p.GoFiles
	if p.Fixed {
		files = nil
	}
	for _, name := range files {
		if !filepath.IsAbs(name) {
			name = filepath.Join(p.Dir, name)
		}
		b, err := os.ReadFile(name)
		if err != nil {
			return ""
		}
		sum := sha256.Sum256(b)
		part(h, name, string(sum[:]))
	}
	for _, path := range p.Imports {
		if mapped, ok := p.ImportMap[path]; ok {
			path = mapped
		}
		if path == "unsafe" {
			continue
		}
		key := keys[path]
		if key == "" && !p.Fixed {
			return ""
		}
		part(h, key) // what it imports may be of another version
	}
	return hex.EncodeToString(h.Sum(nil))
}

// part writes strings so that different lists of strings have different hashes.
func part(h hash.Hash, parts ...string) {
	fmt.Fprintf(h, "%d\n", len(parts))
	for _, s := range parts {
		fmt.Fprintf(h, "%d %s\n", len(s), s)
	}
}
