package syncmisuse

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/racepred/racepred/analyzer/internal/flow"
)

// spinPlain finds loops that only wait, and whose condition reads plain memory that others can
// write: they have no assignment, no call but Gosched or Sleep, and no receive. The compiler may
// read the memory once, and then the loop never ends.
func spinPlain(c *checker) {
	info := c.pass.TypesInfo
	for f := range c.p.Funcs {
		ast.Inspect(f.Body, func(n ast.Node) bool {
			if _, ok := n.(*ast.FuncLit); ok {
				return false
			}
			loop, ok := n.(*ast.ForStmt)
			if !ok || loop.Post != nil || loop.Init != nil {
				return true
			}
			var read ast.Expr
			idle := true
			look := func(n ast.Node) {
				if n == nil {
					return
				}
				ast.Inspect(n, func(n ast.Node) bool {
					switch n := n.(type) {
					case *ast.AssignStmt, *ast.IncDecStmt, *ast.SendStmt, *ast.DeferStmt, *ast.GoStmt, *ast.FuncLit, *ast.RangeStmt, *ast.ReturnStmt:
						idle = idle && isReturn(n)
					case *ast.UnaryExpr:
						idle = idle && n.Op.String() != "<-"
					case *ast.CallExpr:
						idle = idle && waits(info, n)
					}
					return idle
				})
			}
			if loop.Cond != nil {
				look(loop.Cond)
				read = c.plain(f.Node, loop.Cond)
			}
			look(loop.Body)
			if read == nil {
				for _, s := range loop.Body.List {
					if s, ok := s.(*ast.IfStmt); ok && s.Init == nil && leaves(s.Body) && read == nil {
						read = c.plain(f.Node, s.Cond)
					}
				}
			}
			if idle && read != nil {
				c.report(loop, nil, relate(read, "what the loop looks at"), "the loop waits for %s to change, which is read plainly: it may never see that", types.ExprString(read))
			}
			return true
		})
	}
}

func isReturn(n ast.Node) bool {
	r, ok := n.(*ast.ReturnStmt)
	return ok && len(r.Results) == 0
}

// leaves reports whether a block leaves the loop.
func leaves(b *ast.BlockStmt) bool {
	if len(b.List) == 0 {
		return false
	}
	switch s := b.List[len(b.List)-1].(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BranchStmt:
		return s.Tok.String() == "break"
	}
	return false
}

// waits reports whether a call only passes time.
func waits(info *types.Info, e *ast.CallExpr) bool {
	fn := typeutil.StaticCallee(info, e)
	if fn == nil || fn.Pkg() == nil {
		return info.Types[e.Fun].IsType() || info.Types[e.Fun].IsBuiltin()
	}
	switch fn.FullName() {
	case "runtime.Gosched", "time.Sleep":
		return true
	}
	return false
}

// plain is the variable of a condition that another goroutine can write: a package variable, a
// field behind a pointer, a captured variable; nil if there is none.
func (c *checker) plain(fn ast.Node, cond ast.Expr) (found ast.Expr) {
	info := c.pass.TypesInfo
	ast.Inspect(cond, func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		if !ok || found != nil {
			return false
		}
		v := variable(info, e)
		if v == nil {
			return true
		}
		if _, basic := v.Type().Underlying().(*types.Basic); !basic {
			return true
		}
		if v.IsField() || v.Parent() == c.pass.Pkg.Scope() || c.captured(fn, v) {
			found = e
		}
		return false
	})
	return found
}

// captured reports whether a goroutine's literal writes a variable, or the variable is of a
// function around this one.
func (c *checker) captured(fn ast.Node, v *types.Var) bool {
	if v.Pos() < fn.Pos() || v.Pos() >= fn.End() {
		return true
	}
	for _, lit := range c.p.Lits {
		if lit.Pos() <= v.Pos() && v.Pos() < lit.End() {
			continue
		}
		for e := range c.p.Func(lit).Events {
			if e.Path.Root == v && e.Path.Sel == "" && e.Kind == flow.Write {
				return true
			}
		}
	}
	return false
}
