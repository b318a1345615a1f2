package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
)

// A hazard is what could panic when an expression is evaluated: a nil pointer, an index, a division, a type assertion.
type hazard struct {
	e   ast.Expr // the value that Now would evaluate at once; nil: none
	at  int      // when the compiler comes to it
	by  int      // when the rewritten code does
	nil bool     // a nil pointer: one of these panics like another

	apart bool // of what is evaluated by itself: calls, receives, && and ||, what is evaluated at once
}

// hazards collects the hazards of operands that the compiler evaluates together (see region), but for those of calls, receives
// and what else is evaluated at once: these come first, and are operands of their own.
//
// The compiler evaluates what is left in order (package ssagen), but what becomes calls of the runtime, literals and comparisons
// of more than a word first (package walk): here they are called exotic. Rewritten code does first what it records, in the
// order of the recording calls, and then the rest as the compiler does.
type hazards struct {
	w       *walker
	list    []hazard
	rank    int  // of the operand at hand, in the compiler's order
	later   int  // of operands with the same rank, this one comes after those before it
	spawned bool // of a call, for go or defer
	deep    bool // together with what is evaluated at once
	target  bool // it is assigned, and what is no variable, field, element or indirection in it has the rank before
	before  int
	exotic  int               // how many exotic operands are around the one at hand
	calls   int               // recording calls and the like so far
	phase   phase             // when the one at hand is done
	fixed   bool              // that is known, and not found out of the load itself
	merged  bool              // without what is evaluated by itself
	now     map[ast.Expr]bool // operands that Now evaluates at once
}

const (
	rankAt = 1 << 20 // the ranks' distance
	lateAt = 1 << 19 // what is not exotic
	lateBy = 1 << 29 // by of what no recording call does

	apartAt = -1 << 30 // at of what is evaluated by itself
	phaseBy = 1 << 20  // the phases' distance
)

// A phase says when a recording call is done: where it stands, or with something that is evaluated later.
type phase int

const (
	phaseNow   phase = iota // where it stands, before the last call or receive of the region, and its mark
	phaseLast               // after that call (R2)
	phaseMark               // after the mark (P1)
	phaseAfter              // where it stands, after both
	phaseNever
)

// phaseOf says when a load is recorded (see walker.read).
func (w *walker) phaseOf(e ast.Expr) phase {
	switch {
	case w.copies || w.trying:
		return phaseNow
	case w.marked(e):
		return phaseMark
	case w.later(e) && w.region.attach && w.pure(e) && !w.early(e):
		return phaseLast
	case w.later(e):
		if _, _, _, ok := w.keepable(e); ok {
			return phaseLast
		} else if w.addressLoads(e) {
			return phaseNever
		}
		return phaseNow
	case w.region.mark != nil && w.region.mark.Pos() >= e.End():
		if w.region.last != nil {
			return phaseLast
		}
		return phaseNow
	}
	return phaseAfter
}

// atCall is a recording call: what is found while it is the innermost one belongs to it.
type atCall struct{ found []int }

func (h *hazards) add(e ast.Expr, isNil bool, c *atCall) {
	at := h.rank*rankAt + h.later*(rankAt/8) + len(h.list)
	if h.exotic == 0 {
		at += lateAt
	}
	if c != nil {
		c.found = append(c.found, len(h.list))
	}
	h.list = append(h.list, hazard{e: e, at: at, by: lateBy + at, nil: isNil})
}

// call collects what a recording call evaluates in its argument.
func (h *hazards) call(collect func(c *atCall)) {
	c := &atCall{}
	collect(c)
	h.calls++
	for _, i := range c.found {
		h.list[i].by = h.turn()
	}
}

// turn is the place of what is done now among all that the rewritten code does.
func (h *hazards) turn() int { return int(h.phase)*phaseBy + h.calls }

// load collects the hazards of a load that is recorded.
func (h *hazards) load(is bool, e ast.Expr, c *atCall) {
	if is && c == nil && !h.fixed && h.w.phaseOf(e) == phaseNever {
		h.address(e, e, nil)
		return
	}
	h.at(is && c == nil, e, func() { h.asCall(is, c, func(c *atCall) { h.address(e, e, c) }) })
}

// at collects what is recorded when a load of e would be.
func (h *hazards) at(is bool, e ast.Expr, collect func()) {
	outer := h.phase
	if is && !h.fixed {
		h.phase = h.w.phaseOf(e)
	}
	collect()
	h.phase = outer
}

// after collects what is recorded when all other operands have been evaluated.
func (h *hazards) after(collect func()) {
	phase, fixed := h.phase, h.fixed
	h.phase, h.fixed = phaseAfter, true
	collect()
	h.phase, h.fixed = phase, fixed
}

// called notes that e, which is evaluated by itself before anything that is not, could panic.
func (h *hazards) called(e ast.Expr) {
	if h.deep || h.merged {
		return
	}
	w, own := h.w, &hazards{w: h.w, deep: true}
	if w.atOnce(e) && !w.hasPoint(e) {
		own.value(e, nil)
	} else {
		own.add(nil, false, nil)
	}
	phase := phaseAfter
	switch r := w.region; {
	case r.last != nil && e.Pos() <= r.last.Pos():
		phase = phaseNow
	case r.mark != nil && e.Pos() <= r.mark.Pos():
		phase = phaseLast
	}
	h.calls++
	for _, x := range own.list {
		h.list = append(h.list, hazard{at: apartAt + int(e.Pos()), by: int(phase)*phaseBy + h.calls, nil: x.nil, apart: true})
	}
}

// asCall does so where that is so, and else what c does.
func (h *hazards) asCall(is bool, c *atCall, collect func(c *atCall)) {
	if is {
		h.call(collect)
	} else {
		collect(c)
	}
}

// value collects the hazards of an expression whose value is used, evaluated by c.
func (h *hazards) value(e ast.Expr, c *atCall) {
	w := h.w
	if e == nil || w.hoisted[e] != "" || w.isConstant(e) || w.Info.Types[e].IsBuiltin() {
		return
	}
	if w.atOnce(e) {
		if h.deep {
			h.operandsAtOnce(e)
			h.itself(e)
		} else {
			h.called(e)
		}
		return
	}
	if h.target && !lvalue(e) {
		rank := h.rank
		h.rank, h.target = h.before, false
		h.value(e, c)
		h.rank, h.target = rank, true
		return
	}
	if h.now[e] {
		delete(h.now, e)
		h.after(func() { h.call(func(c *atCall) { h.value(e, c) }) })
		h.now[e] = true
		return
	}
	switch x := e.(type) {
	case *ast.ParenExpr:
		h.value(x.X, c)
	case *ast.StarExpr:
		h.load(w.place(e) == placeShared, e, c)
	case *ast.SelectorExpr:
		switch sel := w.Info.Selections[x]; {
		case sel == nil:
		case sel.Kind() == types.FieldVal:
			h.load(w.place(e) == placeShared, e, c)
		case sel.Kind() == types.MethodVal:
			h.rare(func() { h.receiver(x, sel, c) })
		}
	case *ast.IndexExpr:
		t := w.Info.TypeOf(x.X)
		switch {
		case w.isFunc(x.X):
		case isMap(t) && h.target:
			rank := h.rank
			h.rank, h.target = h.before, false
			h.value(e, c)
			h.rank, h.target = rank, true
		case isMap(t):
			h.rare(func() {
				h.value(x.X, c)
				if w.keyCopied(x) {
					h.first(func() { h.value(x.Index, c) })
				} else {
					h.value(x.Index, c)
				}
			})
			if isInterface(core(t).(*types.Map).Key()) {
				h.add(e, false, c)
			}
		case isSlice(t) || isArray(t) || arrayPointer(t) != nil:
			h.load(w.place(e) == placeShared, e, c)
		default:
			h.value(x.X, c)
			h.value(x.Index, c)
			if !w.isConstant(x.X) || !w.isConstant(x.Index) {
				h.add(e, false, c)
			}
		}
	case *ast.UnaryExpr:
		switch x.Op {
		case token.ARROW:
			h.called(e)
		case token.AND:
			if lit, ok := ast.Unparen(x.X).(*ast.CompositeLit); ok {
				h.value(lit, c)
			} else {
				h.address(x.X, e, c)
			}
		default:
			h.value(x.X, c)
		}
	case *ast.BinaryExpr:
		h.binary(x, c)
	case *ast.TypeAssertExpr:
		h.value(x.X, c)
		h.add(e, false, c)
	case *ast.CallExpr:
		if w.callKind(x) == callConversion {
			h.conversion(x, c)
		} else {
			h.called(e)
		}
	case *ast.CompositeLit:
		h.rare(func() {
			for _, elt := range x.Elts {
				if kv, ok := elt.(*ast.KeyValueExpr); ok {
					if structOf(w.Info.TypeOf(x)) == nil {
						h.value(kv.Key, c)
					}
					elt = kv.Value
				}
				h.value(elt, c)
			}
		})
	}
}

// lvalue says whether the compiler leaves e as it is in a target (safeExpr of package walk).
func lvalue(e ast.Expr) bool {
	switch ast.Unparen(e).(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.StarExpr, *ast.IndexExpr:
		return true
	}
	return false
}

func (h *hazards) rare(collect func()) {
	h.exotic++
	collect()
	h.exotic--
}

// first collects what the compiler copies before it evaluates anything else of the statement.
func (h *hazards) first(collect func()) {
	h.rank -= 100
	collect()
	h.rank += 100
}

func (h *hazards) binary(x *ast.BinaryExpr, c *atCall) {
	w := h.w
	both := func() {
		h.value(x.X, c)
		h.value(x.Y, c)
	}
	switch x.Op {
	case token.LAND, token.LOR:
		h.called(x)
	case token.QUO, token.REM:
		both()
		if t, ok := core(w.Info.TypeOf(x)).(*types.Basic); ok && t.Info()&types.IsInteger != 0 && !w.isConstant(x.Y) {
			h.add(x, false, c)
		}
	case token.SHL, token.SHR:
		both()
		if t, ok := core(w.Info.TypeOf(x.Y)).(*types.Basic); ok && t.Info()&types.IsUnsigned == 0 && !w.isConstant(x.Y) {
			h.add(x, false, c)
		}
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		if w.oneWord(w.Info.TypeOf(x.X)) && w.oneWord(w.Info.TypeOf(x.Y)) {
			both()
			return
		}
		if !isString(w.Info.TypeOf(x.X)) && !isInterface(w.Info.TypeOf(x.X)) && !isInterface(w.Info.TypeOf(x.Y)) {
			for _, y := range []ast.Expr{x.X, x.Y} {
				if w.place(y) == placeValue {
					h.first(func() { h.value(y, c) })
					continue
				}
				target, before := h.target, h.before
				h.target, h.before = true, h.rank-50
				h.rare(func() { h.value(y, c) })
				h.target, h.before = target, before
			}
			return
		}
		if isString(w.Info.TypeOf(x.X)) {
			h.rare(both)
		} else { // walkCompareInterface of package walk
			h.rare(func() {
				h.later++
				h.value(x.X, c)
				h.later--
				h.value(x.Y, c)
			})
		}
		if !isString(w.Info.TypeOf(x.X)) && !w.Info.Types[x.X].IsNil() && !w.Info.Types[x.Y].IsNil() {
			h.add(x, false, c)
		}
	default:
		if isString(w.Info.TypeOf(x)) {
			h.rare(both)
		} else {
			both()
		}
	}
}

// oneWord says whether values of type t are compared by the processor.
func (w *walker) oneWord(t types.Type) bool {
	switch u := core(t).(type) {
	case *types.Basic:
		return u.Info()&types.IsString == 0
	case *types.Pointer, *types.Chan, *types.Map, *types.Signature, *types.Slice:
		return true
	}
	return false
}

// address collects the hazards of computing the address of e; outer is the value that is wanted with it, if any.
func (h *hazards) address(e, outer ast.Expr, c *atCall) {
	w := h.w
	if w.hoisted[e] != "" {
		return
	}
	switch x := e.(type) {
	case *ast.ParenExpr:
		h.address(x.X, outer, c)
	case *ast.Ident:
	case *ast.StarExpr:
		h.value(x.X, c)
		h.add(outer, true, c)
	case *ast.SelectorExpr:
		sel := w.Info.Selections[x]
		switch {
		case sel == nil || w.reached[x] != "":
		case isPointer(w.Info.TypeOf(x.X)):
			h.value(x.X, c)
			h.add(outer, true, c)
		case w.place(x.X) == placeValue:
			h.value(x.X, c)
			if sel.Indirect() {
				h.add(outer, true, c)
			}
		default:
			h.address(x.X, outer, c)
			if sel.Indirect() {
				h.add(outer, true, c)
			}
		}
	case *ast.IndexExpr:
		t := w.Info.TypeOf(x.X)
		switch {
		case isMap(t):
			h.value(x.X, c)
			h.value(x.Index, c)
			return
		case isArray(t):
			h.address(x.X, outer, c)
			h.value(x.Index, c)
		case arrayPointer(t) != nil:
			h.value(x.X, c)
			h.add(outer, true, c)
			h.value(x.Index, c)
		default:
			h.value(x.X, c)
			h.value(x.Index, c)
			h.add(outer, false, c)
			return
		}
		if !w.isConstant(x.Index) {
			h.add(outer, false, c)
		}
	default:
		h.value(e, c)
	}
}

// itself adds what e, which is evaluated at once, could panic with when its operands did not.
func (h *hazards) itself(e ast.Expr) {
	switch x := e.(type) {
	case *ast.SliceExpr:
		if x.Low != nil || x.High != nil || arrayPointer(h.w.Info.TypeOf(x.X)) != nil {
			h.add(nil, false, nil)
		}
	case *ast.TypeAssertExpr:
		h.add(nil, false, nil)
	case *ast.CallExpr:
		if h.w.callKind(x) == callBuiltin && h.w.builtin(x) == "make" {
			for _, arg := range x.Args[1:] {
				if !h.w.isConstant(arg) {
					h.add(nil, false, nil)
				}
			}
		}
	}
}

// assigned collects the hazards of the target of a single assignment, whose value has the rank 1. Others could see whether it
// was recorded as written.
func (h *hazards) assigned(e ast.Expr, stored bool) {
	e = ast.Unparen(e)
	if x, ok := e.(*ast.IndexExpr); ok && isMap(h.w.Info.TypeOf(x.X)) {
		h.rank = 2
		h.value(x.X, nil)
		if h.w.keyCopied(x) {
			h.rank = 0
		}
		h.value(x.Index, nil)
		h.rank = 2
		h.add(nil, false, nil) // there may be no map
		return
	}
	h.rank, h.before, h.target = 2, 0, true
	h.asCall(stored, nil, func(c *atCall) {
		h.address(e, nil, c)
		if stored {
			h.add(nil, false, c)
		}
	})
	h.target = false
}

// updated is the same for x op= y.
func (h *hazards) updated(e ast.Expr, stored bool) {
	e = ast.Unparen(e)
	h.rank, h.before, h.target = 1, 0, true
	outer, r := h.phase, h.w.region
	switch h.phase = phaseAfter; {
	case r.mark != nil && r.mark.Pos() >= e.End():
		h.phase = phaseMark
	case h.w.later(e) && r.attach:
		h.phase = phaseLast
	case h.w.later(e):
		h.phase = phaseNow
	}
	h.asCall(stored, nil, func(c *atCall) { h.address(e, nil, c) })
	h.phase, h.target = outer, false
}

// write notes that a write is recorded when all that was collected before has not panicked.
func (h *hazards) write() {
	h.after(func() { h.call(func(c *atCall) { h.add(nil, false, c) }) })
}

// mixed says whether two hazards could panic in different ways.
func (h *hazards) mixed() bool {
	if len(h.list) < 2 {
		return false
	}
	for _, x := range h.list {
		if !x.nil {
			return true
		}
	}
	return false
}

// safe says whether evaluating e cannot panic, but in a call.
func (w *walker) safe(e ast.Expr) bool {
	h := &hazards{w: w, deep: true}
	h.value(e, nil)
	return len(h.list) == 0
}

// order says whether rewritten code comes to all hazards in the compiler's order, or could if those operands were evaluated at
// once that it returns.
func (w *walker) order(collect func(h *hazards)) (now map[ast.Expr]bool, ok bool) {
	for range 8 {
		h := &hazards{w: w, now: now}
		collect(h)
		if !h.mixed() {
			return now, true
		}
		inOrder := true
		for i, x := range h.list {
			for j, y := range h.list {
				if i == j || x.nil && y.nil || x.apart && y.apart || x.at >= y.at || x.by <= y.by {
					continue
				}
				inOrder = false
				if x.by < lateBy || x.e == nil || !w.typed(x.e) || w.later(x.e) || w.region.mark != nil && w.region.mark.Pos() >= x.e.End() {
					return nil, false
				}
				if now == nil {
					now = map[ast.Expr]bool{}
				}
				now[x.e] = true
			}
		}
		if inOrder {
			return now, true
		}
	}
	return nil, false
}
