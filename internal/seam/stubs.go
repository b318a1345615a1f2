package seam

import (
	"fmt"
	"go/token"
	"strings"

	"github.com/dave/dst"
	"github.com/dave/dst/decorator"
)

// race0 turns the toolchain's runtime/race0.go into the seam: raceenabled is true, a function for
// which the recorder has a hook (hooks names the rpHook_ functions) calls the hook, and others do
// nothing. The signatures stay those of the toolchain, so this works from version to version.
func race0(src []byte, hooks map[string]bool) ([]byte, error) {
	tree, err := decorator.Parse(src)
	if err != nil {
		return nil, err
	}
	enabled := false
	for _, d := range tree.Decls {
		switch d := d.(type) {
		case *dst.GenDecl:
			for _, s := range d.Specs {
				if v, ok := s.(*dst.ValueSpec); ok && d.Tok == token.CONST && len(v.Names) == 1 && v.Names[0].Name == "raceenabled" {
					v.Values = []dst.Expr{dst.NewIdent("true")}
					enabled = true
				}
			}
		case *dst.FuncDecl:
			stub(d, hooks)
		}
	}
	if !enabled {
		return nil, fmt.Errorf("runtime/race0.go of this toolchain does not declare raceenabled")
	}
	var b strings.Builder
	if err := decorator.Fprint(&b, tree); err != nil {
		return nil, err
	}
	return []byte(b.String()), nil
}

// stub gives fn the body `return rpHook_NAME(params)`, or one that returns zeros.
func stub(fn *dst.FuncDecl, hooks map[string]bool) {
	void := fn.Type.Results == nil || len(fn.Type.Results.List) == 0
	var body []dst.Stmt
	if hooks[fn.Name.Name] {
		call := &dst.CallExpr{Fun: dst.NewIdent("rpHook_" + fn.Name.Name)}
		for _, f := range fn.Type.Params.List {
			for _, n := range f.Names {
				call.Args = append(call.Args, dst.NewIdent(n.Name))
			}
		}
		if void {
			body = []dst.Stmt{&dst.ExprStmt{X: call}}
		} else {
			body = []dst.Stmt{&dst.ReturnStmt{Results: []dst.Expr{call}}}
		}
	} else if !void {
		var zeros []dst.Expr
		for _, f := range fn.Type.Results.List {
			for range max(1, len(f.Names)) {
				zeros = append(zeros, &dst.BasicLit{Kind: token.INT, Value: "0"})
			}
		}
		body = []dst.Stmt{&dst.ReturnStmt{Results: zeros}}
	}
	fn.Body = &dst.BlockStmt{List: body}
}
