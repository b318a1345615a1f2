package gotestplugin

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"strings"

	"github.com/racepred/racepred/internal/library"
)

// The compiler turns calls of sync/atomic's functions into single
// instructions, which the recorder never sees; (G4) makes them calls. The
// methods of atomic.Int32 and the like are ordinary code and need nothing. Rewritten code calls
// twins of the functions (instrument/D3), but for those that are left in it.
//
// What is left as it is:
//
// (O1) the runtime, and sync/atomic itself;
// (O2) sync and internal/sync: they call the race detector's hooks themselves
// for what they synchronize, and a second, unconditional edge from the state word of
// a mutex would order critical sections that predictors may reorder.
//
// (O3) A generic function is compiled by the packages that use it, so for a
// call in one, all packages that import the function's package, directly or
// not, count as callers.

// underRuntime reports whether path belongs to (O1) or (O2).
func underRuntime(path string) bool {
	return library.OfPackage(path).Runtime
}

// atomicCallers are the paths of the packages of the graph in which a function
// of package sync/atomic is mentioned. Files that do not parse count as without: the compiler
// reports what is wrong with them. rewritten are the files with the text of those that are
// rewritten.
func atomicCallers(gr *graph, rewritten map[string]string) map[string]bool {
	callers := map[string]bool{}
	generic := map[string]bool{} // (O3)
	for _, p := range gr.packages {
		path := p.flagsPath()
		if underRuntime(path) {
			continue
		}
		for _, file := range p.files() {
			if text, ok := rewritten[file]; ok {
				file = text
			}
			use := gr.atomicsIn(file)
			callers[path] = callers[path] || use.calls
			generic[path] = generic[path] || use.generic
		}
		for _, imp := range p.Imports { // dependencies come first in the graph
			if mapped, ok := p.ImportMap[imp]; ok {
				imp = mapped
			}
			imp, _, _ = strings.Cut(imp, " ")
			if generic[imp] {
				callers[path], generic[path] = true, true
			}
		}
	}
	maps.DeleteFunc(callers, func(_ string, calls bool) bool { return !calls })
	return callers
}

// atomicUse is what callsAtomics says of a file.
type atomicUse struct{ calls, generic bool }

// atomicsIn is what callsAtomics says of a file. Test variants share files, and the flags are asked
// for twice.
func (gr *graph) atomicsIn(file string) atomicUse {
	use, ok := gr.atomics[file]
	if !ok {
		if src, err := gr.read(file); err == nil {
			use.calls, use.generic = callsAtomics(src)
		}
		if gr.atomics == nil {
			gr.atomics = map[string]atomicUse{}
		}
		gr.atomics[file] = use
	}
	return use
}

// callsAtomics reports whether a file mentions a function of sync/atomic, and
// whether a generic function in it does.
func callsAtomics(src []byte) (calls, generic bool) {
	if !bytes.Contains(src, []byte(`"sync/atomic"`)) && !bytes.Contains(src, []byte("`sync/atomic`")) {
		return false, false
	}
	file, err := parser.ParseFile(token.NewFileSet(), "", src, parser.SkipObjectResolution)
	if err != nil {
		return false, false
	}
	names, dot := atomicNames(file)
	for _, decl := range file.Decls {
		if mentionsAtomics(decl, names, dot) {
			calls = true
			generic = generic || isGeneric(decl)
		}
	}
	return calls, generic
}

func mentionsAtomics(decl ast.Decl, names map[string]bool, dot bool) bool {
	found := false
	ast.Inspect(decl, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			x, ok := n.X.(*ast.Ident)
			found = found || ok && names[x.Name] && isAtomicFunc(n.Sel.Name)
		case *ast.Ident:
			found = found || dot && isAtomicFunc(n.Name)
		}
		return !found
	})
	return found
}

// isGeneric reports whether decl is a function with type parameters, its own
// or its receiver's.
func isGeneric(decl ast.Decl) bool {
	fn, ok := decl.(*ast.FuncDecl)
	if !ok {
		return false
	}
	if fn.Recv == nil {
		return fn.Type.TypeParams != nil
	}
	generic := false
	ast.Inspect(fn.Recv, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.IndexExpr, *ast.IndexListExpr:
			generic = true
		}
		return !generic
	})
	return generic
}

// atomicNames are the names a file knows sync/atomic by; dot tells whether it
// is imported into the file's own scope.
func atomicNames(file *ast.File) (names map[string]bool, dot bool) {
	names = map[string]bool{}
	for _, imp := range file.Imports {
		if strings.Trim(imp.Path.Value, "\"`") != "sync/atomic" {
			continue
		}
		switch {
		case imp.Name == nil:
			names["atomic"] = true
		case imp.Name.Name == ".":
			dot = true
		default:
			names[imp.Name.Name] = true
		}
	}
	return names, dot
}

// isAtomicFunc reports whether name is a function of sync/atomic, and not a type.
func isAtomicFunc(name string) bool {
	for _, op := range [...]string{"Add", "And", "Or", "CompareAndSwap", "Load", "Store", "Swap"} {
		operand, ok := strings.CutPrefix(name, op)
		if !ok {
			continue
		}
		switch operand {
		case "Int32", "Int64", "Uint32", "Uint64", "Uintptr", "Pointer":
			return true
		}
	}
	return false
}
