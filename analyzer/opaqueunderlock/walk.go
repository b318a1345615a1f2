package opaqueunderlock

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// held says how a lock will be given back.
type held uint8

const (
	heldOpen     held = iota // by a later statement
	heldDeferred             // by a deferred call
)

// locks are the locks that are certainly held, as written.
type locks map[string]held

// walker goes through one function, statement by statement.
type walker struct {
	pass   *analysis.Pass
	opaque map[*ast.CallExpr]bool
}

// list visits statements in order. It changes in to the locks that are held after them.
func (w *walker) list(stmts []ast.Stmt, in locks) {
	for _, s := range stmts {
		w.stmt(s, in)
	}
}

func (w *walker) stmt(s ast.Stmt, in locks) {
	switch s := s.(type) {
	case *ast.ExprStmt:
		w.exprs(s, in)
		switch lock, method := w.lockCall(s.X); method { // (U1)
		case "Lock", "RLock":
			in[lock] = heldOpen
		case "Unlock", "RUnlock":
			delete(in, lock)
		}
	case *ast.DeferStmt:
		w.deferred(s, in)
	case *ast.GoStmt:
		for _, arg := range s.Call.Args {
			w.exprs(arg, in)
		}
	case *ast.LabeledStmt:
		w.stmt(s.Stmt, in)
	case *ast.BlockStmt:
		w.list(s.List, in)
	case *ast.IfStmt:
		w.optional(s.Init, in)
		w.exprs(s.Cond, in)
		w.branch(s.Body.List, in)
		switch e := s.Else.(type) {
		case *ast.BlockStmt:
			w.branch(e.List, in)
		case *ast.IfStmt:
			w.branch([]ast.Stmt{e}, in)
		}
	case *ast.ForStmt:
		w.optional(s.Init, in)
		if s.Cond != nil {
			w.exprs(s.Cond, in)
		}
		w.branch(s.Body.List, in)
		w.optional(s.Post, in)
	case *ast.RangeStmt:
		w.exprs(s.X, in)
		w.branch(s.Body.List, in)
	case *ast.SwitchStmt:
		w.optional(s.Init, in)
		if s.Tag != nil {
			w.exprs(s.Tag, in)
		}
		w.clauses(s.Body, in)
	case *ast.TypeSwitchStmt:
		w.optional(s.Init, in)
		w.stmt(s.Assign, in)
		w.clauses(s.Body, in)
	case *ast.SelectStmt:
		w.clauses(s.Body, in)
	case nil:
	default:
		w.exprs(s, in)
	}
}

func (w *walker) optional(s ast.Stmt, in locks) {
	if s != nil {
		w.stmt(s, in)
	}
}

func (w *walker) clauses(body *ast.BlockStmt, in locks) {
	before := maps.Clone(in)
	for _, c := range body.List {
		var stmts []ast.Stmt
		switch c := c.(type) {
		case *ast.CaseClause:
			for _, e := range c.List {
				w.exprs(e, before)
			}
			stmts = c.Body
		case *ast.CommClause:
			if c.Comm != nil {
				stmts = append(stmts, c.Comm)
			}
			stmts = append(stmts, c.Body...)
		}
		own := maps.Clone(before)
		w.branch(stmts, own)
		for lock := range in {
			if _, still := own[lock]; !still {
				delete(in, lock)
			}
		}
	}
}

// branch visits statements that may be skipped or repeated. (U2)
func (w *walker) branch(stmts []ast.Stmt, in locks) {
	own := maps.Clone(in)
	w.list(stmts, own)
	if len(stmts) > 0 && leaves(stmts[len(stmts)-1]) {
		return
	}
	for lock := range in {
		if _, still := own[lock]; !still {
			delete(in, lock)
		}
	}
}

// leaves reports whether a statement ends its list for good.
func leaves(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BranchStmt:
		return s.Tok != token.FALLTHROUGH
	case *ast.ExprStmt:
		if call, ok := s.X.(*ast.CallExpr); ok {
			id, ok := call.Fun.(*ast.Ident)
			return ok && id.Name == "panic"
		}
	}
	return false
}

// deferred visits a defer statement. (U4)
func (w *walker) deferred(s *ast.DeferStmt, in locks) {
	for _, arg := range s.Call.Args {
		w.exprs(arg, in)
	}
	if lock, method := w.lockCall(s.Call); method == "Unlock" || method == "RUnlock" {
		if _, ok := in[lock]; ok {
			in[lock] = heldDeferred
		}
		return
	}
	under := locks{}
	for lock, h := range in {
		if h == heldDeferred {
			under[lock] = h
		}
	}
	w.report(s.Call, under)
}

// exprs reports the unrecorded calls of a statement or an expression, without
// those in function literals.
func (w *walker) exprs(n ast.Node, in locks) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			w.report(n, in)
		}
		return true
	})
}

func (w *walker) report(call *ast.CallExpr, in locks) {
	if len(in) == 0 || !w.opaque[call] {
		return
	}
	names := slices.Sorted(maps.Keys(in))
	verb := "is"
	if len(names) > 1 {
		verb = "are"
	}
	w.pass.Report(analysis.Diagnostic{
		Pos: call.Pos(), End: call.End(),
		Message: "call of " + types.ExprString(call.Fun) + " while " + strings.Join(names, " and ") + " " + verb +
			" held: nobody records what it does, so racepred cannot reorder this critical section",
	})
}
