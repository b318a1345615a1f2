package calls

import (
	"go/ast"
	"go/types"

	"github.com/racepred/racepred/instrument/internal/gotypes"
	"github.com/racepred/racepred/instrument/internal/local"
	"github.com/racepred/racepred/internal/library"
	"github.com/racepred/racepred/internal/typeset"
)

// givenAway reports whether a call of fn, which is harmless by itself, may run unrecorded code: a
// function value that it is given now, or one that its receiver was made of before.
// (instrument/O12)
func (j *Judge) givenAway(e *ast.CallExpr, fn *types.Func, locals *local.Locals) bool {
	if fn.Pkg() == nil || fn.Pkg() == j.Pkg || j.OwnCode(fn.Pkg().Path()) {
		return false
	}
	facts := gotypes.FactsOf(fn)
	if facts.Is(library.FromPool) && (j.madeOf().pool || !j.ownPool(e)) {
		return true
	}
	if facts.Is(library.OfSource) && j.madeOf().rand {
		return true
	}
	if facts.Is(library.Later) { // as (instrument/O6)
		return false
	}
	for _, arg := range e.Args {
		if !j.knownArg(arg, locals) {
			return true
		}
	}
	return false
}

// knownArg reports whether an argument is not a function, or a function of recorded code.
func (j *Judge) knownArg(arg ast.Expr, locals *local.Locals) bool {
	t := j.Info.TypeOf(arg)
	if tuple, ok := t.(*types.Tuple); ok {
		for v := range tuple.Variables() {
			if typeset.IsFunc(v.Type()) {
				return false
			}
		}
		return true
	}
	if !typeset.IsFunc(t) {
		return true
	}
	if v, ok := j.Info.Uses[gotypes.IdentOf(arg)].(*types.Var); ok && locals.OnlyLiterals(v) {
		return true
	}
	return j.knownFunc(arg)
}

// knownFunc reports whether the code of a function value is recorded for certain.
func (j *Judge) knownFunc(e ast.Expr) bool {
	e = ast.Unparen(e)
	if j.Info.Types[e].IsNil() {
		return true
	}
	switch e := e.(type) {
	case *ast.FuncLit:
		return true
	case *ast.CallExpr: // a conversion
		return len(e.Args) == 1 && j.Info.Types[e.Fun].IsType() && j.knownFunc(e.Args[0])
	}
	fn := gotypes.StaticCallee(j.Info, &ast.CallExpr{Fun: e})
	return fn != nil && !j.OpaqueFunc(fn)
}

// ownPool reports whether Get is called of a pool that only this package can set, a variable or a
// field: then all that fills it is known.
func (j *Judge) ownPool(e *ast.CallExpr) bool {
	sel, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	var obj types.Object
	switch x := ast.Unparen(sel.X).(type) {
	case *ast.Ident:
		obj = j.Info.Uses[x]
	case *ast.SelectorExpr:
		obj = j.Info.Uses[x.Sel]
	}
	return obj != nil && obj.Pkg() == j.Pkg && !obj.Exported() && gotypes.FactsOfType(obj.Type())&library.Made != 0
}

// makings says which values of the library the package makes of code that may not be recorded.
type makings struct {
	pool bool // a sync.Pool of a New that may not be recorded
	rand bool // a rand.Rand of a source that is not the library's
}

// madeOf finds the makings of the package. It looks through the package once.
func (j *Judge) madeOf() *makings {
	if j.makings != nil {
		return j.makings
	}
	m := &makings{}
	j.makings = m
	for e := range j.Info.Types {
		switch e := e.(type) {
		case *ast.CompositeLit:
			if gotypes.FactsOfType(j.Info.TypeOf(e))&library.Made == 0 {
				continue
			}
			for _, elt := range e.Elts {
				if kv, ok := elt.(*ast.KeyValueExpr); !ok || !j.knownFunc(kv.Value) {
					m.pool = true
				}
			}
		case *ast.CallExpr:
			fn := gotypes.StaticCallee(j.Info, e)
			if fn != nil && len(e.Args) == 1 && gotypes.FactsOf(fn).Is(library.TakesSource) && !j.librarySource(e.Args[0]) {
				m.rand = true
			}
		}
	}
	for _, s := range j.Info.Selections {
		if s.Kind() == types.FieldVal && s.Obj().Name() == "New" && s.Obj().Pkg() != nil && s.Obj().Pkg().Path() == "sync" {
			m.pool = true // perhaps set
		}
	}
	return m
}

// librarySource reports whether a source of random numbers is the library's (by its type, or by the
// function that returns it) or of recorded code.
func (j *Judge) librarySource(e ast.Expr) bool {
	ours := func(m types.Object) bool {
		if m == nil || m.Pkg() == nil || m.Pkg() == j.Pkg || j.OwnCode(m.Pkg().Path()) {
			return true
		}
		fn, ok := m.(*types.Func)
		return ok && gotypes.FactsOf(fn)&(library.Contained|library.OfSource) != 0
	}
	if call, ok := ast.Unparen(e).(*ast.CallExpr); ok {
		if fn := gotypes.StaticCallee(j.Info, call); fn != nil && gotypes.FactsOf(fn).Is(library.IsSource) {
			return true
		}
	}
	t := j.Info.TypeOf(e)
	if t == nil || types.IsInterface(t) {
		return false
	}
	m, _, _ := types.LookupFieldOrMethod(t, true, j.Pkg, "Uint64")
	n, _, _ := types.LookupFieldOrMethod(t, true, j.Pkg, "Int63")
	return ours(m) && ours(n)
}
