package flow

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/racepred/racepred/internal/typeset"
)

// cond evaluates a condition and goes to then or other.
func (b *builder) cond(e ast.Expr, then, other *Block) {
	switch x := ast.Unparen(e).(type) {
	case *ast.BinaryExpr:
		if x.Op == token.LAND || x.Op == token.LOR {
			right := b.block()
			if x.Op == token.LAND {
				b.cond(x.X, right, other)
			} else {
				b.cond(x.X, then, right)
			}
			b.cur = right
			b.cond(x.Y, then, other)
			return
		}
	case *ast.UnaryExpr:
		if x.Op == token.NOT {
			b.cond(x.X, other, then)
			return
		}
	}
	b.read(e)
	if b.cur == nil {
		b.cur = b.block()
	}
	b.cur.Succs = append(b.cur.Succs, then, other)
	b.cur = nil
}

// read evaluates an expression for its value.
func (b *builder) read(e ast.Expr) {
	info := b.p.Info
	switch e := e.(type) {
	case nil:
	case *ast.Ident:
		b.load(e)
	case *ast.ParenExpr:
		b.read(e.X)
	case *ast.SelectorExpr:
		b.operand(e)
		if s := info.Selections[e]; s == nil || s.Kind() == types.FieldVal {
			b.load(e)
		} else if locks[e.Sel.Name] == Unlock || locks[e.Sel.Name] == RUnlock { // its value: its calls are not known
			if p := Receiver(info, e); p.Valid() {
				b.emit(&Event{Kind: TryLock, Path: p, Node: e})
			}
		} else if fn, ok := s.Obj().(*types.Func); ok && s.Kind() == types.MethodVal && b.p.Decls[fn.Origin()] != nil {
			for _, l := range b.p.effectsOf(fn.Origin()).Locks {
				if l.Param < 0 && l.Leaves != 0 && l.Sel[0] == '*' {
					b.maybe([]Path{Receiver(info, e).Add(l.Sel[1:])}, e)
				}
			}
		}
	case *ast.IndexExpr:
		if !info.Types[e.X].IsValue() || typeset.IsFunc(info.TypeOf(e.X)) {
			return // an instance of a generic function
		}
		b.operand(e)
		b.load(e)
	case *ast.IndexListExpr:
	case *ast.StarExpr:
		b.read(e.X)
		b.load(e)
	case *ast.CallExpr:
		b.call(e)
	case *ast.FuncLit:
		b.detached(e)
	case *ast.UnaryExpr:
		switch {
		case e.Op == token.ARROW:
			b.read(e.X)
			b.receive(e.X, e)
		case e.Op == token.AND:
			if _, ok := ast.Unparen(e.X).(*ast.CompositeLit); ok {
				b.read(e.X)
			} else {
				b.operand(e.X)
			}
		default:
			b.read(e.X)
		}
	case *ast.BinaryExpr:
		b.read(e.X)
		if e.Op != token.LAND && e.Op != token.LOR {
			b.read(e.Y)
			return
		}
		left := b.cur
		if left == nil {
			left = b.block()
		}
		right, join := b.fork(left), b.fork(left)
		b.cur = right
		b.read(e.Y)
		b.jump(join)
		b.cur = join
	case *ast.CompositeLit:
		t, _ := deref(info.TypeOf(e))
		_, isStruct := t.Underlying().(*types.Struct)
		for _, x := range e.Elts {
			if kv, ok := x.(*ast.KeyValueExpr); ok {
				if !isStruct {
					b.read(kv.Key)
				}
				x = kv.Value
			}
			b.read(x)
		}
	case *ast.SliceExpr:
		if t := info.TypeOf(e.X); t != nil {
			if _, array := t.Underlying().(*types.Array); array {
				b.operand(e.X)
			} else {
				b.read(e.X)
			}
		}
		b.read(e.Low)
		b.read(e.High)
		b.read(e.Max)
	case *ast.TypeAssertExpr:
		b.read(e.X)
	}
}

// load is the access that comes with the value of a location.
func (b *builder) load(e ast.Expr) {
	if p := PathOf(b.p.Info, e); p.Valid() {
		b.emit(&Event{Kind: Read, Path: p, Node: e})
	}
}

// operand evaluates the operands of a location's address.
func (b *builder) operand(e ast.Expr) {
	info := b.p.Info
	switch e := e.(type) {
	case *ast.Ident:
	case *ast.ParenExpr:
		b.operand(e.X)
	case *ast.SelectorExpr:
		s := info.Selections[e]
		if s == nil {
			return
		}
		if _, ptr := deref(s.Recv()); ptr {
			b.read(e.X)
		} else {
			b.operand(e.X)
		}
		b.embedded(e, s)
	case *ast.IndexExpr:
		if t := info.TypeOf(e.X); t != nil {
			if _, array := t.Underlying().(*types.Array); array {
				b.operand(e.X)
			} else {
				b.read(e.X)
			}
		}
		b.read(e.Index)
	case *ast.StarExpr:
		b.read(e.X)
	default:
		b.read(e)
	}
}

// embedded loads the embedded pointers that a selector passes through.
func (b *builder) embedded(e *ast.SelectorExpr, s *types.Selection) {
	index := s.Index()
	base := PathOf(b.p.Info, e.X)
	for n := 1; n < len(index); n++ {
		p, t := fields(base, s.Recv(), index[:n])
		if _, ptr := deref(t); ptr && p.Valid() {
			b.emit(&Event{Kind: Read, Path: p, Node: e})
		}
	}
}

// write stores into a location; its operands are evaluated before.
func (b *builder) write(e ast.Expr, at ast.Node) {
	e = ast.Unparen(e)
	id, ok := e.(*ast.Ident)
	if ok && id.Name == "_" {
		return
	}
	p := PathOf(b.p.Info, e)
	if !p.Valid() {
		return
	}
	kind := Write
	if ok && b.p.Info.Defs[id] != nil {
		kind = Declare
	}
	b.emit(&Event{Kind: kind, Path: p, Node: at})
}

func (b *builder) assign(s *ast.AssignStmt) {
	for _, r := range s.Rhs {
		b.read(r)
	}
	for _, l := range s.Lhs {
		b.operand(l)
		if s.Tok != token.ASSIGN && s.Tok != token.DEFINE {
			b.load(l)
		}
	}
	for _, l := range s.Lhs {
		b.write(l, s)
	}
}
