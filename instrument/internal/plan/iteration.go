package plan

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/racepred/racepred/instrument/internal/gotypes"
	"github.com/racepred/racepred/instrument/internal/redundancy"
	"github.com/racepred/racepred/instrument/internal/site"
)

// loop is a loop around the statement at hand, in the same function.
type loop struct {
	node      ast.Node
	label     string
	vars      []*types.Var // its shared variables, which every turn copies
	outer     *loop
	blockable bool              // it can be put into a block with flags
	turns     *redundancy.Turns // nil: not computed yet
}

// enterLoop begins the part of a loop that its turns evaluate; the returned function ends it.
func (w *walker) enterLoop(node ast.Node) (leave func()) {
	w.loop = &loop{node: node, outer: w.loop, blockable: w.blockable() && w.flaggable(node)}
	if w.stmt != nil {
		w.loop.label = w.stmt.label
	}
	return func() {
		l := w.loop
		w.loop = l.outer
		w.declareFlags(l)
	}
}

// flaggable reports whether true and false mean at n what they mean everywhere, so that a flag can
// be declared.
func (w *walker) flaggable(n ast.Node) bool {
	return gotypes.Universe(w.Pkg, n, "true") && gotypes.Universe(w.Pkg, n, "false")
}

// loopBody visits the body of a for statement.
//
// (N2) Since go1.22 each turn has variables of its own, and copies their values from the
// turn before. If the variables are shared, the copy is a read:
//
// Replace  for i := 0; i < n; i++ { go func() { i++ }() }
//
//	with  for i := 0; i < n; i++ { go func() { i++ }(); runtime.RacepredR(&i, site) }
//
// and the same before a continue statement.
func (w *walker) loopBody(s *ast.ForStmt) {
	var vars []*types.Var
	if init, ok := s.Init.(*ast.AssignStmt); ok && init.Tok == token.DEFINE && !w.oldLoop {
		for _, lhs := range init.Lhs {
			if v, ok := w.Info.Defs[lhs.(*ast.Ident)].(*types.Var); ok && w.IsShared(v) {
				vars = append(vars, v)
			}
		}
	}
	w.loop.vars = vars
	w.block(s.Body)
	w.loop.vars = nil
	if n := len(s.Body.List); n > 0 && terminates(s.Body.List[n-1]) {
		return
	}
	for _, v := range vars {
		if text, ok := w.copyRead(v, s.Body.Rbrace, s.Body); ok {
			w.Insert(RuleRange, s.Body.Rbrace, "; "+text+" ")
		}
	}
}

// continues visits a continue statement.
func (w *walker) continues(s *ast.BranchStmt) {
	if s.Tok != token.CONTINUE {
		return
	}
	l := w.loop
	for s.Label != nil && l != nil && l.label != s.Label.Name {
		l = l.outer
	}
	if l == nil {
		return
	}
	for _, v := range slices.Backward(l.vars) { // each goes before the last
		if text, ok := w.copyRead(v, s.Pos(), s); ok {
			w.stmt.gap.Fill(RuleRange, text+"; ")
		}
	}
}

// copyRead is the recording call for the read of v at pos, where a turn ends.
func (w *walker) copyRead(v *types.Var, pos token.Pos, at ast.Node) (text string, ok bool) {
	if _, visible := w.Pkg.Scope().Innermost(pos).LookupParent(v.Name(), pos); visible != v {
		w.decider.miss(at, WhyShadowed)
		return "", false
	}
	return w.Call("RacepredR", "&"+v.Name(), w.site(site.OpRead, pos, v.Name())), true
}

// terminates reports whether the program certainly does not go on after a statement. It knows the
// simple cases.
func terminates(s ast.Stmt) bool {
	last := func(list []ast.Stmt) bool { return len(list) > 0 && terminates(list[len(list)-1]) }
	switch s := s.(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BranchStmt:
		return s.Tok != token.FALLTHROUGH
	case *ast.BlockStmt:
		return last(s.List)
	case *ast.LabeledStmt:
		return terminates(s.Stmt)
	case *ast.IfStmt:
		return s.Else != nil && last(s.Body.List) && terminates(s.Else)
	case *ast.ExprStmt:
		call, ok := s.X.(*ast.CallExpr)
		if !ok {
			return false
		}
		id, ok := call.Fun.(*ast.Ident)
		return ok && id.Name == "panic"
	}
	return false
}
