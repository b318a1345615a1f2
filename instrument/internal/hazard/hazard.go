// Package hazard compares the order of panics: operands, and when the rewritten code records each
// -> whether the hazards come in the compiler's order, and which operands have to be evaluated at
// once for that. A hazard is a place where a panic could begin: a nil pointer, an index, a
// division, a type assertion. Rules P of package instrument
package hazard

import (
	"go/ast"

	"github.com/racepred/racepred/instrument/internal/expr"
)

// A hazard is a place in an expression where a panic could begin.
type hazard struct {
	e     ast.Expr // the value that RacepredNow could evaluate at once; nil: none
	at    int      // when the compiler comes to it
	found int      // how many hazards were found before it
	by    int      // when the rewritten code comes to it
	nil   bool     // a nil pointer: one of these panics like another

	apart bool // of an operand that is evaluated by itself: a call, a receive, && or ||, or one that is evaluated at once
}

// Hazards collects the hazards of operands that the compiler evaluates together (expr.Run). Calls,
// receives and operands that are evaluated at once come first, and the hazards in them are not
// collected.
//
// Of the other operands, the compiler first evaluates the exotic ones (package walk): those that
// become calls of the runtime, literals, and comparisons of more than a word. Then it evaluates the
// rest in order (package ssagen). Rewritten code does the recording calls first, in their order,
// and then the rest as the compiler does.
type Hazards struct {
	code    *expr.Code
	run     *expr.Run // the operands are of this run
	rewrite Rewrite
	list    []hazard
	Rank    int  // of the operand at hand, in the compiler's order
	later   int  // this operand comes after those of the same rank before it
	Spawned bool // the operands are those of the call of a go or defer statement
	Deep    bool // with the hazards in operands that are evaluated at once
	Target  bool // the operand is assigned; parts of it that are no variable, field, element or indirection have the rank Before
	Before  int
	seen    int               // how many hazards were found; those of an exotic operand count again when it ends
	own     []int             // hazards of the innermost exotic operand, without those of exotic ones in it
	exotic  int               // how many exotic operands are around the one at hand
	calls   int               // how many recording calls, and operands that are evaluated by themselves, there were so far
	phase   Phase             // of the recording call at hand
	fixed   bool              // phase is set; else it depends on the load
	Merged  bool              // without hazards of operands that are evaluated by themselves
	now     map[ast.Expr]bool // operands that RacepredNow evaluates at once
}

// A Rewrite says how the statement at hand will be rewritten.
type Rewrite interface {
	// PhaseOf says when a load is recorded.
	PhaseOf(e ast.Expr) Phase
	// Pinnable reports whether the value of e can be passed through a call and keep its type.
	Pinnable(e ast.Expr) bool
}

// Begin begins to collect hazards of operands.
func Begin(code *expr.Code, run *expr.Run, rewrite Rewrite) *Hazards {
	return &Hazards{code: code, run: run, rewrite: rewrite}
}

// within begins to collect other hazards of the same operands.
func (h *Hazards) within() *Hazards { return Begin(h.code, h.run, h.rewrite) }

const (
	rankAt = 1 << 20 // at: the distance of two ranks
	lateAt = 1 << 19 // at: added for operands that are not exotic
	lateBy = 1 << 29 // by: added for hazards outside of recording calls

	apartAt = -1 << 30 // at: of operands that are evaluated by themselves
	phaseBy = 1 << 20  // by: the distance of two phases
)

// AtCall is a recording call: the hazards that are found while it is the innermost one belong to
// it.
type AtCall struct{ found []int }

// Add adds a hazard. e is the value that could be evaluated at once where it stands, c the
// recording call that the hazard belongs to.
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

// call collects the hazards in the argument of a recording call.
func (h *Hazards) call(collect func(c *AtCall)) {
	c := &AtCall{}
	collect(c)
	h.calls++
	for _, i := range c.found {
		h.list[i].by = h.turn()
	}
}

// AsCall collects hazards as those of a recording call of their own if there is one (is), else as
// those of c.
func (h *Hazards) AsCall(is bool, c *AtCall, collect func(c *AtCall)) {
	if is {
		h.call(collect)
	} else {
		collect(c)
	}
}
