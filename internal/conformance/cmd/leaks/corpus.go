package main

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// corpus is one directory of programs that are linked into one binary.
type corpus struct {
	dir     string
	kernels []kernel
	binary  string
}

// kernel is one program.
type kernel struct {
	name  string
	leaks []*regexp.Regexp // of a goroutine's outermost function and its wait reason: "f() [chan send]"
	flaky bool             // which of them are there depends on the schedule
}

// read finds the programs, and what the toolchain's test expects of each, in GOROOT.
func read(ctx context.Context) ([]corpus, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOROOT: %w", err)
	}
	src := filepath.Join(strings.TrimSpace(string(out)), "src", "runtime")
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(src, "goroutineleakprofile_test.go"), nil, 0)
	if err != nil {
		return nil, fmt.Errorf("the toolchain has no such programs; Go 1.26 has: %w", err)
	}
	small := corpus{dir: filepath.Join(src, "testdata", "testgoroutineleakprofile")}
	goker := corpus{dir: filepath.Join(small.dir, "goker")}
	var bad error
	ast.Inspect(file, func(n ast.Node) bool {
		list, of := listOf(n)
		to := &small
		if list == "gokerTestCases" {
			to = &goker
		}
		for _, e := range of {
			k, ok, err := expected(e)
			if err != nil {
				bad = err
			}
			if ok {
				to.kernels = append(to.kernels, k)
			}
		}
		return true
	})
	if bad == nil && (len(small.kernels) == 0 || len(goker.kernels) == 0) {
		bad = fmt.Errorf("%s: the lists of programs are not where they were", src)
	}
	return []corpus{small, goker}, bad
}

// listOf is the name and the elements of a list in an assignment.
func listOf(n ast.Node) (string, []ast.Expr) {
	a, ok := n.(*ast.AssignStmt)
	if !ok || len(a.Lhs) != 1 || len(a.Rhs) != 1 {
		return "", nil
	}
	name, isName := a.Lhs[0].(*ast.Ident)
	list, isList := a.Rhs[0].(*ast.CompositeLit)
	if !isName || !isList {
		return "", nil
	}
	return name.Name, list.Elts
}

// expected reads a call makeTest(name, patterns...) or makeFlakyTest.
func expected(e ast.Expr) (k kernel, ok bool, err error) {
	call, isCall := e.(*ast.CallExpr)
	if !isCall {
		return k, false, nil
	}
	fn, isName := call.Fun.(*ast.Ident)
	if !isName || fn.Name != "makeTest" && fn.Name != "makeFlakyTest" {
		return k, false, nil
	}
	k.flaky = fn.Name == "makeFlakyTest"
	for i, arg := range call.Args {
		lit, isLit := arg.(*ast.BasicLit)
		if !isLit {
			return k, false, fmt.Errorf("%s: its arguments are no literals any more", fn.Name)
		}
		s, err := strconv.Unquote(lit.Value)
		if err != nil {
			return k, false, err
		}
		if i == 0 {
			k.name = s
			continue
		}
		re, err := regexp.Compile(s)
		if err != nil {
			return k, false, err
		}
		k.leaks = append(k.leaks, re)
	}
	return k, true, nil
}
