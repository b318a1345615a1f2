package main

import (
	"go/token"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/racepred/racepred/instrument"
)

// explainer finds the reason why the compiler sees an access of a class of memory at a line where
// rewritten code records none of that class. The first two reasons follow from the address, the
// others from the source of the line:
//
//	constant data    a read of read-only memory: constants, descriptors of types, tables of methods, what
//	                 generic code looks up of its type arguments, the zero value for a missing map element
//	runtime's own    a read of what the runtime allocates for itself: tables of methods made at run time
//	new variable     a write of an object: the first value of a variable, before anybody else can know it: a declaration, a
//	                 parameter, what a range or a type switch declares, a composite literal, a result
//	map element      an access of an object: the runtime records the map
//	read of results  of an object: a return loads shared results once more
//	boxed value      the value in an interface, which nobody can change: type switches and assertions, method
//	                 calls and comparisons of interfaces
//	text             the bytes of a string, which never change: comparisons and switches, indexes, ranges, over []byte(s), too
//	large variable   a read of an object: a local variable that is too large for the stack (ir.MaxStackVarSize of cmd/compile), which
//	                 so lies on the heap although nobody else has its address; those whose address is taken are recorded
//	other line       the same kind of access is recorded at another line of the same statement
//	by chance        a line that only one of two runs with the compiler's instrumentation came to, and none of three rewritten
//	unrecorded       a miss, announced as opaque and counted among the uncovered
//	initializer      the first value of a package variable
//	wrapper          made up by the compiler, at the line of a type or an embedded field
type explainer struct {
	lines  map[string]map[int]*facts
	have   map[at]bool
	misses map[at]bool
	text   map[string][]string
}

func newExplainer(dir string, patterns []string, res *instrument.Result, have map[at]bool) (*explainer, error) {
	ex := &explainer{lines: map[string]map[int]*facts{}, have: have, misses: map[at]bool{}, text: map[string][]string{}}
	for _, p := range res.Packages {
		for _, m := range p.Misses {
			ex.misses[at{file: m.File, line: m.Line}] = true
		}
	}
	fset := token.NewFileSet()
	pkgs, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedTypes |
			packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedModule | packages.NeedForTest,
		Dir: dir, Tests: true, Fset: fset,
	}, patterns...)
	if err != nil {
		return nil, err
	}
	for _, p := range pkgs {
		for _, f := range p.Syntax {
			name := fset.File(f.FileStart).Name()
			if ex.lines[name] == nil {
				ex.lines[name] = map[int]*facts{}
				ex.file(fset, p.TypesInfo, f, ex.lines[name])
			}
		}
	}
	return ex, nil
}

// explain names the reason, "" if there is none.
func (ex *explainer) explain(a at) string {
	if ex.misses[at{file: a.file, line: a.line}] {
		return "unrecorded"
	}
	if a.kind == "read" {
		switch a.class {
		case "constant":
			return "constant data"
		case "other":
			return "runtime's own"
		}
	}
	f := ex.lines[a.file][a.line]
	if a.line == 1 {
		return "wrapper"
	}
	if f == nil {
		return ""
	}
	switch object := a.class == "object"; {
	case f.initializer:
		return "initializer"
	case object && a.kind == "write" && f.declares:
		return "new variable"
	case object && f.mapElement:
		return "map element"
	case object && a.kind == "read" && f.results:
		return "read of results"
	case a.kind == "read" && f.boxed:
		return "boxed value"
	case object && a.kind == "read" && f.text:
		return "text"
	case f.wrapper:
		return "wrapper"
	case object && a.kind == "read" && f.large:
		return "large variable"
	}
	for _, s := range f.stmts {
		for l := s[0]; l <= s[1]; l++ {
			if ex.have[at{a.file, l, a.kind, a.class}] {
				return "other line"
			}
		}
	}
	return ""
}

// source is the line of an access.
func (ex *explainer) source(a at) string {
	if ex.text[a.file] == nil {
		ex.text[a.file] = strings.Split(readFile(a.file), "\n")
	}
	if lines := ex.text[a.file]; a.line >= 1 && a.line <= len(lines) {
		return lines[a.line-1]
	}
	return ""
}
