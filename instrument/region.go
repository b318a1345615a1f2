package instrument

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"github.com/racepred/racepred/instrument/internal/gotypes"
)

// A region is a run of operands that the compiler evaluates in two steps: calls
// and receives first, in the order in which they are written, plain loads
// last. So in p.q.n + f() the load of p.q.n comes after f (rule R2).
type region struct {
	last    ast.Expr          // the last call or receive, nil if none
	attach  bool              // last can be wrapped, for something to be recorded right after it
	pending []string          // pointers whose recording waits for last
	now     map[ast.Expr]bool // values to be evaluated at once (P1)

	mark    ast.Expr // what comes after last, is evaluated at once, and could panic; nil if none
	waiting []string // pointers whose recording waits for mark

	atOnce    bool                             // its operands are those of what is evaluated at once, and still to be visited
	sliceLate bool                             // append loads its slice last
	callee    ast.Expr                         // a function that is known when it runs: the compiler loads it last
	updated   ast.Expr                         // what x op= y reads and writes
	spread    ast.Expr                         // the slice that append adds
	tried     map[ast.Expr]map[ast.Expr]string // those of them that stay as they are (P2), with what is kept of them
}

// enter opens the region of the operands es; the returned function closes it.
func (w *walker) enter(es ...ast.Expr) (leave func()) {
	outer := w.region
	r := &region{}
	for i := len(es) - 1; i >= 0 && r.last == nil; i-- {
		if es[i] != nil {
			r.last, r.attach = w.lastPoint(es[i])
		}
	}
	w.mark(r, es)
	w.region = r
	return func() {
		if len(r.pending) > 0 || len(r.waiting) > 0 {
			panic(fmt.Sprintf("internal error: what waited for %s was not recorded", w.text(es[len(es)-1])))
		}
		w.region = outer
	}
}

// eval visits the operands of a statement as values.
func (w *walker) eval(es ...ast.Expr) {
	defer w.enter(es...)()
	w.inOrder(func(h *hazards) { h.values(es...) }, es, nil, false, func() {
		for _, e := range es {
			if e != nil {
				w.value(e)
			}
		}
	})
}

// lastPoint finds the call or receive in e that ends last, not counting those
// inside of its own operands.
func (w *walker) lastPoint(e ast.Expr) (point ast.Expr, attach bool) {
	if w.hoisted[e] != "" || w.isConstant(e) {
		return nil, false
	}
	if w.atOnce(e) {
		if p, _ := w.lastOperand(e); p == nil {
			return nil, false
		}
		return e, w.singleValue(e)
	}
	switch e := e.(type) {
	case *ast.FuncLit:
		return nil, false
	case *ast.CallExpr:
		if w.callKind(e) != gotypes.CallConversion {
			return e, w.singleValue(e) || w.severalValues(e)
		}
	case *ast.UnaryExpr:
		if e.Op == token.ARROW {
			return e, w.singleValue(e)
		}
	case *ast.BinaryExpr:
		if e.Op == token.LAND || e.Op == token.LOR {
			if p, _ := w.lastOperand(e); p == nil {
				return nil, false
			}
			return e, w.named(e)
		}
	}
	return w.lastOperand(e)
}

// lastOperand finds the last point among the operands of e.
func (w *walker) lastOperand(e ast.Expr) (point ast.Expr, attach bool) {
	parts := gotypes.Operands(e)
	for i := len(parts) - 1; i >= 0; i-- {
		if p, ok := w.lastPoint(parts[i]); p != nil {
			return p, ok
		}
	}
	return nil, false
}

// atOnce says whether the compiler evaluates e into a temporary when its turn
// comes, although it is not a call: its loads do not wait for the calls that follow.
func (w *walker) atOnce(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.SliceExpr:
		return true
	case *ast.CompositeLit:
		return gotypes.IsMap(w.Info.TypeOf(e))
	case *ast.TypeAssertExpr:
		return e.Type != nil && !gotypes.PointerShaped(w.Info.TypeOf(e))
	case *ast.CallExpr:
		switch w.callKind(e) {
		case gotypes.CallConversion:
			return gotypes.IsSlice(w.Info.TypeOf(e)) && gotypes.IsString(w.Info.TypeOf(e.Args[0]))
		case gotypes.CallBuiltin:
			switch w.builtin(e) {
			case "append", "cap", "complex", "imag", "len", "make", "max", "min", "new", "real":
				return true
			}
		}
	}
	return false
}

// early says whether a part of e that reads what others could change is evaluated at once.
func (w *walker) early(e ast.Expr) bool {
	if w.hoisted[e] != "" || w.quiet(e) {
		return false
	}
	if w.atOnce(e) {
		return true
	}
	for _, x := range gotypes.Operands(e) {
		if w.early(x) {
			return true
		}
	}
	return false
}

func (w *walker) isConstant(e ast.Expr) bool {
	tv := w.Info.Types[e]
	return tv.Value != nil || tv.IsType()
}

func (w *walker) singleValue(e ast.Expr) bool {
	tv := w.Info.Types[e]
	if tv.Type == nil || tv.IsVoid() {
		return false
	}
	_, tuple := tv.Type.(*types.Tuple)
	return !tuple
}

// hasPoint says whether evaluating e calls or receives.
func (w *walker) hasPoint(e ast.Expr) bool {
	p, _ := w.lastPoint(e)
	return p != nil
}

// quiet says whether evaluating e neither calls, receives nor records anything, and
// gives the same before and after a call.
func (w *walker) quiet(e ast.Expr) bool {
	if w.hoisted[e] != "" {
		return true
	}
	if w.isConstant(e) {
		return true
	}
	switch e := e.(type) {
	case *ast.FuncLit:
		return true
	case *ast.Ident:
		v, ok := w.Info.Uses[e].(*types.Var)
		return !ok || !w.isShared(v) && !w.locals.Changeable(v)
	case *ast.StarExpr:
		return false
	case *ast.SelectorExpr:
		if sel := w.Info.Selections[e]; sel == nil {
			_, isVar := w.Info.Uses[e.Sel].(*types.Var)
			return !isVar
		} else if sel.Kind() == types.MethodExpr {
			return true
		} else if sel.Indirect() || sel.Kind() == types.MethodVal {
			return false
		}
	case *ast.IndexExpr:
		if t := w.Info.TypeOf(e.X); !gotypes.IsArray(t) && !gotypes.IsString(t) && !w.isFunc(e.X) {
			return false
		}
	case *ast.CallExpr:
		switch w.callKind(e) {
		case gotypes.CallConversion:
		case gotypes.CallBuiltin:
			switch w.builtin(e) {
			case "len", "cap", "min", "max", "real", "imag", "complex", "new", "make", "Sizeof", "Alignof", "Offsetof":
				if w.builtin(e) == "len" || w.builtin(e) == "cap" {
					if t := w.Info.TypeOf(e.Args[0]); !gotypes.IsSlice(t) && !gotypes.IsArray(t) && !gotypes.IsString(t) && !gotypes.IsByteString(t) && gotypes.ArrayPointer(t) == nil {
						return false // maps and channels
					}
				}
			default:
				return false
			}
		default:
			return false
		}
	case *ast.UnaryExpr:
		if e.Op == token.ARROW {
			return false
		}
		if e.Op == token.AND {
			if _, ok := ast.Unparen(e.X).(*ast.CompositeLit); !ok {
				return !w.addressLoads(e.X) && !w.hasPoint(e.X)
			}
		}
	}
	for _, x := range gotypes.Operands(e) {
		if !w.quiet(x) {
			return false
		}
	}
	return true
}

// addressLoads says whether computing the address of e reads memory that
// others could write: its address then depends on when it is computed.
func (w *walker) addressLoads(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return false
	case *ast.ParenExpr:
		return w.addressLoads(e.X)
	case *ast.StarExpr:
		return w.valueLoads(e.X)
	case *ast.SelectorExpr:
		sel := w.Info.Selections[e]
		if sel == nil {
			return false
		}
		if len(sel.Index()) > 1 && sel.Indirect() {
			// One pointer at the front is x itself; any other is a load.
			return true
		}
		if gotypes.IsPointer(w.Info.TypeOf(e.X)) {
			return w.valueLoads(e.X)
		}
		return w.addressLoads(e.X)
	case *ast.IndexExpr:
		if gotypes.IsArray(w.Info.TypeOf(e.X)) {
			return w.addressLoads(e.X) || w.valueLoads(e.Index)
		}
		return w.valueLoads(e.X) || w.valueLoads(e.Index)
	}
	return w.valueLoads(e)
}

// valueLoads says the same of the value of e. What a call returned is fixed, and so are its operands.
func (w *walker) valueLoads(e ast.Expr) bool {
	if call, ok := ast.Unparen(e).(*ast.CallExpr); ok && w.callKind(call) == gotypes.CallFunction {
		return false
	}
	return !w.quiet(e)
}

func (w *walker) isShared(v *types.Var) bool {
	return w.locals.Shared(v, w.All)
}

func (w *walker) isFunc(e ast.Expr) bool {
	t := w.Info.TypeOf(e)
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Signature)
	return ok
}

// pure says whether e can be evaluated a second time at another place of the
// same statement, and its text be put there.
func (w *walker) pure(e ast.Expr) bool {
	if !w.movable(e) || w.hasPoint(e) {
		return false
	}
	pure := true
	ast.Inspect(e, func(n ast.Node) bool {
		if x, ok := n.(ast.Expr); ok && w.hoisted[x] != "" {
			return false
		}
		switch n := n.(type) {
		case *ast.FuncLit, *ast.CompositeLit:
			pure = false
		case *ast.CallExpr:
			if w.callKind(n) == gotypes.CallBuiltin {
				switch w.builtin(n) {
				case "len", "cap", "min", "max", "real", "imag", "complex", "Sizeof", "Alignof", "Offsetof":
				default:
					pure = false
				}
			}
		}
		return pure
	})
	return pure
}
