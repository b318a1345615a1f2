package library

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
)

// A walk goes over the body of a function and the bodies of all functions that it may run, by name:
// a function that a body mentions may be run. Functions among the arguments do not count.
type walk struct {
	tc   *toolchain
	seen map[*types.Func]bool

	// enter says whether to go on into a function that is mentioned; an error ends the walk.
	enter func(fn *types.Func) (bool, error)
	// bodiless judges a function that is assembly, or linked from elsewhere; nil takes what enter
	// said.
	bodiless func(fn *types.Func) error
	// node looks at each node of a body.
	node func(info *types.Info, n ast.Node) error
}

func (w *walk) from(fn *types.Func) error {
	w.seen = map[*types.Func]bool{}
	return w.visit(fn)
}

func (w *walk) visit(fn *types.Func) (err error) {
	fn = fn.Origin()
	if w.seen[fn] {
		return nil
	}
	w.seen[fn] = true
	decl, info := w.tc.decls[fn], w.tc.infos[fn]
	if decl == nil || decl.Body == nil {
		if w.bodiless == nil {
			return nil // enter was asked
		}
		return w.bodiless(fn)
	}
	params := map[types.Object]bool{}
	ast.Inspect(decl, func(n ast.Node) bool {
		if f, ok := n.(*ast.FuncType); ok {
			for _, field := range f.Params.List {
				for _, name := range field.Names {
					params[info.Defs[name]] = true
				}
			}
		}
		return true
	})
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		if err != nil || n == nil {
			return false
		}
		switch n := n.(type) {
		case *ast.CallExpr:
			err = w.dynamic(info, n, params)
		case *ast.Ident:
			callee, ok := info.Uses[n].(*types.Func)
			if !ok {
				break
			}
			var on bool
			if on, err = w.enter(callee.Origin()); err == nil && on {
				err = w.visit(callee)
			}
		}
		if err == nil && w.node != nil {
			err = w.node(info, n)
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", fn.FullName(), err)
		}
		return err == nil
	})
	return err
}

// implementations visits all methods of a package that have the name of an interface's method.
func (w *walk) implementations(fn *types.Func) error {
	for m := range w.tc.decls {
		if m.Name() == fn.Name() && m.Pkg() == fn.Pkg() && m.Signature().Recv() != nil && !types.IsInterface(m.Signature().Recv().Type()) {
			on, err := w.enter(m)
			if err == nil && on {
				err = w.visit(m)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// dynamic is an error if a call runs a function value that is neither in a parameter nor in a local
// variable.
func (w *walk) dynamic(info *types.Info, call *ast.CallExpr, params map[types.Object]bool) error {
	if tv := info.Types[call.Fun]; tv.IsType() || tv.IsBuiltin() {
		return nil
	}
	fun := ast.Unparen(call.Fun)
	switch f := fun.(type) {
	case *ast.IndexExpr:
		fun = ast.Unparen(f.X)
	case *ast.IndexListExpr:
		fun = ast.Unparen(f.X)
	}
	switch f := fun.(type) {
	case *ast.FuncLit:
		return nil
	case *ast.Ident:
		obj := info.Uses[f]
		if v, ok := obj.(*types.Var); ok && !params[obj] && v.Parent() == v.Pkg().Scope() {
			return fmt.Errorf("calls what package variable %s holds", f.Name)
		}
		return nil
	case *ast.SelectorExpr:
		if _, ok := info.Uses[f.Sel].(*types.Func); ok {
			return nil
		}
		return fmt.Errorf("calls what %s holds", f.Sel.Name)
	}
	return nil
}

// ofInterface is the interface that a method is one of, nil if it is not abstract; unnamed says
// that the interface has no name.
func ofInterface(fn *types.Func) (t *types.TypeName, abstract bool) {
	recv := fn.Signature().Recv()
	if recv == nil || !types.IsInterface(recv.Type()) {
		return nil, false
	}
	if named, ok := types.Unalias(recv.Type()).(*types.Named); ok {
		return named.Obj(), true
	}
	return nil, true
}

// known says whether the methods of an interface are the library's own, whatever implements it: an
// unexported interface, error, or one with a contract.
func known(t *types.TypeName) bool {
	return t != nil && (t.Pkg() == nil || !t.Exported() || OfType(t.Pkg().Path(), t.Name())&SafeMethods != 0)
}

// communicates is an error for a node that synchronizes by itself.
func communicates(info *types.Info, n ast.Node) error {
	switch n := n.(type) {
	case *ast.SendStmt, *ast.SelectStmt, *ast.GoStmt:
		return fmt.Errorf("%T", n)
	case *ast.UnaryExpr:
		if n.Op == token.ARROW {
			return fmt.Errorf("receives")
		}
	case *ast.RangeStmt:
		if _, ok := info.TypeOf(n.X).Underlying().(*types.Chan); ok {
			return fmt.Errorf("receives")
		}
	case *ast.CallExpr:
		if id, ok := ast.Unparen(n.Fun).(*ast.Ident); ok && info.Types[n.Fun].IsBuiltin() && id.Name == "close" {
			return fmt.Errorf("closes")
		}
	}
	return nil
}
