package guardedby

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// wrap takes the lock at the beginning of the function that an access is in, and gives it back at
// its end. It is safe, and so suggested, for a function that
//
//   - is always called without the lock,
//   - calls nothing, starts nothing and waits for nothing, so that nothing in it takes the lock or
//     another one, and
//   - names what the lock belongs to by its receiver, a parameter, or a package variable.
func (v *variable) wrap(pass *analysis.Pass, g *guard, s *site) []analysis.SuggestedFix {
	d, ok := s.Instr.Parent().Syntax().(*ast.FuncDecl)
	if !ok || d.Body == nil || !simple(pass.TypesInfo, d) {
		return nil
	}
	for _, o := range v.order {
		if o.Instr.Parent() != s.Instr.Parent() {
			continue
		}
		for _, u := range o.uses {
			if _, may := u.State.Has(g.class, false); may {
				return nil
			}
		}
	}
	lock, t := v.lock(pass, g, d, s)
	if lock == "" {
		return nil
	}
	take, give := ".Lock()", ".Unlock()"
	if obj, _, _ := types.LookupFieldOrMethod(t, true, pass.Pkg, "RLock"); obj != nil && !assigns(d) {
		take, give = ".RLock()", ".RUnlock()"
	}
	pos := d.Body.Lbrace + 1
	text := "\n\t" + lock + take + "\n\tdefer " + lock + give
	if pass.Fset.Position(d.Body.Lbrace).Line == pass.Fset.Position(d.Body.Rbrace).Line {
		text += "\n\t"
	}
	return []analysis.SuggestedFix{{Message: "Hold " + lock + " in " + d.Name.Name, TextEdits: []analysis.TextEdit{{Pos: pos, End: pos, NewText: []byte(text)}}}}
}

// lock is the name of the lock in the function, and its type; "" if it has no name there.
func (v *variable) lock(pass *analysis.Pass, g *guard, d *ast.FuncDecl, s *site) (string, types.Type) {
	name, ok := strings.CutPrefix(g.class, v.owner)
	if !ok || !token.IsIdentifier(name) || v.obj.Pkg() != pass.Pkg {
		return "", nil
	}
	f, isVar := v.obj.(*types.Var)
	if !isVar || !f.IsField() {
		obj := pass.Pkg.Scope().Lookup(name)
		if obj == nil || pass.TypesInfo.Scopes[d.Type] == nil {
			return "", nil
		}
		if _, seen := pass.TypesInfo.Scopes[d.Type].LookupParent(name, d.Body.Lbrace+1); seen != obj { // a parameter of the name
			return "", nil
		}
		return name, types.NewPointer(obj.Type())
	}
	var of *ast.Ident
	ast.Inspect(d.Body, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok && sel.Sel.Pos() == s.Pos {
			of, _ = sel.X.(*ast.Ident)
		}
		return true
	})
	if of == nil {
		return "", nil
	}
	param, ok := pass.TypesInfo.Uses[of].(*types.Var)
	if !ok || param.Pos() < d.Pos() || d.Body.Pos() <= param.Pos() { // neither receiver nor parameter
		return "", nil
	}
	ptr, ok := param.Type().Underlying().(*types.Pointer)
	if !ok {
		return "", nil
	}
	obj, _, _ := types.LookupFieldOrMethod(ptr.Elem(), true, pass.Pkg, name)
	if obj == nil {
		return "", nil
	}
	return of.Name + "." + name, types.NewPointer(obj.Type())
}

// simple reports whether a function calls nothing but builtin functions and conversions, and
// neither starts, defers nor waits for anything.
func simple(info *types.Info, d *ast.FuncDecl) bool {
	ok := true
	ast.Inspect(d.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if tv := info.Types[n.Fun]; !tv.IsBuiltin() && !tv.IsType() {
				ok = false
			}
		case *ast.FuncLit, *ast.GoStmt, *ast.DeferStmt, *ast.SendStmt, *ast.SelectStmt, *ast.LabeledStmt:
			ok = false
		case *ast.UnaryExpr:
			ok = ok && n.Op != token.ARROW
		case *ast.RangeStmt:
			switch info.TypeOf(n.X).Underlying().(type) {
			case *types.Chan, *types.Signature:
				ok = false
			}
		}
		return ok
	})
	return ok
}

// assigns reports whether a function assigns to anything, or calls a builtin function that may
// change its argument.
func assigns(d *ast.FuncDecl) (found bool) {
	ast.Inspect(d.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IncDecStmt:
			found = true
		case *ast.AssignStmt:
			found = found || n.Tok != token.DEFINE
		case *ast.RangeStmt:
			found = found || n.Tok == token.ASSIGN
		case *ast.CallExpr:
			id, ok := n.Fun.(*ast.Ident)
			found = found || ok && (id.Name == "delete" || id.Name == "clear" || id.Name == "copy" || id.Name == "append")
		}
		return true
	})
	return found
}

// fixes has the functions and locks for which there is a fix already: a second one would be the
// same.
type fixes map[string]bool

func (all fixes) add(f *finding, g *guard, s *site, made []analysis.SuggestedFix) {
	key := s.Instr.Parent().String() + " " + g.class
	if made != nil && !all[key] {
		all[key] = true
		f.fixes = made
	}
}
