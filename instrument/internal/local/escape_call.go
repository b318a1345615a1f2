package local

import (
	"go/ast"
	"go/types"

	"github.com/racepred/racepred/instrument/internal/gotypes"
	"github.com/racepred/racepred/internal/library"
)

// call visits a call and returns the class of its result. (instrument/L3)
func (x *Escapes) call(e *ast.CallExpr) *class {
	switch tv := x.info.Types[e.Fun]; {
	case tv.IsType():
		return x.conversion(e)
	case tv.IsBuiltin():
		return x.builtin(e)
	}
	fn := gotypes.StaticCallee(x.info, e)
	if sel, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr); ok && x.info.Selections[sel] != nil && x.info.Selections[sel].Kind() == types.MethodExpr {
		fn = nil // its receiver is an argument
	}
	x.callee(e, fn)
	if fn == nil {
		if lit, ok := ast.Unparen(e.Fun).(*ast.FuncLit); ok {
			x.args(e.Args, e.Ellipsis.IsValid(), x.info.TypeOf(lit).(*types.Signature), x.litParams(lit))
		} else {
			x.leakAll(e.Args)
		}
		return strange()
	}
	if x.own[fn] != nil {
		x.args(e.Args, e.Ellipsis.IsValid(), fn.Signature(), fn.Signature().Params())
		return strange()
	}
	switch facts := gotypes.FactsOf(fn); {
	case facts.Is(library.KeepsNothing):
		for _, arg := range e.Args {
			x.value(arg)
		}
	case facts.Is(library.KeepsFirst): // append's like: the result is the first argument, or new
		c := x.value(e.Args[0])
		for _, arg := range e.Args[1:] {
			x.leak(arg)
		}
		return c
	default:
		x.leakAll(e.Args)
	}
	return strange()
}

func (x *Escapes) leakAll(es []ast.Expr) {
	for _, e := range es {
		x.leak(e)
	}
}

// callee visits what is called: a literal, a value, or what a method is called on.
func (x *Escapes) callee(e *ast.CallExpr, fn *types.Func) {
	fun := ast.Unparen(e.Fun)
	switch f := fun.(type) {
	case *ast.IndexExpr:
		if fn != nil {
			fun = ast.Unparen(f.X)
		}
	case *ast.IndexListExpr:
		fun = ast.Unparen(f.X)
	}
	sel, ok := fun.(*ast.SelectorExpr)
	if !ok || x.info.Selections[sel] == nil {
		x.value(fun) // to call a function does not make it known
		return
	}
	s := x.info.Selections[sel]
	switch {
	case s.Kind() != types.MethodVal:
		x.value(sel)
	case fn == nil:
		x.leak(sel.X) // a method of an interface
	case !gotypes.PointerReceiver(s):
		if _, ok := x.info.TypeOf(sel.X).Underlying().(*types.Pointer); ok {
			x.value(sel.X) // it is called with a copy of what this points to
		} else if x.own[fn] != nil {
			implies(x.pointee(fn.Signature().Recv()), x.value(sel.X))
		} else {
			x.leak(sel.X)
		}
	case x.own[fn] != nil:
		implies(x.pointee(fn.Signature().Recv()), x.receiver(sel, s))
	case gotypes.FactsOf(fn)&(library.KeepsNothing|library.KeepsFirst) != 0:
		x.receiver(sel, s)
	default:
		x.receiver(sel, s).leak()
	}
}

func (x *Escapes) litParams(lit *ast.FuncLit) *types.Tuple {
	return x.info.TypeOf(lit).(*types.Signature).Params()
}

// args visits the arguments of a call of a function of the package: its parameters have classes.
func (x *Escapes) args(args []ast.Expr, ellipsis bool, sig *types.Signature, params *types.Tuple) {
	for i, arg := range args {
		n := params.Len()
		switch {
		case i < n && !(sig.Variadic() && i >= n-1):
			x.pass(arg, params.At(i))
		case ellipsis && i == n-1:
			x.pass(arg, params.At(i))
		default: // an element of a variadic parameter, or a result of f(g())
			x.leak(arg)
		}
	}
}

// pass visits what is passed for a parameter.
func (x *Escapes) pass(arg ast.Expr, param *types.Var) {
	c := x.value(arg)
	if !refers(param.Type()) {
		c.leak() // it becomes an interface, or refers to nothing
		return
	}
	implies(x.pointee(param), c)
}

// conversion visits T(e).
func (x *Escapes) conversion(e *ast.CallExpr) *class {
	arg := e.Args[0]
	to, from := x.info.TypeOf(e), x.info.TypeOf(arg)
	switch {
	case x.info.Types[arg].IsNil():
		return &class{}
	case from != nil && gotypes.IsString(from): // []byte(s) is new
		x.value(arg)
		return &class{}
	case gotypes.IsString(to): // a copy
		x.value(arg)
		return &class{}
	case refers(to) && refers(from):
		return x.value(arg)
	case from != nil && gotypes.IsBasic(from) && gotypes.IsBasic(to) && !gotypes.IsUnsafe(from) && !gotypes.IsUnsafe(to):
		x.value(arg)
		return &class{}
	}
	x.leak(arg)
	return strange()
}

// builtin visits a call of a built-in function.
func (x *Escapes) builtin(e *ast.CallExpr) *class {
	name := ""
	switch fun := ast.Unparen(e.Fun).(type) {
	case *ast.Ident:
		name = fun.Name
	case *ast.SelectorExpr:
		name = "unsafe." + fun.Sel.Name
	}
	switch name {
	case "new", "make":
		for _, arg := range e.Args {
			x.leak(arg)
		}
		return &class{}
	case "append":
		c := x.value(e.Args[0])
		for _, arg := range e.Args[1:] {
			if e.Ellipsis.IsValid() {
				x.value(arg) // its elements are copied
			} else {
				x.leak(arg)
			}
		}
		return c
	case "len", "cap", "copy", "clear", "real", "imag", "complex", "min", "max", "close", "unsafe.Sizeof", "unsafe.Alignof", "unsafe.Offsetof":
		for _, arg := range e.Args {
			x.value(arg)
		}
	default: // panic, delete, print, unsafe.Slice, ...
		x.leakAll(e.Args)
	}
	return strange()
}
