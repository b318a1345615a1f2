package library

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/format"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/racepred/racepred/internal/funcname"
	"github.com/racepred/racepred/internal/typeset"
)

var (
	updateShown = flag.Bool("shown", false, "write shown.go for this toolchain")
	shownAlso   = flag.String("shown.also", "", "GOROOTs of other releases, whose source has to show the same, with commas between them")
)

// tellsNothing has the reasons why a function without Go code tells nothing of what another
// goroutine did.
var tellsNothing = map[string]string{
	"crypto/internal/fips140.getIndicator": "it is the goroutine's own",
	"crypto/internal/fips140.setIndicator": "it is the goroutine's own",
	"hash/maphash.runtime_rand":            "it is random",
	"internal/godebug.registerMetric":      "see noGoCode",
	"reflect.resolveNameOff":               "names of types are constant",
	"reflect.resolveTypeOff":               "types are constant",
	"time.now":                             "it is the time",
	"time.runtimeNano":                     "it is the time",
	"time.runtimeNow":                      "it is the time",
}

// harmlessHere has the reasons why a function accesses no memory that goroutines share, as the
// library itself calls it.
var harmlessHere = map[string]string{
	"runtime.Callers": "all callers of it in recorded packages give it an array of their own",
	"runtime.Stack":   "as runtime.Callers",
	"time.initLocal":  "it reads a file that does not change",
}

// strictly is contained for functions that nobody has read: a function value that is called is a
// literal, a declared function, or comes with the call. So none may come from a field, a package
// variable, an element, a channel or an interface. Methods of an unexported interface are the
// library's own if one of them is unexported, too; then it may run all methods of its package that
// have the name. Of what is not recorded it runs arithmetic and what the tables know as harmless.
func strictly(tc *toolchain, name string) *walk {
	w := contained(tc, name, func(*types.Func) bool { return false })
	enter := w.enter
	prints, own := false, false // the call at hand prints values only, or is given an array of its function
	w.enter = func(fn *types.Func) (bool, error) {
		if fn.Pkg() == nil {
			return enter(fn)
		}
		path := fn.Pkg().Path()
		facts := Of(path, funcname.Of(fn))
		switch {
		case path == "fmt" && prints:
			prints = false
			return false, nil
		case path == "internal/byteorder" && own:
			own = false
			return false, nil
		case facts.Is(CallsBack): // node has looked at the methods
			return false, nil
		case isType(fn) || facts.Is(Harmless) || harmlessHere[fn.FullName()] != "":
			return false, nil
		}
		if i, abstract := ofInterface(fn); abstract && i != nil && i.Pkg() != nil && !i.Exported() && !sealed(i.Type().Underlying().(*types.Interface)) {
			return false, fmt.Errorf("calls %s", fn.FullName())
		}
		if OfPackage(path).Unrecorded != "" && !strings.HasPrefix(path, "math") {
			return false, fmt.Errorf("mentions %s", fn.FullName())
		}
		return enter(fn)
	}
	w.bodiless = func(fn *types.Func) error {
		if tellsNothing[fn.Pkg().Path()+"."+fn.Name()] == "" {
			return fmt.Errorf("%s has no Go code", fn.FullName())
		}
		return nil
	}
	w.node = func(info *types.Info, n ast.Node) error {
		if call, ok := n.(*ast.CallExpr); ok {
			prints, own = printsValues(info, call), ownArray(info, call)
			if err := w.calledBack(info, call); err != nil {
				return err
			}
		}
		if r, ok := n.(*ast.RangeStmt); ok && (typeset.IsFunc(info.TypeOf(r.X)) || r.Key != nil && typeset.IsFunc(info.TypeOf(r.Key)) || r.Value != nil && typeset.IsFunc(info.TypeOf(r.Value))) {
			return fmt.Errorf("has a function from a range")
		}
		e, ok := n.(ast.Expr)
		if !ok {
			return nil
		}
		if tv, ok := info.Types[e]; !ok || !tv.IsValue() || !typeset.IsFunc(tv.Type) {
			return nil
		}
		switch e := e.(type) {
		case *ast.SelectorExpr:
			if v, ok := info.Uses[e.Sel].(*types.Var); ok {
				return fmt.Errorf("has a function from %s", v.Name())
			}
		case *ast.Ident:
			if v, ok := info.Uses[e].(*types.Var); ok && v.Pkg() != nil && v.Parent() == v.Pkg().Scope() {
				return fmt.Errorf("has a function from %s", v.Name())
			}
		case *ast.IndexExpr:
			if !typeset.IsFunc(info.TypeOf(e.X)) { // it is no instance of a generic function
				return fmt.Errorf("has a function from an element")
			}
		case *ast.TypeAssertExpr, *ast.UnaryExpr, *ast.StarExpr:
			return fmt.Errorf("has a function from a %T", e)
		}
		return nil
	}
	return w
}

// ownArray says whether a call is given a slice of a variable that is an array, in its own
// function.
func ownArray(info *types.Info, call *ast.CallExpr) bool {
	if len(call.Args) == 0 {
		return false
	}
	slice, ok := call.Args[0].(*ast.SliceExpr)
	if !ok {
		return false
	}
	id, ok := slice.X.(*ast.Ident)
	if !ok {
		return false
	}
	v, ok := info.Uses[id].(*types.Var)
	if !ok || v.Parent() == v.Pkg().Scope() {
		return false
	}
	_, ok = v.Type().Underlying().(*types.Array)
	return ok
}

// calledBack visits the methods of the first argument of a function that calls them.
func (w *walk) calledBack(info *types.Info, call *ast.CallExpr) error {
	fn := typeutil.StaticCallee(info, call)
	if fn == nil || fn.Pkg() == nil || !Of(fn.Pkg().Path(), funcname.Of(fn)).Is(CallsBack) {
		return nil
	}
	t := info.TypeOf(call.Args[0])
	if types.IsInterface(t) {
		return fmt.Errorf("calls %s", fn.FullName())
	}
	for m := range fn.Signature().Params().At(0).Type().Underlying().(*types.Interface).Methods() {
		found, _, _ := types.LookupFieldOrMethod(t, true, fn.Pkg(), m.Name())
		method, ok := found.(*types.Func)
		if !ok {
			return fmt.Errorf("calls %s", fn.FullName())
		}
		if on, err := w.enter(method); err != nil || !on {
			return err
		}
		if err := w.visit(method); err != nil {
			return err
		}
	}
	return nil
}

// printsValues says whether a call formats nothing but numbers, strings and errors
// (instrument/O11).
func printsValues(info *types.Info, call *ast.CallExpr) bool {
	fn := typeutil.StaticCallee(info, call)
	if fn == nil || fn.FullName() != "fmt.Errorf" && fn.FullName() != "fmt.Sprintf" && fn.FullName() != "fmt.Sprint" || call.Ellipsis.IsValid() {
		return false
	}
	for _, arg := range call.Args {
		t := info.TypeOf(arg)
		_, basic := t.Underlying().(*types.Basic)
		if !basic && !types.Identical(t, types.Universe.Lookup("error").Type()) {
			return false
		}
	}
	return true
}

// isType says whether a function only asks for a type, or a type for what it is: types are
// constant.
func isType(fn *types.Func) bool {
	if fn.Pkg() == nil || fn.Pkg().Path() != "internal/abi" {
		return false
	}
	recv := fn.Signature().Recv()
	return recv == nil && (fn.Name() == "TypeOf" || fn.Name() == "NoEscape") || recv != nil && (strings.HasSuffix(recv.Type().String(), "Type") || recv.Type().String() == "internal/abi.Name")
}

func sealed(i *types.Interface) bool {
	for m := range i.Methods() {
		if !m.Exported() {
			return true
		}
	}
	return false
}

// readByHand says whether the other tables have a function as contained, or as harmless.
func readByHand(path, name string) bool {
	groups := rows()
	for _, group := range groups[:len(groups)-1] { // shown is the last one
		for _, r := range group {
			if r.path == path && r.facts&(Contained|Harmless) != 0 && slices.Contains(strings.Fields(r.names), name) {
				return true
			}
		}
	}
	return false
}

// shownBy finds what strictly shows, path -> names.
func shownBy(tc *toolchain) map[string][]string {
	found := map[string][]string{}
	public := func(path string) bool {
		return tc.recorded(path) && !strings.HasPrefix(path, "vendor/") && !slices.Contains(strings.Split(path, "/"), "internal")
	}
	for fn, decl := range tc.decls {
		path, name, recv := fn.Pkg().Path(), funcname.Of(fn), fn.Signature().Recv()
		if decl.Body == nil || !fn.Exported() || generic(fn) || !public(path) || readByHand(path, name) || Of(path, name)&(IsSource|TakesSource) != 0 || recv != nil && typeset.IsFunc(recv.Type()) {
			continue
		}
		if strictly(tc, path+"."+name).from(fn) == nil {
			found[path] = append(found[path], name)
		}
	}
	for path, p := range tc.packages {
		for _, n := range p.Types.Scope().Names() {
			o, _ := p.Types.Scope().Lookup(n).(*types.TypeName)
			if o == nil || o.IsAlias() || !o.Exported() || !public(path) {
				continue
			}
			i, ok := o.Type().Underlying().(*types.Interface)
			if !ok || !sealed(i) {
				continue
			}
			for m := range i.ExplicitMethods() {
				w := strictly(tc, path+"."+funcname.Of(m))
				w.seen = map[*types.Func]bool{}
				if m.Exported() && w.implementations(m) == nil {
					found[path] = append(found[path], funcname.Of(m))
				}
			}
		}
	}
	return found
}

// TestShown: the source of this toolchain shows what shown.go says. With -shown it is written anew:
// what the source shows on each of the platforms, and in the other releases that have the function,
// too.
func TestShown(t *testing.T) {
	if !*updateShown {
		tc := source(t)
		found := shownBy(tc)
		for _, r := range shown {
			for _, name := range strings.Fields(r.names) {
				if tc.lookup(r.path, name) != nil { // another release may not have it
					assert.Contains(t, found[r.path], name, r.path)
				}
			}
		}
		return
	}
	var found map[string][]string
	both := func(dir string, env ...string) {
		tc, err := load(dir, append(os.Environ(), env...))
		require.NoError(t, err)
		here := shownBy(tc)
		if found == nil {
			found = here
		}
		for path := range found {
			found[path] = slices.DeleteFunc(found[path], func(name string) bool {
				return tc.lookup(path, name) != nil && !slices.Contains(here[path], name)
			})
		}
	}
	both("", "GOARCH=amd64", "CGO_ENABLED=1")
	both("", "GOARCH=amd64", "CGO_ENABLED=0")
	both("", "GOARCH=arm64", "CGO_ENABLED=0")
	for root := range strings.SplitSeq(*shownAlso, ",") {
		if root != "" {
			t.Setenv("PATH", filepath.Join(root, "bin")) // that is where the go command is looked for
			both(filepath.Join(root, "src"), "GOTOOLCHAIN=local", "GOROOT="+root)
		}
	}
	writeShown(t, found)
}

func writeShown(t *testing.T, found map[string][]string) {
	var b bytes.Buffer
	b.WriteString("// Code generated by go test ./internal/library -run TestShown -shown. DO NOT EDIT.\n\npackage library\n\n" +
		"// shown are the functions that nobody has read and whose source shows that they are contained, with all that they run.\nvar shown = []row{\n")
	for _, path := range slices.Sorted(maps.Keys(found)) {
		names := found[path]
		slices.Sort(names)
		if len(names) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\t{%q, Contained, \"\"", path)
		line := ""
		for _, name := range names {
			if len(line)+len(name) > 110 {
				fmt.Fprintf(&b, " +\n\t\t%q", line)
				line = ""
			}
			line += name + " "
		}
		fmt.Fprintf(&b, " +\n\t\t%q},\n", strings.TrimSpace(line))
	}
	b.WriteString("}\n")
	src, err := format.Source(b.Bytes())
	require.NoError(t, err)
	require.NoError(t, os.WriteFile("shown.go", src, 0o666))
}
