package lockset

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Access is an instruction that reads or writes a field of a struct or a package variable.
type Access struct {
	Instr   ssa.Instruction
	Pos     token.Pos
	Var     types.Object // the field or the variable
	Owner   string       // the class of the struct with a dot behind it, "example.com/m.Cache."; of a package variable its package's
	Content bool         // not the variable itself but the elements of its map, slice or array
	Write   bool
	First   bool      // a write of a variable that has been found to be zero
	base    ssa.Value // what the field is selected from; nil for a package variable
}

// Of is the parameter of the function that the field belongs to directly; nil if it belongs to
// another object.
func (a *Access) Of() *ssa.Parameter {
	if a.base == nil {
		return nil
	}
	path := PathOf(a.base)
	if param, ok := path.Root.(*ssa.Parameter); ok && path.Steps == "" {
		return param
	}
	return nil
}

// accessesOf finds the accesses of a function, by instruction.
func (ns names) accessesOf(fn *ssa.Function) map[ssa.Instruction][]Access {
	by := map[ssa.Instruction][]Access{}
	for _, a := range ns.listAccesses(fn) {
		by[a.Instr] = append(by[a.Instr], a)
	}
	return by
}

func (ns names) listAccesses(fn *ssa.Function) (all []Access) {
	replaced := replacedIn(fn)
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			switch i := instr.(type) {
			case *ssa.Store:
				if a, ok := ns.accessAt(i.Addr, i); ok {
					a.Write, a.First = true, first(i)
					all = append(all, a)
				} else if x, ok := i.Addr.(*ssa.IndexAddr); ok {
					all = ns.contents(all, x.X, i, true, replaced)
				}
			case *ssa.UnOp:
				if i.Op != token.MUL {
					continue
				}
				if a, ok := ns.accessAt(i.X, i); ok {
					all = append(all, a)
				} else if x, ok := i.X.(*ssa.IndexAddr); ok {
					all = ns.contents(all, x.X, i, false, replaced)
				}
			case *ssa.MapUpdate:
				all = ns.contents(all, i.Map, i, true, replaced)
			case *ssa.Lookup:
				all = ns.contents(all, i.X, i, false, replaced)
			case *ssa.Range:
				all = ns.contents(all, i.X, i, false, replaced)
			case *ssa.Call:
				if b, ok := i.Call.Value.(*ssa.Builtin); ok && len(i.Call.Args) > 0 {
					switch b.Name() {
					case "delete", "clear", "copy":
						all = ns.contents(all, i.Call.Args[0], i, true, replaced)
					case "len":
						if _, isMap := i.Call.Args[0].Type().Underlying().(*types.Map); isMap {
							all = ns.contents(all, i.Call.Args[0], i, false, replaced)
						}
					}
				}
			}
		}
	}
	return all
}

// accessAt is the access of the variable with the address addr.
func (ns names) accessAt(addr ssa.Value, instr ssa.Instruction) (Access, bool) {
	switch x := addr.(type) {
	case *ssa.FieldAddr:
		v := FieldOf(x).Origin()
		if synchronizes(v.Type()) {
			return Access{}, false
		}
		owner := ns.fieldClass(x)
		owner = owner[:max(0, len(owner)-len(v.Name()))]
		return Access{Instr: instr, Pos: x.Pos(), Var: v, Owner: owner, base: x.X}, true
	case *ssa.Global:
		obj := x.Object()
		if obj == nil || synchronizes(obj.Type()) {
			return Access{}, false
		}
		return Access{Instr: instr, Pos: posNear(instr), Var: obj, Owner: ClassPrefix(obj.Pkg())}, true
	}
	return Access{}, false
}

// contents appends the access of the elements of v, which is a map, a slice, or the address of an
// array.
func (ns names) contents(all []Access, v ssa.Value, instr ssa.Instruction, write bool, replaced map[Path]bool) []Access {
	at := token.NoPos
	if load, ok := v.(*ssa.UnOp); ok && load.Op == token.MUL {
		v, at = load.X, posNear(load)
		if !instr.Pos().IsValid() && !at.IsValid() {
			return all
		}
	}
	a, ok := ns.accessAt(v, instr)
	if _, isField := v.(*ssa.FieldAddr); !ok || isField && replaced[PathOf(v)] {
		return all
	}
	if _, ok := v.(*ssa.Global); ok && at.IsValid() { // one place with the access of the variable itself
		a.Pos = at
	}
	a.Content, a.Write = true, write
	return append(all, a)
}

// first reports whether a store is in a branch that is taken when the variable is zero.
func first(s *ssa.Store) bool {
	path := PathOf(s.Addr)
	for b := s.Block(); b.Idom() != nil; b = b.Idom() {
		if len(b.Preds) != 1 {
			continue
		}
		pred := b.Preds[0]
		cond, ok := pred.Instrs[len(pred.Instrs)-1].(*ssa.If)
		if !ok {
			continue
		}
		eq, ok := cond.Cond.(*ssa.BinOp)
		if !ok || !(eq.Op == token.EQL && pred.Succs[0] == b || eq.Op == token.NEQ && pred.Succs[1] == b) {
			continue
		}
		x, y := eq.X, eq.Y
		if _, isConst := x.(*ssa.Const); isConst {
			x, y = y, x
		}
		zero, ok := y.(*ssa.Const)
		load, isLoad := x.(*ssa.UnOp)
		if ok && isLoad && load.Op == token.MUL && PathOf(load.X) == path && (zero.Value == nil || zero.Value.String() == "0" || zero.Value.String() == `""`) {
			return true
		}
	}
	return false
}

// replacedIn are the fields that a function, or a method that it calls, assigns to: the function
// may keep their old value as its own.
func replacedIn(fn *ssa.Function) map[Path]bool {
	all := map[Path]bool{}
	known := map[*ssa.Function][]string{}
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			switch i := instr.(type) {
			case *ssa.Store:
				if f, ok := i.Addr.(*ssa.FieldAddr); ok {
					all[PathOf(f)] = true
				}
			case *ssa.Call:
				to := callee(&i.Call)
				args := arguments(&i.Call)
				if to == nil || to.Signature.Recv() == nil || len(to.Blocks) == 0 || len(args) == 0 {
					continue
				}
				fields, ok := known[to]
				if !ok {
					fields = replacedBy(to)
					known[to] = fields
				}
				of := PathOf(args[0])
				for _, f := range fields {
					all[Path{of.Root, of.Steps + f}] = true
				}
			}
		}
	}
	return all
}

// replacedBy are the fields of its receiver that a method assigns to, as steps.
func replacedBy(fn *ssa.Function) (fields []string) {
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			if s, ok := instr.(*ssa.Store); ok {
				if f, ok := s.Addr.(*ssa.FieldAddr); ok && PathOf(f.X) == (Path{Root: fn.Params[0]}) {
					fields = append(fields, "."+FieldOf(f).Name())
				}
			}
		}
	}
	return fields
}

// posNear is a position of an instruction that has none itself: that of what uses its value.
func posNear(instr ssa.Instruction) token.Pos {
	if instr.Pos().IsValid() {
		return instr.Pos()
	}
	if v, ok := instr.(ssa.Value); ok && v.Referrers() != nil {
		for _, use := range *v.Referrers() {
			if use.Pos().IsValid() && use.Parent() == instr.Parent() {
				return use.Pos()
			}
		}
	}
	after := false
	for _, i := range instr.Block().Instrs {
		if after = after || i == instr; after && i.Pos().IsValid() {
			return i.Pos()
		}
	}
	return token.NoPos
}

// synchronizes reports whether a variable of the type is accessed by methods that synchronize by
// themselves.
func synchronizes(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return false
	}
	path := n.Obj().Pkg().Path()
	return path == "sync" || path == "sync/atomic"
}

// addressed are the variables whose address is used for more than loads and stores: mostly by
// package sync/atomic.
func (ns names) addressed(fns []*ssa.Function) map[types.Object]bool {
	all := map[types.Object]bool{}
	for _, fn := range fns {
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				call, ok := instr.(ssa.CallInstruction)
				if !ok {
					continue
				}
				c := call.Common()
				atomic := false
				if f := c.StaticCallee(); f != nil && f.Pkg != nil {
					atomic = f.Pkg.Pkg.Path() == "sync/atomic"
				}
				if !atomic {
					continue
				}
				for _, arg := range c.Args {
					if a, ok := ns.accessAt(arg, instr); ok {
						all[a.Var] = true
					}
				}
			}
		}
	}
	return all
}
