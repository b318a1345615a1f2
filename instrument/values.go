package instrument

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"

	"github.com/racepred/racepred/internal/typeset"
)

// For prediction that knows values (which other order of accesses still takes the same branches) the
// values of shared reads and writes have to be recorded, and what the branches make of them. A plan
// says where, if Source.Values asks for it; nothing is rewritten for it yet.
//
//   - (V1) A value belongs to the site of a read or write of a boolean, number, string or pointer.
//     All other accesses (whole structs, ranges of elements, maps) have none.
//   - (V2) A condition decides where its function goes on: that of if and for, tag and cases of a switch, the
//     left operand of && and ||, what a type switch or a range looks at.
//   - (V3) It depends on the reads in it and on those that local variables in it were ever
//     computed from in the same function. What calls return is not followed.
//
// With Source.Values covered accesses are recorded as well: each read has a value of its own.

// Value is a site whose value is to be recorded.
type Value struct {
	Site int    // index into Plan.Sites
	Type string // the type underneath, as in "int", "string" or "*example.com/m.T"
}

// Condition is a place where the way a goroutine takes depends on shared reads.
type Condition struct {
	Line, Col int
	Kind      string // if, for, switch, case, and, or, type switch, range
	Expr      string
	Reads     []int // indexes into Plan.Sites, ascending
}

// everything says whether covered accesses are recorded.
func (d *decider) everything() bool { return d.All || d.Values }

// values fills in Plan.Values and Plan.Conditions.
func (d *decider) values() {
	v := &valueFinder{decider: d, reads: map[int][]int{}}
	type place struct {
		line, col int
		expr      string
	}
	sites := map[place][]int{}
	for i, s := range d.plan.Sites {
		if s.Op == OpRead || s.Op == OpWrite {
			sites[place{s.Line, s.Col, s.Expr}] = append(sites[place{s.Line, s.Col, s.Expr}], i)
		}
	}
	ast.Inspect(d.File, func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		if !ok {
			return true
		}
		p := d.tok.PositionFor(e.Pos(), false)
		at := place{p.Line, p.Column, oneLine(d.text(e))}
		for _, i := range sites[at] {
			if d.plan.Sites[i].Op == OpRead {
				v.reads[d.off(e.Pos())] = append(v.reads[d.off(e.Pos())], i)
			}
			if t := scalar(d.Info.TypeOf(e)); t != "" {
				d.plan.Values = append(d.plan.Values, Value{i, t}) // (V1)
			}
		}
		delete(sites, at)
		return true
	})
	slices.SortFunc(d.plan.Values, func(a, b Value) int { return cmp.Compare(a.Site, b.Site) })
	for _, decl := range d.File.Decls {
		v.depends = map[*types.Var]map[int]bool{}
		for v.flow(decl) {
		}
		ast.Inspect(decl, v.visit)
	}
}

func scalar(t types.Type) string {
	if t == nil {
		return ""
	}
	switch u := typeset.Core(t).(type) {
	case *types.Basic:
		return u.String()
	case *types.Pointer:
		return u.String()
	}
	return ""
}

type valueFinder struct {
	*decider
	reads   map[int][]int // by offset: the sites
	depends map[*types.Var]map[int]bool
}

// of lists the reads that an expression depends on. (V3)
func (v *valueFinder) of(es ...ast.Expr) map[int]bool {
	all := map[int]bool{}
	for _, e := range es {
		if e == nil {
			continue
		}
		ast.Inspect(e, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				return false
			case *ast.Ident:
				if x, ok := v.Info.Uses[n].(*types.Var); ok {
					maps.Copy(all, v.depends[x])
				}
			}
			if x, ok := n.(ast.Expr); ok {
				for _, i := range v.reads[v.off(x.Pos())] {
					all[i] = true
				}
			}
			return true
		})
	}
	return all
}

// flow follows all assignments of local variables once; it says whether that brought anything new.
func (v *valueFinder) flow(root ast.Node) (more bool) {
	add := func(lhs ast.Expr, from map[int]bool) {
		id, ok := lhs.(*ast.Ident)
		if !ok {
			return
		}
		x, ok := v.Info.ObjectOf(id).(*types.Var)
		if !ok || isPackageVar(x) {
			return
		}
		if v.depends[x] == nil {
			v.depends[x] = map[int]bool{}
		}
		before := len(v.depends[x])
		maps.Copy(v.depends[x], from)
		more = more || len(v.depends[x]) > before
	}
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, lhs := range n.Lhs {
				if len(n.Lhs) == len(n.Rhs) {
					add(lhs, v.of(n.Rhs[i]))
				} else {
					add(lhs, v.of(n.Rhs...))
				}
			}
		case *ast.ValueSpec:
			for i, id := range n.Names {
				if len(n.Names) == len(n.Values) {
					add(id, v.of(n.Values[i]))
				} else {
					add(id, v.of(n.Values...))
				}
			}
		case *ast.RangeStmt:
			from := v.of(n.X)
			add(n.Key, from)
			add(n.Value, from)
		}
		return true
	})
	return more
}

// visit lists the conditions. (V2)
func (v *valueFinder) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.IfStmt:
		v.condition("if", n.Cond)
	case *ast.ForStmt:
		v.condition("for", n.Cond)
	case *ast.SwitchStmt:
		v.condition("switch", n.Tag)
	case *ast.CaseClause:
		for _, e := range n.List {
			v.condition("case", e)
		}
	case *ast.TypeSwitchStmt:
		ast.Inspect(n.Assign, func(n ast.Node) bool {
			if guard, ok := n.(*ast.TypeAssertExpr); ok && guard.Type == nil {
				v.condition("type switch", guard.X)
			}
			return true
		})
	case *ast.RangeStmt:
		v.condition("range", n.X)
	case *ast.BinaryExpr:
		switch n.Op {
		case token.LAND:
			v.condition("and", n.X)
		case token.LOR:
			v.condition("or", n.X)
		}
	}
	return true
}

func (v *valueFinder) condition(kind string, e ast.Expr) {
	if e == nil {
		return
	}
	reads := v.of(e)
	if len(reads) == 0 {
		return
	}
	p := v.tok.PositionFor(e.Pos(), false)
	v.plan.Conditions = append(v.plan.Conditions, Condition{p.Line, p.Column, kind, oneLine(v.text(e)), slices.Sorted(maps.Keys(reads))})
}
