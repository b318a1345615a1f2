// Package seam lays racepred into a toolchain: Go toolchain -> the same
// toolchain with the race annotations of its runtime and standard library
// switched on and leading to racepred's recorder, without -race, cgo or TSan.
//
// The runtime already tells an optional race detector everything about
// synchronization (runtime/race.go); the functions it calls are stubs in a
// normal build (runtime/race0.go). The seam replaces the stubs, makes the
// edits that edits.go lists, and adds the recorder (rt) and the engine as
// packages below internal/racepred.
//
// Two ways lead into the build: a -overlay for the go command, or, when the
// toolchain lies in the module cache where overlays are refused, a copy of
// its GOROOT made of links with the changed files put in.
package seam

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/racepred/racepred/instrument"
	linked "github.com/racepred/racepred/internal"
	"github.com/racepred/racepred/internal/library"
	"github.com/racepred/racepred/rt"
)

const module = "github.com/racepred/racepred"

// virtual is the folder of the engine's packages below GOROOT/src.
const virtual = "internal/racepred"

// Files returns the seam's files for the toolchain at goroot: path below
// GOROOT/src -> content. An edit that does not fit this toolchain is an error.
func Files(goroot string) (map[string][]byte, error) {
	src := filepath.Join(goroot, "src")
	out := make(map[string][]byte)
	read := func(p string) ([]byte, error) { return os.ReadFile(filepath.Join(src, filepath.FromSlash(p))) }

	if err := runtimeFiles(out, src, read); err != nil {
		return nil, err
	}
	if err := atomicFiles(out, src, read); err != nil {
		return nil, err
	}
	if err := mapFiles(out, read); err != nil {
		return nil, err
	}
	for _, f := range edits {
		b, edited := out[f.Path]
		if !edited {
			var err error
			if b, err = read(f.Path); err != nil {
				return nil, err
			}
		}
		var err error
		if out[f.Path], err = apply(f, b); err != nil {
			return nil, err
		}
	}
	if err := ownLibrary(out, src); err != nil {
		return nil, err
	}
	return out, engineFiles(out)
}

// ownLibrary lays copies of the packages of the library that are rewritten
// (library.Package.Generic): what the engine calls records nothing.
func ownLibrary(out map[string][]byte, src string) error {
	for _, pkg := range library.GenericPackages() {
		err := each(os.DirFS(filepath.Join(src, filepath.FromSlash(pkg))), ".", func(name string, b []byte) error {
			out[virtual+"/"+pkg+"/"+name] = b
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// runtimeFiles lays the recorder into package runtime and internal/race.
func runtimeFiles(out map[string][]byte, src string, read func(string) ([]byte, error)) error {
	hooks := make(map[string]bool)
	err := each(rt.Sources, "runtimehooks", func(name string, b []byte) error {
		b = untag(b)
		if path.Ext(name) == ".s" {
			out["runtime/zz_racepred_"+path.Base(name)] = b
			return nil
		}
		tree, err := parser.ParseFile(token.NewFileSet(), name, b, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range tree.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				if n, ok := strings.CutPrefix(fn.Name.Name, "rpHook_"); ok {
					hooks[n] = true
				}
			}
		}
		out["runtime/zz_racepred_"+path.Base(name)] = rawCalls(b, read)
		return nil
	})
	if err != nil {
		return err
	}
	err = each(rt.Sources, "outsidehooks", func(name string, b []byte) error {
		b = untag(b)
		out["syscall/zz_racepred_"+path.Base(name)] = b
		if path.Base(name) == "ops.go" {
			out["runtime/zz_racepred_ops.go"] = repackage(b, "syscall", "runtime")
		}
		return nil
	})
	if err != nil {
		return err
	}
	b, err := read("runtime/race0.go")
	if err != nil {
		return err
	}
	if out["runtime/race0.go"], err = race0(b, hooks); err != nil {
		return err
	}
	race, err := rt.Sources.ReadFile("racehooks/race.go")
	if err != nil {
		return err
	}
	out["internal/race/norace.go"] = untag(race)
	out["runtime/zz_racepred_helpers.go"] = instrument.HelperSource()
	out["runtime/zz_racepred_library.go"], err = libraryFile(src)
	return err
}

// libraryFile is a file of package runtime with the beginnings of import paths of the standard
// library, the paths of its packages, sorted, and those of the ones that are rewritten.
func libraryFile(src string) ([]byte, error) {
	entries, err := os.ReadDir(src)
	if err != nil {
		return nil, err
	}
	b := []byte("package runtime\n\nvar rpLibrary = [...]string{")
	for _, e := range entries {
		if e.IsDir() {
			b = fmt.Appendf(b, "%q, ", e.Name())
		}
	}
	b = append(b, "}\n\nvar rpLibraryPackages = [...]string{"...)
	paths := map[string]bool{}
	err = filepath.WalkDir(src, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || name == filepath.Join(src, "cmd")):
			return filepath.SkipDir
		case !d.IsDir() && strings.HasSuffix(name, ".go"):
			rel, err := filepath.Rel(src, filepath.Dir(name))
			paths[filepath.ToSlash(rel)] = true
			return err
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		b = fmt.Appendf(b, "%q, ", path)
	}
	b = append(b, "}\n\nvar rpGeneric = [...]string{"...)
	for _, pkg := range library.GenericPackages() {
		b = fmt.Appendf(b, "%q, ", pkg)
	}
	return append(b, "}\n"...), nil
}

// atomicFiles rewrites package sync/atomic.
func atomicFiles(out map[string][]byte, src string, read func(string) ([]byte, error)) error {
	entries, err := os.ReadDir(filepath.Join(src, "sync", "atomic"))
	if err != nil {
		return err
	}
	var declared []string
	for _, e := range entries {
		name := e.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || name == "doc_32.go" {
			continue
		}
		p := "sync/atomic/" + name
		b, err := read(p)
		if err != nil {
			return err
		}
		edited, fns, err := atomicFile(p, b)
		if err != nil {
			return err
		}
		out[p] = edited
		declared = append(declared, fns...)
	}
	slices.Sort(declared)
	hooks, err := atomicHooks(slices.Compact(declared))
	if err != nil {
		return err
	}
	out["sync/atomic/zz_racepred_hooks.go"] = hooks
	out["sync/zz_racepred_pool.go"] = []byte(poolHelpers)
	out["fmt/zz_racepred_formats.go"] = []byte(formats)
	out["context/zz_racepred.go"] = []byte(contextHelpers)
	out["testing/zz_racepred_unobserved.go"] = []byte(unobservedHelpers)
	out["weak/zz_racepred.go"] = []byte(weakValue)
	out["sync/atomic/asm.s"] = []byte("// The operations are in Go: zz_racepred_hooks.go.\n")
	return nil
}

// engineFiles adds rt/process and the packages it is made of.
func engineFiles(out map[string][]byte) error {
	err := each(rt.Sources, "process", func(name string, b []byte) error {
		out[virtual+"/"+name] = relocate(untag(b))
		return nil
	})
	if err != nil {
		return err
	}
	layout, err := rt.Sources.ReadFile("runtimehooks/layout.go")
	if err != nil {
		return err
	}
	out[virtual+"/process/layout.go"] = repackage(untag(layout), "runtime", "process")
	kinds, err := linked.Linked.ReadFile("records/kinds.go")
	if err != nil {
		return err
	}
	out["runtime/zz_racepred_kinds.go"] = repackage(kinds, "records", "runtime")
	out[virtual+"/process/kinds.go"] = repackage(kinds, "records", "process")
	return each(linked.Linked, ".", func(name string, b []byte) error {
		out[virtual+"/"+name] = relocate(b)
		return nil
	})
}

// each calls f for the Go and assembly files below dir of fsys that are not tests.
func each(fsys fs.FS, dir string, f func(name string, b []byte) error) error {
	return fs.WalkDir(fsys, dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if ext := path.Ext(name); ext != ".go" && ext != ".s" || strings.HasSuffix(name, "_test.go") || strings.Contains(name, "testdata/") {
			return nil
		}
		b, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		return f(name, b)
	})
}

// untag drops the build constraint that keeps the seam's sources out of racepred's own build.
func untag(b []byte) []byte {
	return []byte(strings.NewReplacer("//go:build racepred_seam\n", "\n", "//go:build racepred_seam && ", "//go:build ").Replace(string(b)))
}

// repackage lays a file of package from into package to.
func repackage(b []byte, from, to string) []byte {
	return []byte(strings.Replace(string(b), "package "+from+"\n", "package "+to+"\n", 1))
}

// rawCalls corrects the import path of the package with the runtime's own system calls: until Go
// 1.25 it was its parent.
func rawCalls(b []byte, read func(string) ([]byte, error)) []byte {
	const now, before = "internal/runtime/syscall/linux", "internal/runtime/syscall"
	if _, err := read(now + "/defs_linux.go"); err == nil {
		return b
	}
	return []byte(strings.Replace(string(b), `"`+now+`"`, `linux "`+before+`"`, 1))
}

// relocate points imports of racepred's packages, and of those that ownLibrary copies, to where the
// seam puts them.
func relocate(b []byte) []byte {
	text := strings.ReplaceAll(string(b), `"`+module+"/internal/", `"`+virtual+"/")
	for _, pkg := range library.GenericPackages() {
		text = strings.ReplaceAll(text, "\n\t\""+pkg+"\"\n", "\n\t\""+virtual+"/"+pkg+"\"\n")
	}
	return []byte(text)
}

// Config says which toolchain to prepare.
type Config struct {
	GOROOT       string
	GOVERSION    string // as in `go env GOVERSION`
	GOMODCACHE   string
	GOEXPERIMENT string // likewise
	CacheDir     string // racepred's own cache
}

// Toolchain is a prepared toolchain.
type Toolchain struct {
	Overlay map[string]string // to merge into the go command's -overlay; empty for a copied GOROOT
	Env     []string          // variables to add to the go command's environment
	GOROOT  string            // the GOROOT whose go command to run

	// Printing has the files of Overlay that may be left out if their package is recorded: they
	// flag the operations of code that prints as unseen, which is right only while its state is not
	// observed.
	Printing map[string]bool

	// Files has each file of the seam by the name that the go command gives to tools.
	Files map[string]File

	// Profile is the file with the profile that the packages that Engine matches are to be compiled
	// with (-pgoprofile of the compiler).
	Profile string
}

// File is a file of the seam in a prepared toolchain.
type File struct {
	Text     string // name of the file that has the text
	Original string // name of the file whose place it takes; "" if there is none
}

// Prepare lays the seam into a toolchain, once per toolchain and version of racepred.
func Prepare(cfg Config) (*Toolchain, error) {
	files, err := Files(cfg.GOROOT)
	if err != nil {
		return nil, fmt.Errorf("racepred cannot record with %s: %w", cfg.GOVERSION, err)
	}
	dir := filepath.Join(cfg.CacheDir, "seam", cfg.GOVERSION+"-"+digest(cfg.GOROOT, files, profile))
	var env []string
	if x := experiments(cfg); x != "" {
		env = []string{"GOEXPERIMENT=" + x}
	}
	if inside(cfg.GOROOT, cfg.GOMODCACHE) {
		dir += "-copy" // the same toolchain may be outside of another module cache
		root := filepath.Join(dir, "goroot")
		if err := materialize(dir, func(tmp string) error { return copyGOROOT(filepath.Join(tmp, "goroot"), cfg.GOROOT, files) }); err != nil {
			return nil, err
		}
		return &Toolchain{
			GOROOT: root, Profile: filepath.Join(dir, profileName), Env: append(env, "GOROOT="+root, "GOTOOLCHAIN=local"),
			Files: laid(files, root, filepath.Join(root, "src"), cfg.GOROOT),
		}, nil
	}
	if err := materialize(dir, func(tmp string) error { return writeFiles(tmp, files) }); err != nil {
		return nil, err
	}
	tc := &Toolchain{GOROOT: cfg.GOROOT, Profile: filepath.Join(dir, profileName), Env: env, Overlay: make(map[string]string, len(files)), Files: laid(files, cfg.GOROOT, dir, cfg.GOROOT)}
	for p := range files {
		p := filepath.FromSlash(p)
		tc.Overlay[filepath.Join(cfg.GOROOT, "src", p)] = filepath.Join(dir, p)
	}
	tc.Printing = map[string]bool{}
	for _, f := range edits {
		if f.Printing {
			tc.Printing[filepath.Join(cfg.GOROOT, "src", filepath.FromSlash(f.Path))] = true
		}
	}
	return tc, nil
}

// laid is Toolchain.Files for files below src of root, with their texts in dir and the originals
// below src of originals.
func laid(files map[string][]byte, root, dir, originals string) map[string]File {
	out := make(map[string]File, len(files))
	for p := range files {
		p := filepath.FromSlash(p)
		f := File{Text: filepath.Join(dir, p), Original: filepath.Join(originals, "src", p)}
		if _, err := os.Stat(f.Original); err != nil {
			f.Original = ""
		}
		out[filepath.Join(root, "src", p)] = f
	}
	return out
}

// digest is a name for a seam, made of its content.
func digest(goroot string, files map[string][]byte, profile []byte) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%d\n", goroot, len(profile))
	h.Write(profile)
	for _, p := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(h, "%s %d\n", p, len(files[p]))
		h.Write(files[p])
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

func inside(p, dir string) bool {
	if dir == "" {
		return false
	}
	rel, err := filepath.Rel(dir, p)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

func writeFiles(dir string, files map[string][]byte) error {
	for p, b := range files {
		name := filepath.Join(dir, filepath.FromSlash(p))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(name, b, 0o666); err != nil {
			return err
		}
	}
	return nil
}
