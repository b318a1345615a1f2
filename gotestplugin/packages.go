package gotestplugin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
)

// goPackage is one package of the build, as go list names it. Test variants
// ("p [p.test]", "p_test [p.test]") are packages of their own.
type goPackage struct {
	ImportPath string
	Name       string
	Dir        string
	ForTest    string
	Standard   bool
	DepOnly    bool
	GoFiles    []string
	CgoFiles   []string

	IgnoredGoFiles []string // by their constraints
	EmbedFiles     []string // below Dir; those of tests are in the packages that are built for the tests
	Imports        []string
	ImportMap      map[string]string
	Module         *goModule
	Error          *struct{}
	DepsErrors     []struct{}

	TestGoFiles, XTestGoFiles []string
}

// goModule is the module of a package. If it is replaced, Dir and GoMod are of what replaces it.
type goModule struct {
	Path, Version string
	Dir, GoMod    string // GoMod may be elsewhere; with a vendor directory there is neither
	Main          bool
	GoVersion     string
}

// listFields names the fields above for go list.
const listFields = "-json=ImportPath,Name,Dir,ForTest,Standard,DepOnly,GoFiles,CgoFiles,IgnoredGoFiles,EmbedFiles,Imports,ImportMap,Module,Error,DepsErrors,TestGoFiles,XTestGoFiles"

// flagsPath is the import path -gcflags patterns are matched against: the
// variant of a package built for a test, its external test package and the
// generated main package all go by the package's own path.
func (p *goPackage) flagsPath() string {
	path, _, variant := strings.Cut(p.ImportPath, " ")
	if variant && path == p.ForTest+"_test" {
		return p.ForTest
	}
	return path
}

// isTestMain reports whether p is the generated main package of a test binary.
func (p *goPackage) isTestMain() bool {
	return p.Name == "main" && strings.HasSuffix(p.ImportPath, ".test") && p.ForTest == ""
}

// inMain reports whether p is a package of the main module, or of a module of the workspace.
func (p *goPackage) inMain() bool { return p.Module != nil && p.Module.Main }

// files are the paths of the Go files that are compiled into p.
func (p *goPackage) files() []string {
	var out []string
	for _, list := range [][]string{p.GoFiles, p.CgoFiles} {
		for _, f := range list {
			if !filepath.IsAbs(f) {
				f = filepath.Join(p.Dir, f)
			}
			out = append(out, f)
		}
	}
	return out
}

// graph has the packages that are linked into the test binaries of one run.
type graph struct {
	packages  []*goPackage         // dependencies first
	named     []*goPackage         // those that match the patterns, no test variants
	own       []*goPackage         // the named ones, and those of the main modules that they need
	auto      map[string]bool      // dependencies among own that nobody named (Y2)
	links     links                // of dependencies
	underRace map[string]string    // files of dependencies that are compiled as under -race (Y4), and what is in their place
	overlay   map[string]string    // the user's -overlay: absolute path -> file that stands in for it
	turned    map[string]bool      // files that only -tags race replaces
	atomics   map[string]atomicUse // of the files that atomicsIn was asked about
}

// list resolves the patterns. Packages that cannot be loaded are in the graph
// with their Error: go test itself says what is wrong with them.
func (g goCommand) list(ctx context.Context, load, patterns []string) (*graph, error) {
	args := append([]string{"list", "-e", "-deps", "-test", listFields}, load...)
	args = append(append(args, "--"), patterns...)
	out, stderr, err := g.output(ctx, args...)
	if err != nil {
		if len(stderr) > 0 {
			return nil, goFailed{stderr, err}
		}
		return nil, fmt.Errorf("go list: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(out))
	gr := &graph{}
	for {
		p := &goPackage{}
		if err := d.Decode(p); errors.Is(err, io.EOF) {
			gr.own = append(gr.own, gr.variantsOnly()...)
			gr.own = gr.buildable()
			return gr, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		if p.isTestMain() {
			continue
		}
		gr.packages = append(gr.packages, p)
		if !p.DepOnly && p.ForTest == "" {
			gr.named = append(gr.named, p)
		}
		if p.ForTest == "" && (!p.DepOnly || p.inMain()) {
			gr.own = append(gr.own, p)
		}
	}
}

// buildable are the own packages that a named one needs whose imports were all found. go test
// builds no others, and loading one of those would search the missing imports again, over the
// network.
func (gr *graph) buildable() []*goPackage {
	paths, all := gr.loadable()
	if all {
		return gr.own
	}
	needed, built := map[string]bool{}, map[string]bool{}
	for _, p := range slices.Backward(gr.packages) { // those that import it come after it
		if !p.DepOnly && slices.Contains(paths, p.flagsPath()) || needed[p.ImportPath] {
			built[p.flagsPath()] = true
			for _, imp := range p.Imports {
				if mapped, ok := p.ImportMap[imp]; ok {
					imp = mapped
				}
				needed[imp] = true
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(gr.own), func(p *goPackage) bool { return !built[p.ImportPath] })
}

// variantsOnly are the packages of the main modules that are only built as a variant for the tests
// of a package that they import: a helper that an external test of p imports, and that itself
// imports p, is listed as "helper [p.test]" alone.
func (gr *graph) variantsOnly() (packages []*goPackage) {
	known := map[string]bool{}
	for _, p := range gr.own {
		known[p.ImportPath] = true
	}
	for _, p := range gr.packages {
		path := p.flagsPath()
		if p.ForTest == "" || known[path] || !p.inMain() {
			continue
		}
		known[path] = true
		itself := *p
		itself.ImportPath, itself.ForTest = path, ""
		packages = append(packages, &itself)
	}
	return packages
}

// testable reports whether there is at least one package go test could build.
func (gr *graph) testable() bool {
	paths, _ := gr.loadable()
	return slices.ContainsFunc(gr.named, func(p *goPackage) bool { return p.Dir != "" && slices.Contains(paths, p.ImportPath) })
}

// loadable are the import paths of the named packages all of whose imports, and their tests'
// imports, were found; all reports whether that is every one.
func (gr *graph) loadable() (paths []string, all bool) {
	bad := map[string]bool{}
	for _, p := range gr.packages {
		if p.Error != nil || len(p.DepsErrors) > 0 {
			bad[p.flagsPath()] = true
		}
	}
	for _, p := range gr.named {
		if !bad[p.ImportPath] {
			paths = append(paths, p.ImportPath)
		}
	}
	return paths, len(paths) == len(gr.named)
}

// noneBuilds reports whether no named package with tests can be built: each of them, or its tests,
// is in broken, the packages that do not compile, or imports one of these.
func (gr *graph) noneBuilds(broken map[string]bool) bool {
	fails := map[string]bool{} // by ImportPath: dependencies come first
	tests := map[string]bool{} // by flagsPath
	for _, p := range gr.packages {
		path, _, _ := strings.Cut(p.ImportPath, " ")
		fails[p.ImportPath] = broken[path] || p.Error != nil || len(p.DepsErrors) > 0 || slices.ContainsFunc(p.Imports, func(imp string) bool {
			if mapped, ok := p.ImportMap[imp]; ok {
				imp = mapped
			}
			return fails[imp]
		})
		if fails[p.ImportPath] && !p.DepOnly {
			tests[p.flagsPath()] = true
		}
	}
	some := false
	for _, p := range gr.named {
		if len(p.TestGoFiles)+len(p.XTestGoFiles) == 0 {
			continue
		}
		if !tests[p.ImportPath] {
			return false
		}
		some = true
	}
	return some
}

// byDir maps the directories of the named packages to their import paths.
func (gr *graph) byDir() map[string]string {
	m := map[string]string{}
	for _, p := range gr.named {
		m[p.Dir] = p.ImportPath
	}
	return m
}

// fromFiles reports whether the command line names files, which make up a package.
func (gr *graph) fromFiles() bool {
	return len(gr.named) == 1 && gr.named[0].ImportPath == "command-line-arguments"
}

// owner is the package of ours whose tests path belongs to: itself, or the
// package an external test package tests.
func (gr *graph) owner(path string) string {
	base := strings.TrimSuffix(path, "_test")
	owner := path
	for _, p := range gr.own {
		switch p.ImportPath {
		case path:
			return path
		case base:
			owner = base
		}
	}
	return owner
}

// tested is the named package whose tests have the import path, which external tests have for
// themselves; "" if it is none.
func (gr *graph) tested(path string) string {
	for _, p := range gr.named {
		if p.ImportPath == path || p.ImportPath+"_test" == path {
			return p.ImportPath
		}
	}
	return ""
}
