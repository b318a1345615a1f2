// Package hazard compares the order of panics: operands, and when the rewritten code will record each -> whether what could panic (a nil
// pointer, an index, a division, a type assertion) comes in the compiler's order, and which operands have to be evaluated at once for that.
// Rules P of package instrument
package hazard

import (
	"go/ast"

	"github.com/racepred/racepred/instrument/internal/expr"
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

// Hazards collects the hazards of operands that the compiler evaluates together (expr.Run), but for those of calls, receives
// and what else is evaluated at once: these come first, and are operands of their own.
//
// The compiler evaluates what is left in order (package ssagen), but what becomes calls of the runtime, literals and comparisons
// of more than a word first (package walk): here they are called exotic. Rewritten code does first what it records, in the
// order of the recording calls, and then the rest as the compiler does.
type Hazards struct {
	code    *expr.Code
	run     *expr.Run // of which the operands are
	rewrite Rewrite
	list    []hazard
	Rank    int  // of the operand at hand, in the compiler's order
	later   int  // of operands with the same rank, this one comes after those before it
	Spawned bool // of a call, for go or defer
	Deep    bool // together with what is evaluated at once
	Target  bool // it is assigned, and what is no variable, field, element or indirection in it has the rank before
	Before  int
	seen    int               // how many were found; those of an exotic operand are found again when it ends
	own     []int             // those of the innermost exotic operand, but for those of exotic ones in it
	exotic  int               // how many exotic operands are around the one at hand
	calls   int               // recording calls and the like so far
	phase   Phase             // when the one at hand is done
	fixed   bool              // that is known, and not found out of the load itself
	Merged  bool              // without what is evaluated by itself
	now     map[ast.Expr]bool // operands that Now evaluates at once
}

// A Rewrite says how the statement at hand will be rewritten.
type Rewrite interface {
	// PhaseOf says when a load is recorded.
	PhaseOf(e ast.Expr) Phase
	// Pinnable says whether the value of e can be handed through a call and keep its type.
	Pinnable(e ast.Expr) bool
}

// Begin begins to collect hazards of operands.
func Begin(code *expr.Code, run *expr.Run, rewrite Rewrite) *Hazards {
	return &Hazards{code: code, run: run, rewrite: rewrite}
}

// within begins to collect other hazards of the same operands.
func (h *Hazards) within() *Hazards { return Begin(h.code, h.run, h.rewrite) }

const (
	rankAt = 1 << 20 // the ranks' distance
	lateAt = 1 << 19 // what is not exotic
	lateBy = 1 << 29 // by of what no recording call does

	apartAt = -1 << 30 // at of what is evaluated by itself
	phaseBy = 1 << 20  // the phases' distance
)

// AtCall is a recording call: what is found while it is the innermost one belongs to it.
type AtCall struct{ found []int }

// Add adds a hazard: e is what could be evaluated at once in its place, c the recording call that it belongs to.
func (h *Hazards) Add(e ast.Expr, isNil bool, c *AtCall) {
	at := h.Rank*rankAt + h.later*(rankAt/8) + h.seen
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
func (h *Hazards) call(collect func(c *AtCall)) {
	c := &AtCall{}
	collect(c)
	h.calls++
	for _, i := range c.found {
		h.list[i].by = h.turn()
	}
}

// AsCall does so where that is so, and else what c does.
func (h *Hazards) AsCall(is bool, c *AtCall, collect func(c *AtCall)) {
	if is {
		h.call(collect)
	} else {
		collect(c)
	}
}
