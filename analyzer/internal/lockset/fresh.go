package lockset

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// freshness finds the functions that return an object that no other goroutine has yet.
type freshness struct {
	returns  map[*ssa.Function]bool
	imported func(*types.Func) bool
}

// Fresh is the fact that the first result of a function is an object that no other goroutine has
// yet.
type Fresh struct{}

// AFact marks Fresh as a fact.
func (*Fresh) AFact()         {}
func (*Fresh) String() string { return "returns a fresh object" }

func newFreshness(fns []*ssa.Function, imported func(*types.Func) bool) *freshness {
	f := &freshness{returns: map[*ssa.Function]bool{}, imported: imported}
	for range 4 {
		changed := false
		for _, fn := range fns {
			if !f.returns[fn] && f.function(fn) {
				f.returns[fn], changed = true, true
			}
		}
		if !changed {
			break
		}
	}
	return f
}

// function reports whether the first result of every return is fresh or nil.
func (f *freshness) function(fn *ssa.Function) bool {
	some := false
	for _, b := range fn.Blocks {
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !ok {
			continue
		}
		if len(ret.Results) == 0 {
			return false
		}
		v := ret.Results[0]
		if c, ok := v.(*ssa.Const); ok && c.IsNil() {
			continue
		}
		if !f.value(v, 0) {
			return false
		}
		some = true
	}
	return some
}

// value reports whether v is an object that was made in the function, or for it, and that no other
// goroutine has.
func (f *freshness) value(v ssa.Value, depth int) bool {
	if depth > 8 {
		return false
	}
	if _, isStruct := v.Type().Underlying().(*types.Struct); isStruct {
		return true // a copy
	}
	switch v := v.(type) {
	case *ssa.Alloc, *ssa.MakeMap, *ssa.MakeSlice, *ssa.MakeChan:
		return true
	case *ssa.Call:
		return f.call(&v.Call)
	case *ssa.Extract:
		if call, ok := v.Tuple.(*ssa.Call); ok && v.Index == 0 {
			return f.call(&call.Call)
		}
		if recv, ok := v.Tuple.(*ssa.UnOp); ok && recv.Op == token.ARROW { // handed over
			return true
		}
		if sel, ok := v.Tuple.(*ssa.Select); ok {
			return sel != nil
		}
		if t, ok := v.Tuple.(*ssa.TypeAssert); ok {
			return f.value(t.X, depth+1)
		}
	case *ssa.TypeAssert:
		return f.value(v.X, depth+1)
	case *ssa.MakeInterface:
		return f.value(v.X, depth+1)
	case *ssa.ChangeType:
		return f.value(v.X, depth+1)
	case *ssa.ChangeInterface:
		return f.value(v.X, depth+1)
	case *ssa.Phi:
		for _, e := range v.Edges {
			if c, ok := e.(*ssa.Const); ok && c.IsNil() {
				continue
			}
			if e == v || !f.value(e, depth+2) {
				return false
			}
		}
		return true
	case *ssa.UnOp:
		if v.Op == token.ARROW { // handed over
			return true
		}
		if v.Op != token.MUL {
			return false
		}
		if cell := cellOf(v.X); cell != nil {
			return f.stores(v.X, cell, depth)
		}
		if field, ok := v.X.(*ssa.FieldAddr); ok { // what belongs to it is taken to be fresh, too
			return f.value(field.X, depth+1)
		}
	}
	return false
}

// stores reports whether all that is assigned to a local variable is fresh.
func (f *freshness) stores(_ ssa.Value, cell *ssa.Alloc, depth int) bool {
	if stored := onlyStore(cell); stored != nil {
		return f.value(stored, depth+1)
	}
	some := false
	for _, use := range *cell.Referrers() {
		if s, ok := use.(*ssa.Store); ok && s.Addr == cell {
			if c, ok := s.Val.(*ssa.Const); ok && c.IsNil() {
				continue
			}
			if load, ok := s.Val.(*ssa.UnOp); ok && load.X == cell { // a result that is returned by its name
				continue
			}
			if !f.value(s.Val, depth+2) {
				return false
			}
			some = true
		}
	}
	return some
}

// call reports whether the first result of a call is fresh.
func (f *freshness) call(c *ssa.CallCommon) bool {
	fn := c.StaticCallee()
	if fn == nil {
		return false
	}
	if fn.Pkg != nil && fn.Pkg.Pkg.Path() == "sync" && fn.Name() == "Get" { // of a Pool
		return true
	}
	if fn = source(fn); f.returns[fn] {
		return true
	}
	obj, ok := fn.Object().(*types.Func)
	return ok && len(fn.Blocks) == 0 && f.imported(obj)
}
