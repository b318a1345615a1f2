package calls

import (
	"go/ast"
	"go/constant"
	"go/types"
	"strings"

	"github.com/racepred/racepred/instrument/internal/gotypes"
	"github.com/racepred/racepred/internal/funcname"
	"github.com/racepred/racepred/internal/library"
)

// prints reports whether a call of fn only prints, and reads no memory of its caller to do so.
// (instrument/O11)
func (j *Judge) prints(e *ast.CallExpr, fn *types.Func) bool {
	if fn.Pkg() == nil || j.OwnCode(fn.Pkg().Path()) || e.Ellipsis.IsValid() {
		return false
	}
	p, ok := library.Prints(fn.Pkg().Path(), funcname.Of(fn))
	if !ok || len(e.Args) < p.From {
		return false
	}
	if p.ToWriter && !j.knownWriter(j.Info.TypeOf(e.Args[p.From-1])) {
		return false
	}
	args := e.Args[p.From:]
	var verbs []verb
	if p.Format {
		if len(args) == 0 {
			return false
		}
		format := j.Info.Types[args[0]].Value
		args = args[1:]
		if format != nil && format.Kind() == constant.String {
			verbs = verbsOf(constant.StringVal(format))
		} else {
			verbs = make([]verb, len(args)) // of any kind
		}
	}
	for i, a := range args {
		v := verb{'v', false}
		if i < len(verbs) {
			v = verbs[i]
		}
		if p.Pairs && !j.loggable(a) || !p.Pairs && !j.printable(j.Info.TypeOf(a), v) {
			return false
		}
	}
	return true
}

// knownWriter reports whether what is written to a t is recorded: it is *os.File, or its own method
// Write runs recorded code only. To call a method of a field that is embedded, or one of T for a
// *T, the compiler's wrapper would read memory.
func (j *Judge) knownWriter(t types.Type) bool {
	if p, ok := types.Unalias(t).(*types.Pointer); ok && gotypes.FactsOfType(p.Elem())&library.Output != 0 {
		return true
	}
	if t == nil || gotypes.IsInterface(t) {
		return false
	}
	m := types.NewMethodSet(t).Lookup(nil, "Write")
	if m == nil || len(m.Index()) != 1 {
		return false
	}
	fn, ok := m.Obj().(*types.Func)
	return ok && gotypes.IsPointer(fn.Signature().Recv().Type()) == gotypes.IsPointer(t) && !j.OpaqueFunc(fn)
}

// verb is how an argument is printed; the zero verb is any.
type verb struct {
	c     byte
	sharp bool
}

// verbsOf lists the verbs of a format. There are none if it names arguments by number, or takes
// widths from them: then each argument may have any verb.
func verbsOf(format string) (verbs []verb) {
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			continue
		}
		sharp := false
		for i++; i < len(format) && strings.IndexByte("+-# 0123456789.", format[i]) >= 0; i++ {
			sharp = sharp || format[i] == '#'
		}
		if i == len(format) {
			break
		}
		switch c := format[i]; c {
		case '%':
		case '*', '[':
			return make([]verb, strings.Count(format, "%")+strings.Count(format, "*"))
		default:
			verbs = append(verbs, verb{c, sharp})
		}
	}
	return verbs
}

// callsMethods reports whether the verb prints an argument by its method Error or String, if it has
// one.
func (v verb) callsMethods() bool {
	return strings.IndexByte("vsqxXw", v.c) >= 0 && v.c != 0 && !v.sharp
}

// printable reports whether printing a value of type t runs recorded code only, and reads nothing
// behind the value. A value with an Error method is an error, and package runtime knows whether
// that method is harmless (instrument/O3).
func (j *Judge) printable(t types.Type, v verb) bool {
	if t == nil {
		return false
	}
	if v.c == 'T' || v.c == 'p' {
		return true
	}
	basic, isBasic := t.Underlying().(*types.Basic)
	set := types.NewMethodSet(t)
	if set.Len() > 0 {
		if m := set.Lookup(nil, "Format"); m != nil && m.Type().(*types.Signature).Params().Len() == 2 { // not time.Time's
			return false
		}
		if m := set.Lookup(nil, "GoString"); m != nil && (v.sharp || v.c == 0) {
			return false
		}
		for _, name := range [...]string{"Error", "String"} {
			m := set.Lookup(nil, name)
			if m == nil {
				continue
			}
			fn, ok := m.Obj().(*types.Func)
			switch {
			case v.c != 0 && !v.callsMethods():
			case gotypes.IsInterface(t):
				return name == "Error" && v.c != 0
			case !ok || j.OpaqueFunc(fn):
				return false
			case v.c != 0:
				return true
			}
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		_, isBasic := u.Elem().Underlying().(*types.Basic)
		return isBasic // its address
	case *types.Chan, *types.Signature:
		return true
	}
	return isBasic && basic.Kind() != types.Invalid
}

// loggable reports whether an argument of a function of package slog is printable: an attribute
// that is made where it stands, or a value that becomes one.
func (j *Judge) loggable(a ast.Expr) bool {
	t := j.Info.TypeOf(a)
	if call, ok := ast.Unparen(a).(*ast.CallExpr); ok && gotypes.FactsOfType(t)&library.Attribute != 0 {
		fn := gotypes.StaticCallee(j.Info, call)
		if fn == nil || fn.Pkg() == nil {
			return false
		}
		how, _ := library.Prints(fn.Pkg().Path(), funcname.Of(fn))
		return how.Attribute && j.prints(call, fn)
	}
	if t == nil {
		return false
	}
	if _, ok := types.Unalias(t).(*types.Basic); ok {
		return true
	}
	return types.Identical(t, types.Universe.Lookup("error").Type()) || gotypes.FactsOfType(t)&library.Plain != 0
}
