package plan

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/racepred/racepred/instrument/internal/gotypes"
	"github.com/racepred/racepred/instrument/internal/promoted"
	"github.com/racepred/racepred/instrument/internal/site"
)

// Wrappers. The compiler makes a wrapper for a method that is promoted through an embedded pointer
// or interface, or that has a value receiver and is called through a pointer. A caller that does
// not know the type calls the wrapper: through an interface, by a method expression, by reflection.
// The wrapper does the reads of x.Method (R3, R4), and they are in no line of any source.
//
// (R5) For each wrapper that reads memory which others can write, the file that declares the type
// has a function that records the reads and calls the wrapper. Package runtime puts it in the
// wrapper's place in the tables of methods:
//
//	func f(r *T, a A) R { if r != nil { runtime.RacepredR(&r.Embedded, site) }; return w(r, a) }
//	var w func(*T, A) R
//	func init() { runtime.RacepredWrapper(&w, (*T).Method, f, false) }

// wrappers plans the functions for the wrappers of a type's methods.
func (d *decider) wrappers(spec *ast.TypeSpec) {
	obj, ok := d.Info.Defs[spec.Name].(*types.TypeName)
	if !ok || obj.IsAlias() || obj.Name() == "_" {
		return
	}
	named, ok := obj.Type().(*types.Named)
	if !ok || types.IsInterface(named) {
		return
	}
	w := d.walker("", spec)
	for i, t := range []types.Type{types.NewPointer(named), named} {
		var texts []string
		shared := i == 0
		for _, m := range d.wrapped(spec, t, shared) {
			if named.TypeParams().Len() > 0 {
				d.miss(spec.Name, WhyWrapperGeneric)
				return
			}
			if d.ofTest(m.sel.Obj().Pos()) && !d.ofTest(spec.Pos()) { // the file has one text, with the package's tests and without
				d.miss(spec.Name, WhyWrapperTest)
				continue
			}
			before := len(d.plan.imports)
			text, ok := w.wrapper(spec, m.sel, shared, m.reads)
			if !ok {
				d.miss(spec.Name, WhyWrapperSpelling)
				d.plan.imports = d.plan.imports[:before]
				continue
			}
			texts = append(texts, text)
		}
		if len(texts) > 0 {
			d.plan.wrappers = append(d.plan.wrappers, wrappers{"(*" + obj.Name() + ")(nil)", texts})
		}
	}
}

// wrapped is a method that has a wrapper, and what that reads.
type wrapped struct {
	sel   *types.Selection
	reads [][]int
}

// manyWrapped is how many wrappers of a type have functions in any case. Beyond that, only those
// have one that are likely to be called. A type that embeds suite.Suite of testify has 152, and to
// compile a function for each of them takes longer than anything else in a file of tests: thirteen
// such types, 4.4 of 8.7 s.
const manyWrapped = 64

// wrapped lists the methods of t, the type of spec or a pointer to it (shared), that get functions.
func (d *decider) wrapped(spec *ast.TypeSpec, t types.Type, shared bool) (list []wrapped) {
	for sel := range types.NewMethodSet(t).Methods() {
		if reads := promoted.Reads(sel, shared); len(reads) > 0 && !d.whole.unrecorded[sel.Obj().(*types.Func)] {
			list = append(list, wrapped{sel, reads})
		}
	}
	if len(list) <= manyWrapped {
		return list
	}
	likely := d.whole.dynamic()
	return slices.DeleteFunc(list, func(m wrapped) bool {
		if likely[m.sel.Obj().Name()] {
			return false
		}
		d.miss(spec.Name, WhyWrapperMany)
		return true
	})
}

// ofTest reports whether pos is in a test file.
func (d *decider) ofTest(pos token.Pos) bool {
	f := d.Fset.File(pos)
	return f != nil && strings.HasSuffix(f.Name(), "_test.go")
}

// wrappers are the arguments of the calls that replace the wrappers of a type's methods.
type wrappers struct {
	pointer string   // a pointer to the type
	calls   []string // arguments of RacepredWrapper
}

// wrapper adds the function for the wrapper of one method to the file and returns the arguments of
// RacepredWrapper.
func (w *walker) wrapper(spec *ast.TypeSpec, sel *types.Selection, shared bool, reads [][]int) (string, bool) {
	method, sig := sel.Obj().(*types.Func), sel.Obj().(*types.Func).Signature()
	name := spec.Name.Name
	recv := name
	if shared {
		recv = "*" + name
	}
	params, in := []string{recv}, sig.Params()
	args := []string{"r"}
	for i := range in.Len() {
		t, dots := in.At(i).Type(), ""
		if sig.Variadic() && i == in.Len()-1 {
			list, ok := t.(*types.Slice)
			if !ok {
				return "", false
			}
			t, dots = list.Elem(), "..."
		}
		text, ok := w.spellAnywhere(t, spec)
		if !ok {
			return "", false
		}
		params, args = append(params, dots+text), append(args, "a"+strconv.Itoa(i)+dots)
	}
	var results []string
	for i := range sig.Results().Len() {
		text, ok := w.spellAnywhere(sig.Results().At(i).Type(), spec)
		if !ok {
			return "", false
		}
		results = append(results, text)
	}
	if !w.speller().Nameable(method) {
		return "", false
	}
	w.name = "(" + recv + ")." + method.Name()
	if !shared {
		w.name = name + "." + method.Name()
	}
	id := strconv.Itoa(len(w.plan.forwards))
	f, v := w.SitesVar+"_f"+id, w.SitesVar+"_w"+id
	var b strings.Builder
	fmt.Fprintf(&b, "func %s(", f)
	for i, p := range params {
		if i == 0 {
			fmt.Fprintf(&b, "r %s", p)
		} else {
			fmt.Fprintf(&b, ", a%d %s", i-1, p)
		}
	}
	fmt.Fprintf(&b, ") (%s) { ", strings.Join(results, ", "))
	at := "&r"
	if shared {
		at = "r"
		b.WriteString("if r != nil { ")
	}
	for _, fields := range reads {
		b.WriteString(w.wrapperRead(spec, sel, at, fields) + "; ")
	}
	if shared {
		b.WriteString("}; ")
	}
	if len(results) > 0 {
		b.WriteString("return ")
	}
	fmt.Fprintf(&b, "%s(%s) }\nvar %s func(%s) (%s)\n", v, strings.Join(args, ", "), v, strings.Join(params, ", "), strings.Join(results, ", "))
	w.plan.forwards = append(w.plan.forwards, b.String())
	return fmt.Sprintf("&%s, (%s).%s, %s, %v", v, recv, method.Name(), f, shared && len(promoted.Reads(sel, false)) > 0), true
}

// wrapperRead is the text of a call that records a read.
func (w *walker) wrapperRead(spec *ast.TypeSpec, sel *types.Selection, at string, fields []int) string {
	name, direct := spec.Name.Name, len(fields) > 0 && !w.hidden(sel)
	for i, f := range gotypes.Embedded(sel) {
		if i < len(fields) && fields[i] >= 0 {
			name += "." + f.Name()
			direct = direct && (i == len(fields)-1 || !gotypes.IsPointer(f.Type()))
		}
	}
	path := strings.TrimPrefix(name, spec.Name.Name)
	if len(fields) == 0 || fields[len(fields)-1] < 0 {
		name, direct = "*"+name, false
	}
	ref := w.site(site.OpRead, spec.Name.Pos(), name)
	switch {
	case len(fields) == 0:
		return w.Call("RacepredR", at, ref)
	case direct: // the other call would make the compiler compile all methods of a struct with r's fields
		return w.Call("RacepredR", "&r"+path, ref)
	}
	args := []string{at, ref}
	for _, n := range fields {
		args = append(args, strconv.Itoa(n))
	}
	return w.Call("RacepredReadField", args...)
}

// spellAnywhere spells a type at the end of the file, and imports the packages that it needs.
func (w *walker) spellAnywhere(t types.Type, spec *ast.TypeSpec) (string, bool) {
	s := w.speller()
	s.Imports = w.importAs
	return s.Spell(t, spec)
}

// importAs imports a package for such a text and returns its name.
func (d *decider) importAs(pkg *types.Package) (name string, ok bool) {
	path := pkg.Path()
	if path == "unsafe" || pkg.Name() == "main" || pkg == d.Pkg || slices.ContainsFunc(strings.Split(path, "/"), func(part string) bool { return part == "internal" || part == "vendor" }) {
		return "", false
	}
	i := slices.Index(d.plan.imports, path)
	if i < 0 {
		i = len(d.plan.imports)
		d.plan.imports = append(d.plan.imports, path)
	}
	return d.Prefix + "p" + strconv.Itoa(i), true
}

// expression visits a method expression that is called at once. It is called as a value, which
// package runtime may have replaced, and not by the name of the wrapper. (R5)
//
// Replace  (*T).Method(p)
//
//	with  runtime.RacepredIndirect((*T).Method)(p)
func (w *walker) expression(e *ast.SelectorExpr, sel *types.Selection) {
	t := sel.Recv()
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || types.IsInterface(t) || named.Obj().Pkg() != w.Pkg && (w.Rewritten == nil || !w.Rewritten(named.Obj().Pkg().Path())) ||
		len(promoted.Reads(sel, gotypes.IsPointer(sel.Recv()))) == 0 {
		return
	}
	w.Insert(RuleWrapper, e.Pos(), w.Runtime+".RacepredIndirect(")
	w.Insert(RuleWrapper, e.End(), ")")
}

// allWrappers plans the functions for the wrappers of the file's types, and notes the types that
// can have none: those in functions, and those without a name.
func (d *decider) allWrappers() {
	top := map[ast.Expr]bool{}
	for _, decl := range d.File.Decls {
		if decl, ok := decl.(*ast.GenDecl); ok {
			for _, spec := range decl.Specs {
				if spec, ok := spec.(*ast.TypeSpec); ok && !spec.Assign.IsValid() {
					d.wrappers(spec)
					top[ast.Unparen(spec.Type)] = true
				}
			}
		}
	}
	ast.Inspect(d.File, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.StructType:
			if t := d.Info.TypeOf(n); t != nil && !top[n] && promoted.Wrapped(t) {
				d.miss(n, WhyWrapperGeneric)
			}
		case *ast.Ident:
			if inst, ok := d.Info.Instances[n]; ok && d.calledThrough(n, inst) {
				d.miss(n, WhyWrapperParam)
			}
		}
		return true
	})
}

// calledThrough reports whether a type argument has a method that is called through its type
// parameter and reads something.
func (d *decider) calledThrough(id *ast.Ident, inst types.Instance) bool {
	var params *types.TypeParamList
	switch obj := d.Info.Uses[id].(type) {
	case *types.Func:
		params = obj.Signature().TypeParams()
	case *types.TypeName:
		if named, ok := obj.Type().(*types.Named); ok {
			params = named.TypeParams()
		}
	}
	if params.Len() != inst.TypeArgs.Len() {
		return false
	}
	for i := range params.Len() {
		arg := inst.TypeArgs.At(i)
		if types.IsInterface(arg) { // a type parameter among them
			continue
		}
		methods := types.NewMethodSet(arg)
		for m := range params.At(i).Constraint().Underlying().(*types.Interface).Methods() {
			if sel := methods.Lookup(m.Pkg(), m.Name()); sel != nil && len(promoted.Reads(sel, gotypes.IsPointer(arg))) > 0 {
				return true
			}
		}
	}
	return false
}
