package lockset

import (
	"go/token"
	"regexp"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// owned reports whether nobody else has, at an instruction, the object that v is or points into.
//
//	(O1) What a function makes is its own, and that of the functions that it hands it to, until it gets into a goroutine.
//	(O2) So is what comes from a channel or a sync.Pool, and what a function returns that made it.
//	(O3) A function whose name says that it starts something has what it gets to itself until it starts the first goroutine with it.
func (p *Program) owned(ctx *Context, v ssa.Value, at ssa.Instruction) bool {
	v = object(v)
	switch x := v.(type) {
	case *ssa.Parameter:
		return slices.Contains(ctx.owned, v) && !p.published(v, at)
	case *ssa.Const, *ssa.Global, *ssa.FreeVar:
		return false
	case ssa.Instruction:
		if !ctx.has(x.Parent()) {
			return false
		}
	}
	return p.fresh.value(v, 0) && !p.published(v, at)
}

// has reports whether the goroutine of the context runs fn itself: it is the function at hand or one around it.
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

// object is what v is a part of, as far as the function and those around it know it under one name.
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

// published reports whether a goroutine may have an object before an instruction of the function that made it.
func (p *Program) published(v ssa.Value, at ssa.Instruction) bool {
	fn := v.Parent()
	if fn == nil || at.Parent() != fn {
		return false
	}
	for _, c := range p.starters[fn] {
		if c == at || !p.publishes(c, v) {
			continue
		}
		if s, ok := at.(*ssa.Store); ok && c.Value() != nil && s.Val == ssa.Value(c.Value()) { // t.timer = time.AfterFunc(d, t.run)
			continue
		}
		b := c.Block()
		if b == at.Block() && slices.Index(b.Instrs, at) > slices.Index(b.Instrs, ssa.Instruction(c)) {
			return true
		}
		var made *ssa.BasicBlock // on the way through it, v is another object
		if def, ok := v.(ssa.Instruction); ok {
			made = def.Block()
		}
		if at.Block() != made && reachesPast(b, at.Block(), made) {
			return true
		}
	}
	return false
}

// prepares reports whether a function has yet to start the goroutines that it gives an object to. (O3)
func (p *Program) prepares(fn *ssa.Function, v ssa.Value, at ssa.Instruction) bool {
	if !beginning.MatchString(fn.Name()) {
		return false
	}
	param, ok := object(v).(*ssa.Parameter)
	if !ok || param.Parent() != fn || p.published(param, at) {
		return false
	}
	for _, c := range p.starters[fn] {
		if b := c.Block(); p.publishes(c, param) && (b == at.Block() && slices.Index(b.Instrs, at) < slices.Index(b.Instrs, ssa.Instruction(c)) || b != at.Block() && reaches(at.Block(), b)) {
			return true
		}
	}
	return false
}

var beginning = regexp.MustCompile(`^(?i:start|run|open|serve|listen|connect|begin|launch|boot)`)

// reaches reports whether there is a way from one block to another; from a block to itself, whether it is in a loop.
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
