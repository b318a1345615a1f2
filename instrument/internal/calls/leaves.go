package calls

import (
	"go/ast"
	"go/types"

	"github.com/racepred/racepred/instrument/internal/gotypes"
	"github.com/racepred/racepred/internal/library"
)

// LeaveLocked finds the functions and function literals of a package that may return with a lock that they have taken, as far as their text shows: they take a lock, by
// a call of their own or by another function of the package that returns with one, and have no call that gives a lock of that name back. Functions that call a
// function value, or one of another package, which returns with a lock, are not found.
func LeaveLocked(info *types.Info, files ...*ast.File) map[ast.Node]bool {
	l := &leaving{info: info, all: map[ast.Node]*lockUse{}, declared: map[*types.Func]*lockUse{}}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if fn, ok := info.Defs[n.Name].(*types.Func); ok && n.Body != nil {
					l.declared[fn] = l.look(n, n.Body)
				}
			case *ast.FuncLit:
				l.look(n, n.Body)
			}
			return true
		})
	}
	for again := true; again; {
		again = false
		for _, u := range l.all {
			if !u.leaves && l.leaves(u) {
				u.leaves, again = true, true
			}
		}
	}
	found := map[ast.Node]bool{}
	for n, u := range l.all {
		if u.leaves {
			found[n] = true
		}
	}
	return found
}

type leaving struct {
	info     *types.Info
	all      map[ast.Node]*lockUse
	declared map[*types.Func]*lockUse
}

// lockUse is what a function does with locks.
type lockUse struct {
	takes  bool          // it has a call that takes a lock, and none that gives back one of that name
	gives  bool          // the other way round; calls of function literals in it count
	calls  []*types.Func // what it calls itself
	frees  []*types.Func // what it calls, function literals in it included
	leaves bool
}

func (l *leaving) look(n ast.Node, body *ast.BlockStmt) *lockUse {
	u := &lockUse{}
	l.all[n] = u
	taken, gives := map[string]bool{}, map[string]bool{}
	var visit func(n ast.Node, own bool)
	visit = func(n ast.Node, own bool) {
		ast.Inspect(n, func(x ast.Node) bool {
			switch x := x.(type) {
			case *ast.FuncLit:
				visit(x.Body, false)
				return false
			case *ast.CallExpr:
				lock, facts := gotypes.LockCall(l.info, x)
				switch {
				case facts.Is(library.Unlocks):
					gives[types.ExprString(lock)] = true
				case facts != 0:
					if own {
						taken[types.ExprString(lock)] = true
					}
				default:
					fn := gotypes.StaticCallee(l.info, x)
					if fn == nil {
						break
					}
					u.frees = append(u.frees, fn.Origin())
					if own {
						u.calls = append(u.calls, fn.Origin())
					}
				}
			}
			return true
		})
	}
	visit(body, true)
	for name := range taken {
		u.takes = u.takes || !gives[name]
		delete(gives, name)
	}
	u.gives = len(gives) > 0
	return u
}

// leaves reports whether a function may return with a lock.
func (l *leaving) leaves(u *lockUse) bool {
	if u.takes {
		return true
	}
	for _, fn := range u.calls {
		if callee := l.declared[fn]; callee != nil && callee.leaves && !l.givesBack(u) {
			return true
		}
	}
	return false
}

// givesBack reports whether a function gives back a lock that it does not take itself, or calls one that does.
func (l *leaving) givesBack(u *lockUse) bool {
	if u.gives {
		return true
	}
	for _, fn := range u.frees {
		if callee := l.declared[fn]; callee != nil && callee.gives && !callee.leaves {
			return true
		}
	}
	return false
}
