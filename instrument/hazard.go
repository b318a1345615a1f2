package instrument

import (
	"go/ast"
)

// A hazard is what could panic when an expression is evaluated: a nil pointer, an index, a division, a type assertion.
type hazard struct {
	e     ast.Expr // the value that Now would evaluate at once; nil: none
	at    int      // when the compiler comes to it
	found int      // the part of it that tells operands of the same kind apart
	by    int      // when the rewritten code does
	nil   bool     // a nil pointer: one of these panics like another

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
	seen    int               // how many were found; those of an exotic operand are found again when it ends
	own     []int             // those of the innermost exotic operand, but for those of exotic ones in it
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

// atCall is a recording call: what is found while it is the innermost one belongs to it.
type atCall struct{ found []int }

func (h *hazards) add(e ast.Expr, isNil bool, c *atCall) {
	at := h.rank*rankAt + h.later*(rankAt/8) + h.seen
	h.seen++
	if h.exotic == 0 {
		at += lateAt
	} else {
		h.own = append(h.own, len(h.list))
	}
	if c != nil {
		c.found = append(c.found, len(h.list))
	}
	h.list = append(h.list, hazard{e: e, at: at, found: h.seen - 1, by: lateBy + at, nil: isNil})
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

// asCall does so where that is so, and else what c does.
func (h *hazards) asCall(is bool, c *atCall, collect func(c *atCall)) {
	if is {
		h.call(collect)
	} else {
		collect(c)
	}
}
