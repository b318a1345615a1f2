package load

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"runtime"
	"strconv"

	"golang.org/x/tools/go/packages"
)

// Runtime is package runtime as the go command would compile it with the flags of cfg.
func Runtime(cfg Config) (*types.Package, error) {
	pkgs, err := packages.Load(&packages.Config{
		Mode:       packages.NeedName | packages.NeedTypes,
		Context:    cfg.Context,
		Dir:        cfg.Dir,
		Env:        cfg.Env,
		BuildFlags: cfg.BuildFlags,
	}, "runtime")
	switch {
	case err != nil:
		return nil, fmt.Errorf("instrument: load runtime: %w", err)
	case len(pkgs) != 1 || pkgs[0].Types == nil || len(pkgs[0].Errors) > 0:
		return nil, fmt.Errorf("instrument: load runtime: it has no types")
	}
	return pkgs[0].Types, nil
}

// Compiles type-checks p with the new texts that some of its files have. of is package runtime, for
// what p does not import itself. The error is the first one that the compiler would have, too. If the
// new texts import more than p does, directly or not as far as that is known here, there is none.
func (p *Package) Compiles(texts map[string][]byte, of *types.Package) error {
	fset := token.NewFileSet()
	var files []*ast.File
	for _, f := range p.Files {
		text, changed := texts[f.Name]
		if !changed {
			text = f.Bytes
		}
		file, err := parser.ParseFile(fset, f.Name, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files = append(files, file)
	}
	known := p.importer(of)
	for _, file := range files {
		for _, spec := range file.Imports {
			if path, err := strconv.Unquote(spec.Path.Value); err == nil && known[path] == nil {
				return nil
			}
		}
	}
	conf := types.Config{
		GoVersion: p.Types.GoVersion(),
		Importer:  known,
		Sizes:     types.SizesFor("gc", runtime.GOARCH),
	}
	_, err := conf.Check(p.Path, fset, files, nil)
	return err
}

// importer has the packages that p imports, directly or not, as they were type-checked.
type importer map[string]*types.Package

func (i importer) Import(path string) (*types.Package, error) {
	if p := i[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("no package %s", path)
}

func (p *Package) importer(of *types.Package) importer {
	known := importer{"unsafe": types.Unsafe}
	var visit func(imports []*types.Package)
	visit = func(imports []*types.Package) {
		for _, q := range imports {
			if known[q.Path()] == nil {
				known[q.Path()] = q
				visit(q.Imports())
			}
		}
	}
	known[of.Path()] = of
	for _, f := range p.Files { // by the paths in the source, which may be those of vendored packages
		for _, spec := range f.Syntax.Imports {
			name, _ := p.Info.Implicits[spec].(*types.PkgName)
			if spec.Name != nil {
				name, _ = p.Info.Defs[spec.Name].(*types.PkgName)
			}
			if path, err := strconv.Unquote(spec.Path.Value); err == nil && name != nil {
				known[path] = name.Imported()
			}
		}
	}
	visit(p.Types.Imports())
	return known
}
