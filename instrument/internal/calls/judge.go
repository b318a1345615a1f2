// Package calls says which calls may run unrecorded code: a call, what is known of its package, and
// how other packages are recorded -> opaque or not. Rules O of package instrument
package calls

import (
	"go/ast"
	"go/types"

	"github.com/racepred/racepred/instrument/internal/gotypes"
	"github.com/racepred/racepred/instrument/internal/local"
	"github.com/racepred/racepred/internal/funcname"
	"github.com/racepred/racepred/internal/library"
)

// A Judge knows a package and how the others are recorded. It is used by one goroutine.
type Judge struct {
	Pkg  *types.Package
	Info *types.Info

	// Rewritten reports whether the rewriter records a package, Recorded whether the compiler does.
	// nil means none.
	Rewritten, Recorded func(pkgPath string) bool
	// Foreign reports whether a function of another rewritten package is left unrecorded. nil: none
	// is.
	Foreign func(pkgPath, name string) bool
	// Unrecorded are the package's own functions that are not recorded.
	Unrecorded map[*types.Func]bool

	makings  *makings             // nil: not asked yet
	promoted map[*types.Func]bool // of methods of sealed interfaces; see promotes
}

// IsOpaque reports whether a call may run unrecorded code (rules O of package instrument), and
// whether the reason is that its callee is not known (dynamic).
func (j *Judge) IsOpaque(e *ast.CallExpr, locals *local.Locals) (opaque, dynamic bool) {
	if fn := gotypes.StaticCallee(j.Info, e); fn != nil {
		if j.prints(e, fn) { // (instrument/O11)
			return false, false
		}
		if len(e.Args) > 0 && j.OpaqueFunc(fn) && gotypes.FactsOf(fn).Is(library.CallsBack) { // (instrument/O8)
			return !j.recordedType(j.Info.TypeOf(e.Args[0])), false
		}
		return j.OpaqueFunc(fn) || j.givenAway(e, fn, locals), false // (instrument/O1) (instrument/O12)
	}
	switch fun := ast.Unparen(e.Fun).(type) {
	case *ast.FuncLit:
		return false, false // (instrument/O2)
	case *ast.Ident:
		if v, ok := j.Info.Uses[fun].(*types.Var); ok && locals.OnlyLiterals(v) {
			return false, false // (instrument/O2)
		}
	case *ast.SelectorExpr:
		if fn, ok := j.Info.Uses[fun.Sel].(*types.Func); ok && j.PureMethod(fn) {
			return false, false // (instrument/O3)
		}
	}
	return true, true
}

// OpaqueFunc reports whether a function may run unrecorded code. Functions that it is given do not
// count.
func (j *Judge) OpaqueFunc(fn *types.Func) bool {
	pkg := fn.Pkg()
	if pkg == nil {
		return false
	}
	if pkg == j.Pkg {
		return j.Unrecorded[fn]
	}
	if j.OwnCode(pkg.Path()) {
		return j.Foreign != nil && j.Foreign(pkg.Path(), funcname.Of(fn))
	}
	facts := gotypes.FactsOf(fn)
	if gotypes.Generic(fn) { // (instrument/O7)
		if facts&(library.ReadsElements|library.WritesElements|library.SortsElements) != 0 { // (instrument/B5)
			return facts.Is(library.SortsElements)
		}
	} else if j.Recorded != nil && j.Recorded(pkg.Path()) && facts.Is(library.Contained) { // (instrument/O8)
		return false
	}
	return facts&(library.Harmless|library.Told) == 0
}

// OwnCode reports whether the rewriter records a package.
func (j *Judge) OwnCode(path string) bool {
	return j.Rewritten != nil && j.Rewritten(path)
}
