package instrument

import (
	"go/ast"
	"go/constant"
	"go/types"
	"strings"
)

// printer is a function of the library that does no more than make text of its arguments, and perhaps append it to an output.
type printer struct {
	args   int  // the first that is printed
	format bool // which is a format for the others
	file   bool // the argument before them is what it is written to
	pairs  bool // of package slog: keys and values
}

// printers are those by package and name; methods are those of a *Logger. What log and slog write to is asked when the program runs (package seam),
// and what happens to a file is recorded.
var printers = map[string]map[string]printer{
	"fmt": {
		"Print": {}, "Println": {}, "Printf": {format: true}, "Sprint": {}, "Sprintln": {}, "Sprintf": {format: true}, "Errorf": {format: true},
		"Fprint": {args: 1, file: true}, "Fprintln": {args: 1, file: true}, "Fprintf": {args: 1, format: true, file: true},
	},
	"log": {"Print": {}, "Println": {}, "Printf": {format: true}},
	"log/slog": {
		"Debug": {pairs: true}, "Info": {pairs: true}, "Warn": {pairs: true}, "Error": {pairs: true},
		"DebugContext": {args: 1, pairs: true}, "InfoContext": {args: 1, pairs: true}, "WarnContext": {args: 1, pairs: true},
		"ErrorContext": {args: 1, pairs: true}, "Log": {args: 2, pairs: true}, "LogAttrs": {args: 2, pairs: true},
		"String": {pairs: true}, "Int": {pairs: true}, "Int64": {pairs: true}, "Uint64": {pairs: true}, "Float64": {pairs: true},
		"Bool": {pairs: true}, "Time": {pairs: true}, "Duration": {pairs: true}, "Any": {pairs: true}, "Group": {pairs: true},
	},
}

// attributes are those of package slog that make an attribute of their arguments.
var attributes = map[string]bool{
	"String": true, "Int": true, "Int64": true, "Uint64": true, "Float64": true, "Bool": true, "Time": true, "Duration": true, "Any": true, "Group": true,
}

// prints says whether a call of fn does nothing but print, and reads no memory of its caller for that. (O11)
func (w *walker) prints(e *ast.CallExpr, fn *types.Func) bool {
	if fn.Pkg() == nil || w.rewritten(fn.Pkg().Path()) || e.Ellipsis.IsValid() {
		return false
	}
	path := fn.Pkg().Path()
	p, ok := printers[path][fn.Name()]
	if !ok || len(e.Args) < p.args || fn.Signature().Recv() != nil && (path == "fmt" || attributes[fn.Name()] || !isLogger(fn)) {
		return false
	}
	if p.file && !isFile(w.Info.TypeOf(e.Args[0])) {
		return false
	}
	args := e.Args[p.args:]
	var verbs []verb
	if p.format {
		if len(args) == 0 {
			return false
		}
		format := w.Info.Types[args[0]].Value
		args = args[1:]
		if format != nil && format.Kind() == constant.String {
			verbs = verbsOf(constant.StringVal(format))
		} else {
			verbs = make([]verb, len(args)) // whatever they are
		}
	}
	for i, a := range args {
		v := verb{'v', false}
		if i < len(verbs) {
			v = verbs[i]
		}
		if p.pairs && !w.loggable(a) || !p.pairs && !w.printable(w.Info.TypeOf(a), v) {
			return false
		}
	}
	return true
}

func isLogger(fn *types.Func) bool {
	p, ok := types.Unalias(fn.Signature().Recv().Type()).(*types.Pointer)
	if !ok {
		return false
	}
	named, ok := types.Unalias(p.Elem()).(*types.Named)
	return ok && named.Obj().Name() == "Logger"
}

// isFile says whether t is *os.File.
func isFile(t types.Type) bool { return t != nil && t.String() == "*os.File" }

// verb is how an argument is printed; the zero verb is any.
type verb struct {
	c     byte
	sharp bool
}

// verbsOf are those of a format; none where arguments are named by number, or give a width: then all may be any.
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

// callsMethods says whether Error or String is what an argument with such a method is printed by.
func (v verb) callsMethods() bool {
	return strings.IndexByte("vsqxXw", v.c) >= 0 && v.c != 0 && !v.sharp
}

// printable says whether a value of type t is printed by what it is alone, or by a method that is recorded. What has an Error method is an error, of which
// package runtime knows whether it is harmless (O3).
func (w *walker) printable(t types.Type, v verb) bool {
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
			case isInterface(t):
				return name == "Error" && v.c != 0
			case !ok || w.opaqueFunc(fn):
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

// loggable says so of an argument of package slog: an attribute made where it stands, or what becomes one.
func (w *walker) loggable(a ast.Expr) bool {
	t := w.Info.TypeOf(a)
	if call, ok := ast.Unparen(a).(*ast.CallExpr); ok && t != nil && t.String() == "log/slog.Attr" {
		fn := w.static(call)
		return fn != nil && fn.Pkg() != nil && fn.Pkg().Path() == "log/slog" && w.prints(call, fn)
	}
	if t == nil {
		return false
	}
	if _, ok := types.Unalias(t).(*types.Basic); ok {
		return true
	}
	switch t.String() {
	case "error", "time.Time", "time.Duration":
		return true
	}
	return false
}
