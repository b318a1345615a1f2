package plan

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/racepred/racepred/instrument/internal/gotypes"
	"github.com/racepred/racepred/instrument/internal/site"
	"github.com/racepred/racepred/internal/library"
)

// Marker is the line in the comment of a function that is meant to be atomic.
const Marker = "//racepred:atomic"

// isMarked reports whether a comment has the marker in a line of its own, which may say more behind
// it.
func isMarked(doc *ast.CommentGroup) bool {
	if doc == nil {
		return false
	}
	for _, c := range doc.List {
		if f := strings.Fields(c.Text); len(f) > 0 && f[0] == Marker {
			return true
		}
	}
	return false
}

// words are what may follow "//racepred:" in a comment.
var words = []string{"atomic", "guardedby", "ignore"}

// strayMarks notes the markers that belong to no recorded function, and comments for racepred with
// another word.
func (d *decider) strayMarks() {
	of := map[*ast.CommentGroup]bool{}
	for _, decl := range d.File.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && f.Body != nil && !gotypes.MayNotCall(f) {
			of[f.Doc] = true
		}
	}
	for _, group := range d.File.Comments {
		if isMarked(group) && !of[group] {
			d.miss(group, WhyStrayMark)
		}
		for _, c := range group.List {
			text, ours := strings.CutPrefix(c.Text, "//racepred:")
			if f := strings.Fields(text); ours && (len(f) == 0 || !slices.Contains(words, f[0])) {
				d.miss(c, WhyUnknownWord)
			}
		}
	}
}

// markedFunc announces a function that is meant to be atomic.
//
// (U1) Replace  func (a *A) move() { ... }
//
//	with  func (a *A) move() { runtime.RacepredAtomic(site); defer runtime.RacepredUnitEnd(); ... }
func (w *walker) markedFunc(decl *ast.FuncDecl) {
	if isMarked(decl.Doc) {
		w.unit("RacepredAtomic", decl.Name.Pos(), decl.Body)
	}
}

// unit announces the beginning and the end of a function.
func (w *walker) unit(begin string, at token.Pos, body *ast.BlockStmt) {
	w.Ahead(RuleUnit, body.Lbrace+1, " "+w.Call(begin, w.site(site.OpAtomic, at, w.name))+"; defer "+w.Call("RacepredUnitEnd")+";")
}

// sections announces a function that takes one lock in several places.
//
// (U2) Replace  func (c *C) put() { c.mu.Lock(); ... c.mu.Unlock(); for ... { c.mu.Lock(); ... } }
//
//	with  func (c *C) put() { runtime.RacepredSections(site); defer runtime.RacepredUnitEnd(); ... for ... { runtime.RacepredTurn(); c.mu.Lock(); ... } }
func (w *walker) sections(body *ast.BlockStmt) {
	if !w.Sections || !w.takesAgain(body) {
		return
	}
	w.unit("RacepredSections", body.Lbrace, body)
	inspectOwn(body, func(n ast.Node) {
		var loop *ast.BlockStmt
		switch n := n.(type) {
		case *ast.ForStmt:
			loop = n.Body
		case *ast.RangeStmt:
			loop = n.Body
		default:
			return
		}
		if len(w.acquires(loop)) > 0 {
			w.Ahead(RuleUnit, loop.Lbrace+1, " "+w.Call("RacepredTurn")+";")
		}
	})
}

// takesAgain reports whether a function has two calls that take a lock of the same name.
func (w *walker) takesAgain(body *ast.BlockStmt) bool {
	for _, n := range w.acquires(body) {
		if n > 1 {
			return true
		}
	}
	return false
}

// acquires counts the calls that take a lock, by the lock's name. Calls in function literals do not
// count.
func (w *walker) acquires(body *ast.BlockStmt) map[string]int {
	n := map[string]int{}
	inspectOwn(body, func(node ast.Node) {
		call, ok := node.(*ast.CallExpr)
		if !ok {
			return
		}
		if lock, facts := gotypes.LockCall(w.Info, call); facts&(library.Locks|library.RLocks) != 0 {
			n[w.Written(lock)]++
		}
	})
	return n
}

// inspectOwn calls f for the nodes of a function, other than those of function literals in it.
func inspectOwn(body *ast.BlockStmt, f func(ast.Node)) {
	ast.Inspect(body, func(n ast.Node) bool {
		if _, lit := n.(*ast.FuncLit); lit || n == nil {
			return false
		}
		f(n)
		return true
	})
}
