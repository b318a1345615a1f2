// Package load reads packages: patterns, as the go command takes them -> syntax, types and bytes,
// or why a package is left alone.
package load

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/packages"

	"github.com/racepred/racepred/internal/library"
)

// Config says what to load, as that of package instrument does.
type Config struct {
	Context    context.Context
	Dir        string
	Patterns   []string
	BuildFlags []string
	Env        []string
	Overlay    map[string]string
	Tests      bool
	Tested     func(path string) bool // of these packages only, and Patterns are import paths; nil: of all
}

// Load type-checks what cfg names. Of a package's variants only the largest
// one is kept: with its internal tests, if there are any.
func Load(cfg Config) ([]*Package, error) {
	src := sources{overlay: cfg.Overlay, bytes: map[string][]byte{}}
	fset := token.NewFileSet()
	pkgs, err := load(cfg, fset, src.parse)
	if err != nil {
		return nil, fmt.Errorf("instrument: load: %w", err)
	}
	best := largest(pkgs, func(p *packages.Package) int { return len(p.Syntax) })
	var refuse map[string]bool
	var loaded []*Package
	for _, p := range best {
		if p.Module == nil && refuse == nil {
			if refuse, err = runtimeClosure(cfg); err != nil {
				return nil, err
			}
		}
		loaded = append(loaded, src.convert(fset, p, refuse))
	}
	slices.SortFunc(loaded, func(a, b *Package) int { return strings.Compare(a.Path, b.Path) })
	return loaded, nil
}

// isTestMain reports whether p is the main package of a test binary.
func isTestMain(p *packages.Package) bool { return strings.HasSuffix(p.ID, ".test") }

// largest is the largest variant of each package, by its path.
func largest(pkgs []*packages.Package, size func(*packages.Package) int) map[string]*packages.Package {
	best := map[string]*packages.Package{}
	for _, p := range pkgs {
		if isTestMain(p) {
			continue
		}
		if len(p.GoFiles)+len(p.CompiledGoFiles)+len(p.Errors) == 0 {
			continue // a directory with nothing but external tests, which are a package of their own
		}
		if b := best[p.PkgPath]; b == nil || size(p) > size(b) {
			best[p.PkgPath] = p
		}
	}
	return best
}

// load loads what the patterns name, with tests where there shall be some. The tests of other
// packages may need what cannot be had.
func load(cfg Config, fset *token.FileSet, parse func(*token.FileSet, string, []byte) (*ast.File, error)) (all []*packages.Package, err error) {
	patterns := map[bool][]string{}
	for _, path := range cfg.Patterns {
		tests := cfg.Tests && (cfg.Tested == nil || cfg.Tested(path))
		patterns[tests] = append(patterns[tests], path)
	}
	for _, tests := range []bool{true, false} {
		some := patterns[tests]
		if len(some) == 0 { // which would be the package in Dir
			continue
		}
		with := packages.Config{
			Mode:       metadata | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo,
			Context:    cfg.Context,
			Dir:        cfg.Dir,
			Env:        cfg.Env,
			BuildFlags: cfg.BuildFlags,
			Tests:      tests,
			Fset:       fset,
			ParseFile:  parse,
		}
		pkgs, ok := typed(with, some)
		if !ok {
			if pkgs, err = packages.Load(&with, some...); err != nil {
				return nil, err
			}
		}
		all = append(all, pkgs...)
	}
	return all, nil
}

// sources keeps what files were parsed from. Its parse is called concurrently.
type sources struct {
	overlay map[string]string
	mu      sync.Mutex
	bytes   map[string][]byte
}

func (s *sources) parse(fset *token.FileSet, name string, src []byte) (*ast.File, error) {
	if to := s.overlay[name]; to != "" {
		var err error
		if src, err = os.ReadFile(to); err != nil {
			return nil, err
		}
	}
	s.mu.Lock()
	s.bytes[name] = src
	s.mu.Unlock()
	return parser.ParseFile(fset, name, src, parser.AllErrors|parser.ParseComments|parser.SkipObjectResolution)
}

// convert takes over a package, or says why it cannot be rewritten.
func (s *sources) convert(fset *token.FileSet, p *packages.Package, refuse map[string]bool) *Package {
	l := &Package{Path: p.PkgPath, Dir: p.Dir, Fset: fset, Types: p.Types, Info: p.TypesInfo}
	for _, f := range p.Syntax {
		name := fset.File(f.FileStart).Name()
		l.Files = append(l.Files, &File{Name: name, Bytes: s.bytes[name], Syntax: f})
	}
	slices.SortFunc(l.Files, func(a, b *File) int { return strings.Compare(a.Name, b.Name) })
	if p.Module != nil && p.Module.GoVersion == "" {
		undeclared(l)
	}
	l.Refused = s.reason(p, l, refuse)
	return l
}

// DoesNotCompile begins the reason why a package is left alone that go test has words for.
const DoesNotCompile = "it does not compile"

// reason says why a package is left alone; "" means it is not.
func (s *sources) reason(p *packages.Package, l *Package, refuse map[string]bool) string {
	if refuse[p.PkgPath] {
		return "package runtime is built on it, so it cannot import runtime"
	}
	if library.OfPackage(p.PkgPath).Synchronizes {
		return "its operations are recorded as synchronization"
	}
	if len(p.Errors) > 0 {
		return DoesNotCompile + ": " + firstError(p.Errors)
	}
	if p.IllTyped {
		return DoesNotCompile + ": what it imports does not"
	}
	if p.Types == nil || len(l.Files) == 0 {
		return "it has no Go files that can be type-checked"
	}
	for _, name := range p.GoFiles {
		from := name
		if to := s.overlay[name]; to != "" {
			from = to
		}
		if usesCgo(from) {
			return "it uses cgo (" + filepath.Base(name) + ")"
		}
	}
	for _, f := range l.Files {
		if !slices.Contains(p.GoFiles, f.Name) {
			return "a file of it is generated during the build (" + filepath.Base(f.Name) + ")"
		}
	}
	return redeclares(p)
}

// redeclares says which predeclared name means something else in a whole file of the package,
// though what the rewriter adds to the file needs it.
func redeclares(p *packages.Package) string {
	for _, name := range [...]string{"byte", "false", "nil", "true"} {
		if p.Types.Scope().Lookup(name) != nil {
			return "it redeclares " + name
		}
		for _, f := range p.Syntax {
			if scope := p.TypesInfo.Scopes[f]; scope != nil && scope.Lookup(name) != nil {
				return "it imports a package as " + name
			}
		}
	}
	return ""
}

// firstError is the first error with a position, in one line. Errors of the go command itself have
// none, and have the compiler's lines in their text.
func firstError(errs []packages.Error) string {
	err := errs[0]
	if i := slices.IndexFunc(errs, func(e packages.Error) bool { return e.Pos != "" && e.Pos != "-" }); i >= 0 {
		err = errs[i]
	}
	return strings.ReplaceAll(err.Error(), "\n", " ")
}

func usesCgo(file string) bool {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		return false
	}
	for _, imp := range f.Imports {
		if imp.Path.Value == `"C"` {
			return true
		}
	}
	return false
}

// runtimeClosure lists runtime and all packages that it imports.
func runtimeClosure(cfg Config) (map[string]bool, error) {
	env := cfg.Env
	if env == nil {
		env = os.Environ()
	}
	pkgs, err := packages.Load(&packages.Config{
		Mode:    packages.NeedName | packages.NeedImports | packages.NeedDeps,
		Context: cfg.Context,
		Dir:     cfg.Dir,
		Env:     env,
	}, "runtime")
	if err != nil {
		return nil, fmt.Errorf("instrument: load runtime: %w", err)
	}
	closure := map[string]bool{}
	packages.Visit(pkgs, nil, func(p *packages.Package) { closure[p.PkgPath] = true })
	return closure, nil
}
