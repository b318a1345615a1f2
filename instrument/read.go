package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
)

// place says where an expression's value lies.
type place uint8

const (
	placeValue  place = iota // nowhere: a temporary
	placeLocal               // in a variable only this goroutine can reach
	placeShared              // in a variable or memory that others could reach
)

// place finds out where e lies. Map elements are temporaries: they cannot be
// addressed, and the runtime records them.
func (w *walker) place(e ast.Expr) place {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return w.place(e.X)
	case *ast.Ident:
		v, ok := w.Info.ObjectOf(e).(*types.Var)
		switch {
		case !ok:
			return placeValue
		case w.isShared(v):
			return placeShared
		default:
			return placeLocal
		}
	case *ast.StarExpr:
		if tv := w.Info.Types[e]; tv.IsType() {
			return placeValue
		}
		return w.behind(e.X)
	case *ast.SelectorExpr:
		sel := w.Info.Selections[e]
		switch {
		case sel == nil:
			if _, ok := w.Info.Uses[e.Sel].(*types.Var); ok {
				return placeShared
			}
			return placeValue
		case sel.Kind() != types.FieldVal:
			return placeValue
		case isPointer(w.Info.TypeOf(e.X)) && !hasPointer(embedded(sel)):
			return w.behind(e.X)
		case sel.Indirect():
			return placeShared
		default:
			return w.place(e.X)
		}
	case *ast.IndexExpr:
		t := w.Info.TypeOf(e.X)
		if t == nil {
			return placeValue
		}
		switch {
		case isSlice(t) || arrayPointer(t) != nil:
			return w.behind(e.X)
		case isArray(t):
			return w.place(e.X)
		}
	}
	return placeValue
}

// behind says where lies what x, a pointer or a slice, refers to. (L1)
func (w *walker) behind(x ast.Expr) place {
	if w.owned(x) || w.literal(x) {
		return placeLocal
	}
	return placeShared
}

// literal says whether x is a slice or the address of what is made where it stands.
func (w *walker) literal(x ast.Expr) bool {
	x = ast.Unparen(x)
	if u, ok := x.(*ast.UnaryExpr); ok && u.Op == token.AND {
		x = ast.Unparen(u.X)
	}
	_, ok := x.(*ast.CompositeLit)
	return ok
}

// owned says whether x is a local variable, and all that it refers to is new and
// stays with this goroutine.
func (w *walker) owned(x ast.Expr) bool {
	id, ok := ast.Unparen(x).(*ast.Ident)
	if !ok {
		return false
	}
	v, ok := w.Info.ObjectOf(id).(*types.Var)
	return ok && !w.isShared(v) && w.locals != nil && w.locals.escapes.object(v)
}

// value visits an expression whose value is used: it loads what e denotes.
func (w *walker) value(e ast.Expr) {
	if name := w.hoisted[e]; name != "" {
		w.replace(RuleHoist, e, name)
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
	if w.atOnce(e) {
		w.wrapPending(e, func() {
			defer w.enter(operands(e)...)()
			w.region.atOnce = true
			collect := func(h *hazards) { h.operandsAtOnce(e) }
			if call, ok := e.(*ast.CallExpr); ok && call.Ellipsis.IsValid() {
				w.region.spread = call.Args[len(call.Args)-1]
			} else if ok && w.appendsLate(call, collect) {
				w.node(e)
				return
			}
			w.inOrder(collect, operands(e), nil, false, func() {})
			w.node(e)
		})
		return
	}
	if w.region.now[e] {
		w.around(RuleOrder, e, w.rt+".RacepredNow(", func() { w.node(e) }, ")")
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
		if w.place(e) == placeShared {
			w.read(e)
		}
	case *ast.StarExpr:
		if w.place(e) == placeShared {
			w.read(e)
		} else {
			w.value(e.X)
		}
	case *ast.SelectorExpr:
		w.selector(e)
	case *ast.IndexExpr:
		w.index(e)
	case *ast.IndexListExpr: // an instantiation
	case *ast.SliceExpr:
		if isArray(w.Info.TypeOf(e.X)) {
			w.addr(e.X)
		} else {
			w.value(e.X)
		}
		for _, x := range []ast.Expr{e.Low, e.High, e.Max} {
			if x != nil {
				w.value(x)
			}
		}
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

// composite visits the elements of a literal.
func (w *walker) composite(e *ast.CompositeLit) {
	t := w.Info.TypeOf(e)
	isStruct := t != nil && structOf(t) != nil
	if t != nil && isMap(t) {
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

// mapLiteral visits the entries of a map, which the compiler adds one by one, each value before its key.
func (w *walker) mapLiteral(e *ast.CompositeLit) {
	for _, elt := range e.Elts {
		kv, ok := elt.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		leave := w.enter(kv.Key, kv.Value)
		w.inOrder(func(h *hazards) {
			h.rank = 1
			h.value(kv.Key, nil)
			h.rank = 0
			h.value(kv.Value, nil)
		}, []ast.Expr{kv.Key, kv.Value}, nil, false, func() {
			w.value(kv.Key)
			w.value(kv.Value)
		})
		leave()
	}
}

func (w *walker) funcLit(e *ast.FuncLit) {
	c := *w
	c.fn = e
	c.region = &region{}
	c.stmt, c.opaque, c.loop = nil, nil, nil
	c.facts = newFacts()
	c.function(e.Body)
}

// receive visits <-ch as a value.
func (w *walker) receive(e *ast.UnaryExpr) {
	w.nameSite(OpRecv, e.Pos(), e.X)
	w.wrapPending(e, func() { w.eval(e.X) })
}

// read records the load of e, which is addressable and shared.
//
// (R1)  Replace  x.f
//
//	with  (*runtime.RacepredR(&x.f, site))
//
// The call computes the address and records; the load itself stays where it
// was: the compiler does loads after the calls of the same expression.
//
// (R2) When a call or receive follows in the expression, the load comes after
// that, and so does its recording:
//
// Replace  x.p.f + g()
//
//	with  x.p.f + runtime.RacepredAfter(g(), runtime.RacepredR(&x.p.f, site))
//
// Where that cannot be written, R1 is right only if the call cannot change the address.
func (w *walker) read(e ast.Expr) {
	if w.covered(OpRead, e) {
		w.drop(OpRead, e)
		w.addr(e)
		return
	}
	if w.marked(e) {
		w.accessed(OpRead, e)
		w.region.waiting = append(w.region.waiting, w.pointer(OpRead, e))
		w.hoistedOnly(e)
		return
	}
	if w.later(e) {
		switch {
		case w.region.attach && w.pure(e) && !w.early(e):
			w.accessed(OpRead, e)
			w.region.pending = append(w.region.pending, w.pointer(OpRead, e))
			w.hoistedOnly(e)
			return
		case w.readLate(e):
			return
		case w.addressLoads(e):
			w.miss(e, WhyLateOperand)
			w.addr(e)
			return
		}
	}
	w.accessed(OpRead, e)
	r := w.recorder(OpRead, e)
	w.insert(RuleRead, e.Pos(), "(*"+r.name+"(&")
	w.addr(e)
	w.insert(RuleRead, e.End(), r.rest()+")")
}

// readLate is rule R2 for what cannot be evaluated twice; it says whether that was possible.
func (w *walker) readLate(e ast.Expr) bool {
	parts, end, ok := w.keepParts(e)
	if !ok {
		return false
	}
	w.accessed(OpRead, e)
	pending := w.pointer(OpRead, e)
	end()
	w.region.pending = append(w.region.pending, pending)
	w.keepOnly(e, parts)
	return true
}

// later says whether a call or receive comes after e in e's region.
func (w *walker) later(e ast.Expr) bool {
	return w.region.last != nil && w.region.last.Pos() >= e.End()
}

// pointer is the text of a recording call on e, evaluated apart from e itself.
func (w *walker) pointer(op Op, e ast.Expr) string {
	text := w.copied(e, func(c *walker) { c.addr(e) })
	return w.recorder(op, e).on("&" + text)
}

// wrapPending visits e, the call or receive that late reads may be waiting for.
func (w *walker) wrapPending(e ast.Expr, visit func()) {
	if w.region.mark == e && len(w.region.waiting) > 0 {
		waiting := w.region.waiting
		w.region.waiting = nil
		w.wrapAfter(e, waiting, visit)
		return
	}
	if w.region.last != e || len(w.region.pending) == 0 {
		visit()
		return
	}
	pending := w.region.pending
	w.region.pending = nil
	w.wrapAfter(e, pending, visit)
}

// wrapAfter visits e and has it end before the late reads are recorded.
func (w *walker) wrapAfter(e ast.Expr, reads []string, visit func()) {
	for range reads {
		w.insert(RuleLate, e.Pos(), w.rt+".RacepredAfter(")
	}
	visit()
	for _, p := range reads {
		w.insert(RuleLate, e.End(), ", "+p+")")
	}
}

// addr visits an expression whose address is taken or that is assigned: what
// lies on the way to it is loaded, it itself is not.
func (w *walker) addr(e ast.Expr) {
	if kept, ok := w.region.tried[e]; ok {
		delete(w.region.tried, e)
		w.keepOnly(e, kept)
		return
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		w.addr(e.X)
	case *ast.Ident:
	case *ast.StarExpr:
		w.value(e.X)
	case *ast.SelectorExpr:
		sel := w.Info.Selections[e]
		if sel == nil {
			return
		}
		if name := w.reached[e]; name != "" {
			w.replace(RuleHoist, e.X, name)
			return
		}
		w.promote(e.X, sel, wantAddr)
	case *ast.IndexExpr:
		if t := w.Info.TypeOf(e.X); isArray(t) {
			w.addr(e.X)
		} else {
			w.value(e.X)
		}
		w.value(e.Index)
	default:
		w.value(e)
	}
}

// base visits x in x.f: its value if it is a pointer or a temporary, else only its address.
func (w *walker) base(x ast.Expr) {
	if t := w.Info.TypeOf(x); isPointer(t) || w.place(x) == placeValue {
		w.value(x)
	} else {
		w.addr(x)
	}
}

// selector visits x.f or x.Method as a value.
func (w *walker) selector(e *ast.SelectorExpr) {
	sel := w.Info.Selections[e]
	if sel == nil {
		if w.place(e) == placeShared {
			w.read(e)
		}
		return
	}
	switch sel.Kind() {
	case types.FieldVal:
		switch w.place(e) {
		case placeShared:
			w.read(e)
		case placeLocal:
			w.addr(e)
		default:
			w.value(e.X)
		}
	case types.MethodVal:
		w.receiver(e, sel)
	}
}

// index visits a[i] as a value.
func (w *walker) index(e *ast.IndexExpr) {
	t := w.Info.TypeOf(e.X)
	switch {
	case w.isFunc(e.X): // an instantiation
		return
	case isByteString(t) && w.quiet(e.X) && w.pure(e.X) && w.quiet(e.Index):
		w.value(e.X)
		w.around(RuleRead, e.Index, w.rt+".RacepredIndex("+w.copied(e.X, func(c *walker) { c.hoistedOnly(e.X) })+", ", func() { w.value(e.Index) }, ", "+w.site(OpRead, e.Pos(), w.text(e))+")")
	case isInterface(t): // a type parameter without a core type
		w.miss(e, WhyTypeParam)
		w.value(e.X)
		w.value(e.Index)
	case isMap(t):
		w.nameSite(OpMap, e.X.Pos(), e.X)
		w.value(e.X)
		w.value(e.Index)
	case w.place(e) == placeShared:
		w.read(e)
	case w.place(e) == placeLocal:
		w.addr(e)
	default:
		w.value(e.X)
		w.value(e.Index)
	}
}
