package load

import (
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"os"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/tools/go/gcexportdata"
	"golang.org/x/tools/go/packages"
)

// metadata is what go/packages is asked for in any case.
const metadata = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
	packages.NeedTypesSizes | packages.NeedModule | packages.NeedForTest

// typed loads what packages.Load does, with syntax and types in the variants of packages that are
// wanted, but the go command compiles none of the packages that the patterns name. For go/packages
// it compiles them all, with their tests, and nobody reads most of the result.
//
//	(T1) A package is type-checked from its files if the patterns name it, or if it imports one that
//	     is. So no export data mentions a package that is checked from its files, and each package
//	     has one identity. Function bodies are checked in wanted variants only.
//	(T2) The types of all others come from export data.
//
// It returns false if anything is wrong with any package. Then go/packages has the words for it.
func typed(cfg packages.Config, patterns []string) (wanted []*packages.Package, ok bool) {
	listing := cfg
	listing.Mode, listing.ParseFile = metadata|packages.NeedDeps, nil
	all, err := packages.Load(&listing, patterns...)
	if err != nil || slices.ContainsFunc(all, func(p *packages.Package) bool { return len(p.Errors) > 0 }) {
		return nil, false
	}
	t := typing{
		cfg: cfg, nodes: map[*packages.Package]*node{}, files: map[string]*parsing{}, exports: map[string]string{}, exported: map[string]*types.Package{},
		cpus: make(chan bool, runtime.GOMAXPROCS(0)),
	}
	named := map[*packages.Package]bool{}
	for _, p := range all {
		named[p] = !isTestMain(p)
	}
	wanted = slices.Collect(maps.Values(largest(all, func(p *packages.Package) int { return len(p.CompiledGoFiles) })))
	for _, p := range wanted {
		t.visit(p, named).bodies = true
	}
	if !t.findExports() {
		return nil, false
	}
	var wg sync.WaitGroup
	for _, p := range wanted {
		wg.Go(func() { t.check(p) })
	}
	wg.Wait()
	return wanted, !slices.ContainsFunc(wanted, func(p *packages.Package) bool { return t.nodes[p].err != nil })
}

// typing is the state of typed.
type typing struct {
	cfg   packages.Config
	nodes map[*packages.Package]*node
	cpus  chan bool // has one for each package that is being checked

	exports map[string]string // by path, the file with export data

	mu       sync.Mutex
	files    map[string]*parsing
	exported map[string]*types.Package // by path, from export data; incomplete if only others mention it
}

// node is a package that is wanted, or one that it imports.
type node struct {
	fromFiles bool // (T1)
	bodies    bool
	once      sync.Once
	err       error // the first one, also of what it imports
}

// parsing is a file, which the variants of a package share.
type parsing struct {
	once sync.Once
	file *ast.File
	err  error
}

// visit finds out which packages are checked from their files.
func (t *typing) visit(p *packages.Package, named map[*packages.Package]bool) *node {
	n := t.nodes[p]
	if n == nil {
		n = &node{fromFiles: named[p]}
		t.nodes[p] = n
		for _, imp := range p.Imports {
			n.fromFiles = t.visit(imp, named).fromFiles || n.fromFiles
		}
	}
	return n
}

// findExports has the go command find the export data that is needed. (T2)
func (t *typing) findExports() bool {
	paths := map[string]bool{}
	for p, n := range t.nodes {
		if !n.fromFiles {
			continue
		}
		for _, imp := range p.Imports {
			if !t.nodes[imp].fromFiles && imp.PkgPath != "unsafe" {
				paths[imp.PkgPath] = true
			}
		}
	}
	if len(paths) == 0 {
		return true
	}
	cfg := t.cfg
	cfg.Mode, cfg.ParseFile, cfg.Tests = packages.NeedName|packages.NeedExportFile, nil, false
	found, err := packages.Load(&cfg, slices.Sorted(maps.Keys(paths))...)
	if err != nil {
		return false
	}
	for _, p := range found {
		t.exports[p.PkgPath] = p.ExportFile
		delete(paths, p.PkgPath)
		if p.ExportFile == "" || len(p.Errors) > 0 {
			return false
		}
	}
	return len(paths) == 0
}

// check type-checks p and what it imports.
func (t *typing) check(p *packages.Package) {
	n := t.nodes[p]
	n.once.Do(func() {
		var wg sync.WaitGroup
		for _, imp := range p.Imports {
			if t.nodes[imp].fromFiles {
				wg.Go(func() { t.check(imp) })
			}
		}
		wg.Wait()
		for _, imp := range p.Imports {
			if err := t.nodes[imp].err; err != nil {
				n.err = err
				return
			}
		}
		t.cpus <- true
		defer func() { <-t.cpus }()
		if t.cfg.Context != nil && t.cfg.Context.Err() != nil {
			n.err = t.cfg.Context.Err()
			return
		}
		n.err = t.checkFiles(p, !n.bodies)
	})
}

func (t *typing) checkFiles(p *packages.Package, declarations bool) (err error) {
	defer func() { // as the reader of export data does, with a format that is newer than it is
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	if len(p.Errors) > 0 {
		return p.Errors[0]
	}
	for _, name := range p.CompiledGoFiles {
		f := t.parse(name)
		if f.err != nil {
			return f.err
		}
		p.Syntax = append(p.Syntax, f.file)
	}
	p.Fset, p.Types = t.cfg.Fset, types.NewPackage(p.PkgPath, p.Name)
	p.TypesInfo = &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Instances: map[*ast.Ident]types.Instance{}, Scopes: map[ast.Node]*types.Scope{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, FileVersions: map[*ast.File]string{},
	}
	conf := types.Config{
		Importer:         importerFunc(func(path string) (*types.Package, error) { return t.imports(p, path) }),
		IgnoreFuncBodies: declarations,
		Sizes:            p.TypesSizes,
	}
	if p.Module != nil && p.Module.GoVersion != "" {
		conf.GoVersion = "go" + p.Module.GoVersion
	}
	return types.NewChecker(&conf, p.Fset, p.Types, p.TypesInfo).Files(p.Syntax)
}

func (t *typing) parse(name string) *parsing {
	t.mu.Lock()
	f := t.files[name]
	if f == nil {
		f = &parsing{}
		t.files[name] = f
	}
	t.mu.Unlock()
	f.once.Do(func() {
		var src []byte
		if src, f.err = os.ReadFile(name); f.err == nil {
			f.file, f.err = t.cfg.ParseFile(t.cfg.Fset, name, src)
		}
	})
	return f
}

// importerFunc is an importer of package types.
type importerFunc func(path string) (*types.Package, error)

// Import is that of types.Importer.
func (f importerFunc) Import(path string) (*types.Package, error) { return f(path) }

// imports is what p imports as path.
func (t *typing) imports(p *packages.Package, path string) (*types.Package, error) {
	imp := p.Imports[path]
	switch {
	case path == "unsafe":
		return types.Unsafe, nil
	case imp == nil:
		return nil, fmt.Errorf("no package %s", path)
	case t.nodes[imp].fromFiles:
		return imp.Types, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if known := t.exported[imp.PkgPath]; known != nil && known.Complete() {
		return known, nil
	}
	f, err := os.Open(t.exports[imp.PkgPath])
	if err != nil {
		return nil, err
	}
	defer f.Close()
	//lint:ignore SA1019 what go list -export names is an archive up to Go 1.27, and it reads what comes later, too
	r, err := gcexportdata.NewReader(f)
	if err != nil {
		return nil, err
	}
	return gcexportdata.Read(r, t.cfg.Fset, t.exported, imp.PkgPath)
}
