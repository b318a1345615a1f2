// Package local says what only one goroutine can reach: the syntax and types of a package -> the
// objects that stay with the goroutine that made them (Escapes, rules L of package instrument), and
// of each function the variables that others may use (Locals, rules S).
package local

import (
	"go/ast"
	"go/types"

	"github.com/racepred/racepred/instrument/internal/gotypes"
	"github.com/racepred/racepred/internal/library"
	"github.com/racepred/racepred/internal/typeset"
)

// Escapes says what of a package provably stays with the goroutine that made
// it (rules L of package instrument). It knows of
//
//   - the objects that local variables point to: what &T{}, new, make and append allocated;
//   - local variables whose address is taken;
//   - function literals.
//
// It is found by one pass over the package that ignores the order of statements: values that may be
// the same object are one class (Steensgaard, POPL 1996), and a class leaks if any use of it could
// make it known to another goroutine. A parameter has a class of its own, and an argument leaks if
// its parameter does. So an argument does not leak if a function of the package only uses it.
type Escapes struct {
	info  *types.Info
	vars  map[*types.Var]*class         // what a variable of a type that refers to something refers to
	addrs map[*types.Var]*class         // the variable itself, as something that is referred to
	lits  map[*ast.FuncLit]*class       // a literal
	owner map[*types.Var]ast.Node       // the *ast.FuncDecl, *ast.FuncLit or loop over a function that declares a variable
	loops map[*ast.RangeStmt]*class     // the body of a range over a function
	own   map[*types.Func]*ast.FuncDecl // functions of the package that have a body
	keep  map[*types.Func]bool          // those whose calls do not begin a new span; see spanKeepers

	funcs []ast.Node // those around the node at hand, outermost first
}

// A class is a set of values that may be the same object. Classes are joined
// (union-find), so ask find for the representative.
type class struct {
	parent  *class
	foreign bool     // may be an object that something else made
	leaks   bool     // another goroutine could get to know it
	then    []*class // that leak if this one does
}

func (c *class) find() *class {
	for c.parent != nil {
		if c.parent.parent != nil {
			c.parent = c.parent.parent
		}
		c = c.parent
	}
	return c
}

func join(a, b *class) {
	a, b = a.find(), b.find()
	if a == b {
		return
	}
	b.parent = a
	a.foreign = a.foreign || b.foreign
	a.then = append(a.then, b.then...)
	b.then = nil
	switch {
	case a.leaks && !b.leaks, b.leaks && !a.leaks:
		a.leaks = false
		a.leak()
	}
}

// leak marks a class and all that leak with it.
func (c *class) leak() {
	c = c.find()
	if c.leaks {
		return
	}
	c.leaks = true
	then := c.then
	c.then = nil
	for _, t := range then {
		t.leak()
	}
}

// implies says that to leaks if from does.
func implies(from, to *class) {
	from = from.find()
	if from.leaks {
		to.leak()
		return
	}
	from.then = append(from.then, to)
}

// FindEscapes looks through all files of a package.
func FindEscapes(info *types.Info, files ...*ast.File) *Escapes {
	x := &Escapes{
		info:  info,
		vars:  map[*types.Var]*class{},
		addrs: map[*types.Var]*class{},
		lits:  map[*ast.FuncLit]*class{},
		owner: map[*types.Var]ast.Node{},
		loops: map[*ast.RangeStmt]*class{},
		own:   map[*types.Func]*ast.FuncDecl{},
		keep:  spanKeepers(info, files),
	}
	for _, f := range files {
		for _, decl := range f.Decls {
			if decl, ok := decl.(*ast.FuncDecl); ok && decl.Body != nil {
				if fn, ok := info.Defs[decl.Name].(*types.Func); ok {
					x.own[fn] = decl
				}
			}
		}
	}
	for _, f := range files {
		for _, decl := range f.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				if decl.Body != nil {
					x.function(decl, decl.Recv, decl.Type, decl.Body)
				}
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					if spec, ok := spec.(*ast.ValueSpec); ok {
						for _, v := range spec.Values {
							x.leak(v)
						}
					}
				}
			}
		}
	}
	return x
}

// Object reports whether what v refers to was made by the function at hand and
// stays with its goroutine.
func (x *Escapes) Object(v *types.Var) bool {
	if x == nil || x.owner[v] == nil || !refers(v.Type()) {
		return false
	}
	c := x.pointee(v).find()
	return !c.foreign && !c.leaks
}

// variable reports whether the address of v stays with its goroutine.
func (x *Escapes) variable(v *types.Var) bool {
	return x != nil && x.owner[v] != nil && !x.address(v).find().leaks
}

// literal reports whether a function literal is only run by the goroutine that evaluates it.
func (x *Escapes) literal(lit *ast.FuncLit) bool {
	if x == nil {
		return false
	}
	c := x.lits[lit]
	return c != nil && !c.find().leaks
}

// KeepsSpan reports whether a call of fn does not begin a new span.
func (x *Escapes) KeepsSpan(fn *types.Func) bool {
	return x != nil && (x.keep[fn] || gotypes.FactsOf(fn).Is(library.Computes))
}

func (x *Escapes) pointee(v *types.Var) *class {
	c := x.vars[v]
	if c == nil {
		c = &class{}
		x.vars[v] = c
	}
	return c
}

func (x *Escapes) address(v *types.Var) *class {
	c := x.addrs[v]
	if c == nil {
		c = &class{}
		x.addrs[v] = c
	}
	return c
}

// strange is the class of a value that was made elsewhere: loaded, received, returned by a call.
func strange() *class { return &class{foreign: true} }

// refers reports whether values of type t are followed: pointers, slices, functions.
func refers(t types.Type) bool {
	if t == nil || typeset.IsParam(t) {
		return false
	}
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Slice, *types.Signature:
		return true
	}
	return false
}

// leak visits e, whose value gets to a place that is not followed.
func (x *Escapes) leak(e ast.Expr) { x.value(e).leak() }

// local returns the local variable that an identifier names, or nil.
func (x *Escapes) local(id *ast.Ident) *types.Var {
	v, ok := x.info.ObjectOf(id).(*types.Var)
	if !ok || x.owner[v] == nil {
		return nil
	}
	return v
}

// declare notes a variable of the function at hand. unknown says that it
// begins with a value from elsewhere.
func (x *Escapes) declare(id *ast.Ident, unknown bool) {
	if v, ok := x.info.Defs[id].(*types.Var); ok {
		x.declareVar(v, unknown)
	}
}

func (x *Escapes) declareVar(v *types.Var, unknown bool) {
	x.owner[v] = x.funcs[len(x.funcs)-1]
	if unknown {
		x.pointee(v).find().foreign = true
	}
}

// used notes that the function at hand uses v. If it is a literal that another goroutine could run,
// and v is a variable around it, then v and what it refers to are known to that goroutine.
// (instrument/L4)
func (x *Escapes) used(v *types.Var) {
	owner := x.owner[v]
	for i := len(x.funcs) - 1; i >= 0 && x.funcs[i] != owner; i-- {
		switch fn := x.funcs[i].(type) {
		case *ast.FuncLit:
			implies(x.lits[fn], x.address(v))
			implies(x.lits[fn], x.pointee(v))
		case *ast.RangeStmt:
			implies(x.loops[fn], x.address(v))
			implies(x.loops[fn], x.pointee(v))
		}
	}
}

// function visits a function with a body.
func (x *Escapes) function(fn ast.Node, recv *ast.FieldList, typ *ast.FuncType, body *ast.BlockStmt) {
	x.funcs = append(x.funcs, fn)
	for _, list := range []*ast.FieldList{recv, typ.Params, typ.Results} {
		if list == nil {
			continue
		}
		for _, f := range list.List {
			for _, id := range f.Names {
				x.declare(id, list != typ.Results)
				if v := x.local(id); v != nil && list == typ.Results {
					x.pointee(v).leak() // a return without operands
				}
			}
		}
	}
	x.stmt(body)
	x.funcs = x.funcs[:len(x.funcs)-1]
}
