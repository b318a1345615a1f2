package syncmisuse

import (
	"go/ast"
	"go/token"
	"go/types"
	"go/version"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/typeutil"
)

// retyped makes a variable one of an atomic type: n int32 becomes n atomic.Int32,
// atomic.AddInt32(&n, 1) becomes n.Add(1), and a plain n becomes n.Load(). Then nobody can access
// it plainly again. It is suggested only where the package as it is built here has all uses, and
// each of them can be written so:
//
//   - (T1) The variable is declared by itself, with its type and without a value, as a local
//     variable, or, not exported, as one of the package or a field of one of its types.
//   - (T2) It is used as the operand of a function of sync/atomic for its type, read, assigned
//     alone, or changed by ++, --, += and -=. Its address goes nowhere else.
//   - (T3) What it is a field of is not copied, as go vet would say of the new type: either it has
//     a lock or an atomic type already, or the package passes it by pointers only, and no other
//     package knows it.
//   - (T4) No file that is left out of this build names it, the package does not use cgo, assembly
//     or unsafe, and no file that would change is generated.
func (c *checker) retyped(v *types.Var) []analysis.SuggestedFix {
	suffix := atomicSuffix(v.Type())
	if suffix == "" || len(c.pass.OtherFiles) > 0 || v.Origin() != v || !c.hasTypes() || c.shared(v) && c.namedElsewhere(v.Name()) {
		return nil
	}
	r := &retyping{c: c, v: v, suffix: suffix, atomics: map[*ast.File]int{}, gone: map[*ast.File]int{}}
	for _, f := range c.pass.Files {
		r.file = f
		before := len(r.edits)
		if !r.walk(f) || len(r.edits) > before && ast.IsGenerated(f) {
			return nil
		}
	}
	if r.declared == nil || ast.IsGenerated(r.in) || !r.imports() || v.IsField() && !r.stays() {
		return nil
	}
	message := "Make " + v.Name() + " one of type atomic." + suffix
	return []analysis.SuggestedFix{{Message: message, TextEdits: merge(r.edits)}}
}

// hasTypes reports whether the package may use the types of sync/atomic.
func (c *checker) hasTypes() bool {
	v := c.pass.Pkg.GoVersion()
	return v == "" || version.Compare(v, "go1.19") >= 0
}

// shared reports whether all of the package may use a variable.
func (c *checker) shared(v *types.Var) bool { return v.IsField() || v.Parent() == c.pass.Pkg.Scope() }

// namedElsewhere reports whether a file of the directory that this build leaves out has a name.
// (T4)
func (c *checker) namedElsewhere(name string) bool {
	word := regexp.MustCompile(`\b` + name + `\b`)
	return slices.ContainsFunc(c.pass.IgnoredFiles, func(file string) bool {
		text, err := c.pass.ReadFile(file)
		return err != nil || word.Match(text)
	})
}

// retyping gathers the edits.
type retyping struct {
	c       *checker
	v       *types.Var
	suffix  string
	edits   []analysis.TextEdit
	atomics map[*ast.File]int // uses of package sync/atomic
	gone    map[*ast.File]int // those that the edits take away

	file     *ast.File
	stack    []ast.Node
	declared ast.Expr // the type in its declaration
	in       *ast.File
	of       *types.TypeName // the type that it is a field of
}

// walk takes the uses in a file into account; false if one of them cannot be written otherwise.
func (r *retyping) walk(f *ast.File) bool {
	info := r.c.pass.TypesInfo
	ok := true
	r.stack = r.stack[:0]
	ast.Inspect(f, func(n ast.Node) bool {
		if n == nil {
			r.stack = r.stack[:len(r.stack)-1]
			return true
		}
		switch n := n.(type) {
		case *ast.ImportSpec:
			path, _ := strconv.Unquote(n.Path.Value)
			ok = ok && path != "unsafe" && path != "C"
		case *ast.Ident:
			if pkg, isPkg := info.Uses[n].(*types.PkgName); isPkg && pkg.Imported().Path() == "sync/atomic" {
				r.atomics[f]++
			}
			switch {
			case info.Defs[n] == r.v:
				ok = ok && r.declaration(n)
			case info.Uses[n] == r.v:
				ok = ok && r.use(n)
			}
		case *ast.CompositeLit: // values by their places
			ok = ok && (!r.v.IsField() || !r.holds(info.TypeOf(n), 0) || r.keyed(n))
		case *ast.CallExpr: // a struct of another type with equal fields
			if tv := info.Types[n.Fun]; tv.IsType() && r.v.IsField() && len(n.Args) == 1 {
				ok = ok && !r.leadsTo(tv.Type) && !r.leadsTo(info.TypeOf(n.Args[0]))
			}
		}
		r.stack = append(r.stack, n)
		return ok
	})
	return ok
}

// up is the i-th node around the one at hand.
func (r *retyping) up(i int) ast.Node {
	if len(r.stack) < i {
		return nil
	}
	return r.stack[len(r.stack)-i]
}

// declaration changes the type in the declaration. (T1)
func (r *retyping) declaration(id *ast.Ident) bool {
	var typ ast.Expr
	switch d := r.up(1).(type) {
	case *ast.Field:
		spec, ok := r.up(4).(*ast.TypeSpec)
		if !r.v.IsField() || len(d.Names) != 1 || d.Tag != nil || id.IsExported() || !ok || spec.TypeParams != nil || spec.Assign.IsValid() {
			return false
		}
		r.of, _ = r.c.pass.TypesInfo.Defs[spec.Name].(*types.TypeName)
		if r.of == nil || r.of.Parent() != r.c.pass.Pkg.Scope() {
			return false
		}
		typ = d.Type
	case *ast.ValueSpec:
		if len(d.Names) != 1 || d.Values != nil || r.v.Parent() == r.c.pass.Pkg.Scope() && id.IsExported() {
			return false
		}
		typ = d.Type
	}
	if _, plain := typ.(*ast.Ident); !plain {
		return false
	}
	r.declared, r.in = typ, r.file
	return true
}

// use changes one use. (T2)
func (r *retyping) use(id *ast.Ident) bool {
	var x ast.Expr = id
	i := 1
	if sel, ok := r.up(1).(*ast.SelectorExpr); ok && sel.Sel == id {
		x, i = sel, 2
	}
	for {
		p, ok := r.up(i).(*ast.ParenExpr)
		if !ok {
			break
		}
		x, i = p, i+1
	}
	replace := func(from, to token.Pos, by string) {
		r.edits = append(r.edits, analysis.TextEdit{Pos: from, End: to, NewText: []byte(by)})
	}
	switch s := r.up(i).(type) {
	case *ast.UnaryExpr:
		if s.Op == token.AND {
			return r.atomic(s, r.up(i+1), x)
		}
	case *ast.IncDecStmt:
		by := "1"
		if s.Tok == token.DEC {
			if by = "-1"; r.suffix[0] == 'U' {
				by = "^" + r.v.Type().String() + "(0)"
			}
		}
		replace(x.End(), s.End(), ".Add("+by+")")
		return true
	case *ast.AssignStmt:
		if !slices.Contains(s.Lhs, x) {
			break
		}
		if len(s.Lhs) != 1 || len(s.Rhs) != 1 || r.mentions(s.Rhs[0]) {
			return false
		}
		rhs := s.Rhs[0]
		switch {
		case s.Tok == token.ASSIGN:
			replace(x.End(), rhs.Pos(), ".Store(")
			replace(s.End(), s.End(), ")")
		case s.Tok == token.ADD_ASSIGN:
			replace(x.End(), rhs.Pos(), ".Add(")
			replace(s.End(), s.End(), ")")
		case s.Tok == token.SUB_ASSIGN && r.suffix[0] != 'U':
			replace(x.End(), rhs.Pos(), ".Add(-(")
			replace(s.End(), s.End(), "))")
		default:
			return false
		}
		return true
	case *ast.KeyValueExpr: // T{n: 1}
		if s.Key == x {
			return false
		}
	case *ast.RangeStmt:
		if s.Key == x || s.Value == x {
			return false
		}
	case *ast.ExprStmt, *ast.SelectorExpr, nil:
		return false
	}
	if !r.addressable(x) {
		return false
	}
	replace(x.End(), x.End(), ".Load()")
	return true
}

// atomic changes a call of a function of sync/atomic that gets the address of the variable.
func (r *retyping) atomic(address *ast.UnaryExpr, up ast.Node, x ast.Expr) bool {
	call, ok := up.(*ast.CallExpr)
	if !ok || len(call.Args) == 0 || call.Args[0] != ast.Expr(address) {
		return false
	}
	fn := typeutil.StaticCallee(r.c.pass.TypesInfo, call)
	if fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != "sync/atomic" || fn.Signature().Recv() != nil {
		return false
	}
	method, ok := strings.CutSuffix(fn.Name(), r.suffix)
	if !ok || !slices.Contains([]string{"Load", "Store", "Add", "Swap", "CompareAndSwap", "And", "Or"}, method) {
		return false
	}
	to := call.Rparen
	if len(call.Args) > 1 {
		to = call.Args[1].Pos()
	}
	r.edits = append(r.edits,
		analysis.TextEdit{Pos: call.Pos(), End: address.X.Pos()},
		analysis.TextEdit{Pos: x.End(), End: to, NewText: []byte("." + method + "(")})
	r.gone[r.file]++
	return true
}

// mentions reports whether an expression has the variable in it: what is assigned then is made of
// its old value.
func (r *retyping) mentions(e ast.Expr) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && r.c.pass.TypesInfo.Uses[id] == r.v
		return !found
	})
	return found
}

// addressable reports whether a method with a pointer receiver can be called on an expression.
func (r *retyping) addressable(e ast.Expr) bool {
	info := r.c.pass.TypesInfo
	switch e := e.(type) {
	case *ast.ParenExpr:
		return r.addressable(e.X)
	case *ast.Ident, *ast.StarExpr:
		return true
	case *ast.SelectorExpr:
		if s := info.Selections[e]; s == nil || s.Indirect() {
			return true
		}
		return r.addressable(e.X)
	case *ast.IndexExpr:
		switch t := info.TypeOf(e.X).Underlying().(type) {
		case *types.Slice, *types.Pointer:
			return true
		case *types.Array:
			return t != nil && r.addressable(e.X)
		}
	}
	return false
}

// imports changes the type, and the imports that this takes: one of sync/atomic where the variable
// is declared, none where nothing of it is used any longer.
func (r *retyping) imports() bool {
	name := r.c.atomicName(r.declared.Pos())
	if name == "" {
		if r.c.pass.Pkg.Scope().Lookup("atomic") != nil || len(r.in.Imports) == 0 {
			return false
		}
		name = "atomic"
		first := r.in.Imports[0]
		for _, d := range r.in.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT && !g.Lparen.IsValid() && len(g.Specs) > 0 && g.Specs[0] == ast.Spec(first) {
				return false // not in parentheses
			}
		}
		for _, i := range r.in.Imports {
			if path, _ := strconv.Unquote(i.Path.Value); i.Name != nil && i.Name.Name == name || strings.HasSuffix(path, "/"+name) {
				return false
			}
		}
		r.edits = append(r.edits, analysis.TextEdit{Pos: first.Pos(), End: first.Pos(), NewText: []byte(`"sync/atomic"` + "\n\t")})
	} else if _, seen := r.c.pass.Pkg.Scope().Innermost(r.declared.Pos()).LookupParent(name, r.declared.Pos()); !isPackage(seen) {
		return false
	}
	r.edits = append(r.edits, analysis.TextEdit{Pos: r.declared.Pos(), End: r.declared.End(), NewText: []byte(name + "." + r.suffix)})
	for f, n := range r.gone {
		if n < r.atomics[f] || f == r.in {
			continue
		}
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.IMPORT {
				continue
			}
			for _, s := range g.Specs {
				if s.(*ast.ImportSpec).Path.Value != `"sync/atomic"` {
					continue
				}
				from, to := s.Pos(), s.End()
				if len(g.Specs) == 1 {
					from, to = g.Pos(), g.End()
				} else if line := r.c.pass.Fset.File(to).Line(to); line < r.c.pass.Fset.File(to).LineCount() {
					to = r.c.pass.Fset.File(to).LineStart(line + 1)
					from = r.c.pass.Fset.File(to).LineStart(line)
				}
				r.edits = append(r.edits, analysis.TextEdit{Pos: from, End: to})
			}
		}
	}
	return true
}

func isPackage(obj types.Object) bool {
	p, ok := obj.(*types.PkgName)
	return ok && p.Imported().Path() == "sync/atomic"
}

// stays reports whether the struct that the field belongs to is not copied. (T3)
func (r *retyping) stays() bool {
	if r.hasLock(r.of.Type()) {
		return true
	}
	info, scope := r.c.pass.TypesInfo, r.c.pass.Pkg.Scope()
	for _, name := range scope.Names() {
		if obj := scope.Lookup(name); obj.Exported() && !isFunc(obj) && r.holds(obj.Type(), 0) && !r.hasLock(obj.Type()) { // that, or what embeds it
			return false
		}
	}
	holds := func(e ast.Expr) bool {
		tv, ok := info.Types[e]
		if !ok {
			id, isIdent := e.(*ast.Ident)
			return isIdent && info.Defs[id] != nil && r.holds(info.Defs[id].Type(), 0) // for _, s := range
		}
		return r.holds(tv.Type, 0)
	}
	ok := true
	for _, f := range r.c.pass.Files {
		var stack []ast.Node
		ast.Inspect(f, func(n ast.Node) bool {
			if n == nil {
				stack = stack[:len(stack)-1]
				return true
			}
			if e, isExpr := n.(ast.Expr); isExpr && ok && holds(e) {
				var up ast.Node
				if len(stack) > 0 {
					up = stack[len(stack)-1]
				}
				ok = r.inPlace(e, up)
			}
			stack = append(stack, n)
			return ok
		})
	}
	return ok
}

func isFunc(obj types.Object) bool {
	_, ok := obj.(*types.Func)
	return ok
}

// inPlace reports whether an expression for what holds the field, in the node around it, copies
// nothing.
func (r *retyping) inPlace(e ast.Expr, up ast.Node) bool {
	info := r.c.pass.TypesInfo
	if id, ok := e.(*ast.Ident); ok && info.Defs[id] != nil {
		r, ok := up.(*ast.RangeStmt)
		return !ok || r.Value != e && r.Key != e
	}
	if info.Types[e].IsType() {
		switch up := up.(type) {
		case *ast.MapType:
			return up.Value != e && up.Key != e
		case *ast.ChanType:
			return false
		case *ast.CallExpr: // new(T), or a conversion
			return info.Types[up.Fun].IsBuiltin()
		case *ast.IndexExpr, *ast.IndexListExpr: // an argument for a type
			return false
		case *ast.TypeAssertExpr, *ast.CaseClause:
			return false
		case *ast.Field: // of a struct: what holds that is looked at in turn; of a function: a copy
			return r.structField(up)
		}
		return true
	}
	if _, made := e.(*ast.CompositeLit); made {
		_, argument := up.(*ast.CallExpr)
		return !argument
	}
	switch up := up.(type) {
	case *ast.SelectorExpr:
		return up.X == e
	case *ast.ParenExpr:
		return true // that is looked at in turn
	case *ast.UnaryExpr:
		return up.Op == token.AND
	case *ast.IndexExpr:
		return up.X == e
	case *ast.AssignStmt:
		return slices.Contains(up.Lhs, e)
	case *ast.ValueSpec:
		return !slices.Contains(up.Values, e)
	case *ast.RangeStmt:
		if up.X == e {
			return up.Value == nil
		}
		return false
	case *ast.CallExpr:
		id, ok := ast.Unparen(up.Fun).(*ast.Ident)
		return ok && info.Types[up.Fun].IsBuiltin() && (id.Name == "len" || id.Name == "cap")
	}
	return false
}

// structField reports whether a field is one of a struct.
func (r *retyping) structField(field *ast.Field) bool {
	for _, id := range field.Names {
		v, ok := r.c.pass.TypesInfo.Defs[id].(*types.Var)
		return ok && v.IsField()
	}
	for _, f := range r.c.pass.Files { // an embedded one, a receiver or a result without a name
		if f.FileStart <= field.Pos() && field.Pos() < f.FileEnd {
			found := false
			ast.Inspect(f, func(n ast.Node) bool {
				if st, ok := n.(*ast.StructType); ok && slices.Contains(st.Fields.List, field) {
					found = true
				}
				return !found
			})
			return found
		}
	}
	return false
}

// keyed reports whether a composite literal gives no field a value by its place alone.
func (r *retyping) keyed(lit *ast.CompositeLit) bool {
	if _, ok := r.c.pass.TypesInfo.TypeOf(lit).Underlying().(*types.Struct); !ok {
		return true
	}
	return !slices.ContainsFunc(lit.Elts, func(e ast.Expr) bool {
		_, ok := e.(*ast.KeyValueExpr)
		return !ok
	})
}

// leadsTo reports whether values of a type have the field in them, or are pointers to such.
func (r *retyping) leadsTo(t types.Type) bool {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	return r.holds(t, 0)
}

// holds reports whether values of a type have the field in them.
func (r *retyping) holds(t types.Type, depth int) bool {
	if depth > 10 {
		return true
	}
	switch t := t.Underlying().(type) {
	case *types.Struct:
		for f := range t.Fields() {
			if f == r.v || r.holds(f.Type(), depth+1) {
				return true
			}
		}
	case *types.Array:
		return r.holds(t.Elem(), depth+1)
	case *types.Tuple:
		for v := range t.Variables() {
			if r.holds(v.Type(), depth+1) {
				return true
			}
		}
	}
	return false
}

// hasLock reports whether go vet says of copies of a struct already that they are wrong.
func (r *retyping) hasLock(t types.Type) bool {
	st, ok := t.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range st.Fields() {
		if n, ok := types.Unalias(f.Type()).(*types.Named); ok && n.Obj().Pkg() != nil {
			switch n.Obj().Pkg().Path() {
			case "sync", "sync/atomic":
				return !types.IsInterface(n)
			}
		}
	}
	return false
}

// merge puts what is inserted at one place into one edit, in the order in which it came.
func merge(edits []analysis.TextEdit) []analysis.TextEdit {
	slices.SortStableFunc(edits, func(a, b analysis.TextEdit) int {
		if a.Pos != b.Pos {
			return int(a.Pos - b.Pos)
		}
		return int(a.End - b.End)
	})
	var all []analysis.TextEdit
	for _, e := range edits {
		if n := len(all); n > 0 && all[n-1].Pos == e.Pos && all[n-1].End == e.End && e.Pos == e.End {
			all[n-1].NewText = append(slices.Clip(all[n-1].NewText), e.NewText...)
			continue
		}
		all = append(all, e)
	}
	return all
}
