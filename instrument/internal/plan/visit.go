package plan

import (
	"go/ast"
	"go/token"

	"github.com/racepred/racepred/instrument/internal/expr"
	"github.com/racepred/racepred/instrument/internal/gotypes"
	"github.com/racepred/racepred/instrument/internal/hazard"
	"github.com/racepred/racepred/instrument/internal/redundancy"
	"github.com/racepred/racepred/instrument/internal/site"
)

// value visits an expression whose value is used: it loads what e denotes.
func (w *walker) value(e ast.Expr) {
	if name := w.Hoisted[e]; name != "" {
		w.Replace(RuleHoist, e, name)
		return
	}
	if tv, ok := w.Info.Types[e]; ok && (tv.Value != nil || tv.IsType() || tv.IsBuiltin()) {
		return // constants load nothing, whatever they are made of
	}
	if kept, ok := w.region.tried[e]; ok {
		delete(w.region.tried, e)
		w.keepOnly(e, kept)
		return
	}
	if w.AtOnce(e) {
		w.wrapPending(e, func() {
			defer w.enter(gotypes.Operands(e)...)()
			w.region.atOnce = true
			collect := func(h *hazard.Hazards) { h.OperandsAtOnce(e) }
			if call, ok := e.(*ast.CallExpr); ok && call.Ellipsis.IsValid() {
				w.region.spread = call.Args[len(call.Args)-1]
			} else if ok && w.appendsLate(call, collect) {
				w.node(e)
				return
			}
			w.inOrder(collect, gotypes.Operands(e), nil, false, func() {})
			w.node(e)
		})
		return
	}
	if w.region.now[e] {
		before, after, _ := w.pin(e)
		w.Around(RuleOrder, e, w.Runtime+".RacepredNow("+before, func() { w.node(e) }, after+")")
		return
	}
	w.node(e)
}

// node visits the parts of an expression whose value is used.
func (w *walker) node(e ast.Expr) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		w.value(e.X)
	case *ast.Ident:
		if w.Place(e) == expr.PlaceShared {
			w.read(e)
		}
	case *ast.StarExpr:
		w.viewed(e, w.isView(e), func() {
			if w.Place(e) == expr.PlaceShared {
				w.read(e)
			} else {
				w.value(e.X)
			}
		})
	case *ast.SelectorExpr:
		w.selector(e)
	case *ast.IndexExpr:
		w.index(e)
	case *ast.IndexListExpr: // an instantiation
	case *ast.SliceExpr:
		w.viewed(e, w.isView(e.X), func() { w.slice(e) })
	case *ast.UnaryExpr:
		switch e.Op {
		case token.AND:
			w.addr(e.X)
		case token.ARROW:
			w.receive(e)
		default:
			w.value(e.X)
		}
	case *ast.BinaryExpr:
		if e.Op == token.LAND || e.Op == token.LOR {
			// Each side is evaluated by itself, the right one perhaps never.
			w.wrapPending(e, func() {
				w.eval(e.X)
				w.branch(false, func() { w.opaqueOperand(e.Y) })
			})
			return
		}
		w.value(e.X)
		w.value(e.Y)
	case *ast.TypeAssertExpr:
		w.value(e.X)
	case *ast.CallExpr:
		w.callValue(e)
	case *ast.FuncLit:
		w.funcLit(e)
	case *ast.CompositeLit:
		w.composite(e)
	}
}

func (w *walker) slice(e *ast.SliceExpr) {
	switch t := w.Info.TypeOf(e.X); {
	case gotypes.IsArray(t):
		w.addr(e.X)
	case gotypes.ArrayPointer(t) != nil && w.madeByCall(e.X):
		w.Around(RuleArray, e.X, w.Runtime+".RacepredArray(", func() { w.value(e.X) }, ")")
	default:
		w.value(e.X)
	}
	for _, x := range []ast.Expr{e.Low, e.High, e.Max} {
		if x != nil {
			w.value(x)
		}
	}
}

// madeByCall reports whether a call is to give the value of e, the program's or RacepredNow.
func (w *walker) madeByCall(e ast.Expr) bool {
	if w.region.now[e] {
		return true
	}
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	return ok && gotypes.KindOf(w.Info, call) != gotypes.CallConversion
}

// composite visits the elements of a literal.
func (w *walker) composite(e *ast.CompositeLit) {
	t := w.Info.TypeOf(e)
	isStruct := t != nil && gotypes.StructOf(t) != nil
	if t != nil && gotypes.IsMap(t) {
		w.mapLiteral(e)
		return
	}
	for _, elt := range e.Elts {
		kv, ok := elt.(*ast.KeyValueExpr)
		if !ok {
			w.value(elt)
			continue
		}
		if !isStruct { // the key of a struct literal is a field's name
			w.value(kv.Key)
		}
		w.value(kv.Value)
	}
}

// mapLiteral visits the entries of a map. The compiler adds them one by one, and evaluates each
// value before its key.
func (w *walker) mapLiteral(e *ast.CompositeLit) {
	for _, elt := range e.Elts {
		kv, ok := elt.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		leave := w.enter(kv.Key, kv.Value)
		w.inOrder(func(h *hazard.Hazards) {
			h.Rank = 1
			h.Value(kv.Key, nil)
			h.Rank = 0
			h.Value(kv.Value, nil)
		}, []ast.Expr{kv.Key, kv.Value}, nil, false, func() {
			w.value(kv.Key)
			w.value(kv.Value)
		})
		leave()
	}
}

func (w *walker) funcLit(e *ast.FuncLit) {
	c := *w
	c.Fn = e
	c.region = &region{}
	c.stmt, c.opaque, c.loop = nil, nil, nil
	c.facts = redundancy.NewFacts()
	c.function(e.Body)
}

// receive visits <-ch as a value.
func (w *walker) receive(e *ast.UnaryExpr) {
	w.nameSite(site.OpRecv, e.Pos(), e.X)
	w.wrapPending(e, func() { w.eval(e.X) })
}
