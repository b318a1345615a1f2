// Package redundancy finds the accesses that a goroutine has certainly recorded in the span at
// hand: statements and expressions in their order -> accesses that need no second record, and those
// that are the same in all turns of a loop. Rules C of package instrument
package redundancy

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/racepred/racepred/instrument/internal/site"
)

// A Fact is a location that this goroutine has certainly accessed, with a record, since it last
// synchronized. Another access of it adds nothing (rules C of package instrument): it has the same
// clock and the same locks, so it races only with accesses that the first one races with, and the
// recorder drops it, too (rpFilter of package rt).
type Fact struct {
	Op   site.Op // site.OpWrite covers both
	At   token.Pos
	uses []*types.Var // local variables that the address is computed from
}

// Facts are those at the statement at hand.
type Facts struct {
	known  map[string]Fact
	Off    bool              // the statement at hand synchronizes or calls
	writes map[string]Fact   // of the statement at hand; they become facts when it is over
	Thrown map[ast.Expr]Fact // loads that need no record, since the program throws the value away (instrument/D2)

	// What happened since the innermost branch or loop began.
	cleared bool
	killed  []*types.Var
}

func NewFacts() *Facts { return &Facts{known: map[string]Fact{}, writes: map[string]Fact{}} }

// Clear forgets all facts: the goroutine has synchronized.
func (f *Facts) Clear() {
	clear(f.known)
	clear(f.writes)
	f.cleared = true
}

// kill forgets the facts whose address was computed from v, which was assigned.
func (f *Facts) kill(v *types.Var) {
	for key, k := range f.known {
		if slices.Contains(k.uses, v) {
			delete(f.known, key)
		}
	}
	f.killed = append(f.killed, v)
}
