package lockset

import (
	"go/token"
	"regexp"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// owned reports whether no other goroutine has, at an instruction, the object that v is or points
// into.
//
//	(O1) An object that a function makes belongs to the function, and to those that it hands the
//	     object to, until a goroutine gets it.
//	(O2) So does an object from a channel or a sync.Pool, and one that the function that made it
//	     returns.
//	(O4) After goroutines have got the object, the function shares it with these and with no others.
//	(O3) A function whose name says that it starts something is alone with its arguments until it
//	     starts the first goroutine that gets them. That does not hold for a value that is computed
//	     from its old one, as by n++: the function may run more than once.
func (p *Program) owned(ctx *Context, v ssa.Value, at ssa.Instruction) bool {
	v = object(v)
	switch x := v.(type) {
	case *ssa.Parameter:
		return slices.Contains(ctx.owned, v) && p.published(v, at) == nil
	case *ssa.Const, *ssa.Global, *ssa.FreeVar:
		return false
	case ssa.Instruction:
		if !ctx.has(x.Parent()) {
			return false
		}
	}
	return p.fresh.value(v, 0) && p.published(v, at) == nil
}

// sharers are the starts, in the function that made an object, of the goroutines that have it
// besides that function's own; nil if others may have it, too. (O4)
func (p *Program) sharers(v ssa.Value, at ssa.Instruction) []ssa.Instruction {
	v = object(v)
	if def, ok := v.(ssa.Instruction); !ok || def.Parent() != at.Parent() || !p.fresh.value(v, 0) {
		return nil
	}
	return p.published(v, at)
}

// has reports whether the goroutine of the context runs fn itself: it is the function at hand or
// one around it.
func (c *Context) has(fn *ssa.Function) bool {
	for f := c.Fn; f != nil; f = f.Parent() {
		if f == fn {
			return true
		}
		if f == c.within {
			return false
		}
	}
	return false
}

// object is the object that v is a part of, as far as the function and those around it have one
// name for it.
func object(v ssa.Value) ssa.Value {
	for range 20 {
		switch x := v.(type) {
		case *ssa.FieldAddr:
			v = x.X
		case *ssa.IndexAddr:
			v = x.X
		case *ssa.FreeVar:
			b := bindingOf(x)
			if b == nil {
				return v
			}
			v = b
		case *ssa.UnOp:
			if x.Op != token.MUL {
				return v
			}
			cell := cellOf(x.X)
			if cell == nil {
				return v
			}
			stored := onlyStore(cell)
			if stored == nil {
				return v
			}
			v = stored
		default:
			return v
		}
	}
	return v
}

// published are the starts of the goroutines that may have an object before an instruction of the
// function that made it.
func (p *Program) published(v ssa.Value, at ssa.Instruction) (by []ssa.Instruction) {
	fn := v.Parent()
	if fn == nil || at.Parent() != fn {
		return nil
	}
	for _, c := range p.starters[fn] {
		if c == at {
			continue
		}
		sites := p.publishes(c, v)
		if sites == nil {
			continue
		}
		if s, ok := at.(*ssa.Store); ok && c.Value() != nil && s.Val == ssa.Value(c.Value()) { // t.timer = time.AfterFunc(d, t.run)
			continue
		}
		b := c.Block()
		var made *ssa.BasicBlock // on the way through it, v is another object
		if def, ok := v.(ssa.Instruction); ok {
			made = def.Block()
		}
		if b == at.Block() && slices.Index(b.Instrs, at) > slices.Index(b.Instrs, ssa.Instruction(c)) || at.Block() != made && reachesPast(b, at.Block(), made) {
			by = append(by, sites...)
		}
	}
	return by
}

// prepares reports whether a function has yet to start the goroutines that it gives an object to.
// (O3)
func (p *Program) prepares(fn *ssa.Function, v ssa.Value, at ssa.Instruction) bool {
	if !beginning.MatchString(fn.Name()) || changes(at) {
		return false
	}
	param, ok := object(v).(*ssa.Parameter)
	if !ok || param.Parent() != fn || p.published(param, at) != nil {
		return false
	}
	for _, c := range p.starters[fn] {
		if b := c.Block(); p.publishes(c, param) != nil && (b == at.Block() && slices.Index(b.Instrs, at) < slices.Index(b.Instrs, ssa.Instruction(c)) || b != at.Block() && reaches(at.Block(), b)) {
			return true
		}
	}
	return false
}

var beginning = regexp.MustCompile(`^(?i:start|run|open|listen|connect|begin|launch|boot)(?:[^a-z]|$)|^(?i:serve)(?:TLS|Loop)?$`) // ServeHTTP may be called at any time

// changes reports whether an instruction stores what it makes of the value that was there before:
// by an operation, or by append.
func changes(at ssa.Instruction) bool {
	s, ok := at.(*ssa.Store)
	if !ok {
		return false
	}
	path := PathOf(s.Addr)
	before := func(v ssa.Value) bool {
		load, ok := v.(*ssa.UnOp)
		return ok && load.Op == token.MUL && PathOf(load.X) == path
	}
	switch v := s.Val.(type) {
	case *ssa.BinOp:
		return before(v.X) || before(v.Y)
	case *ssa.Call:
		b, ok := v.Call.Value.(*ssa.Builtin)
		return ok && b.Name() == "append" && before(v.Call.Args[0])
	}
	return false
}

// reaches reports whether there is a way from one block to another; from a block to itself, whether
// it is in a loop.
func reaches(from, to *ssa.BasicBlock) bool { return reachesPast(from, to, nil) }

// reachesPast reports whether there is such a way that does not lead through a block.
func reachesPast(from, to, past *ssa.BasicBlock) bool {
	seen := map[*ssa.BasicBlock]bool{past: past != nil}
	work := slices.Clone(from.Succs)
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if b == to {
			return true
		}
		if !seen[b] {
			seen[b] = true
			work = append(work, b.Succs...)
		}
	}
	return false
}
