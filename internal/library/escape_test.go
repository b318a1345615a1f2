package library

import (
	"fmt"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/funcname"
)

// keptForTheCompiler has the reasons why the compiler takes a parameter for kept that is not kept:
// function or package, and parameter -> reason.
var keptForTheCompiler = map[string]string{
	"runtime.Stack p0":    "the system's stack fills it, for as long as the function runs",
	"sync r":              "the runtime waits at the addresses of semaphores, for as long as the method runs",
	"sort.Slice p0":       "reflection swaps the elements, for as long as the function runs",
	"sort.SliceStable p0": "reflection swaps the elements, for as long as the function runs",
}

// TestKeeps asks the compiler whether a function keeps its parameters: another function calls it
// with its own parameters, and the compiler says which of these leak.
func TestKeeps(t *testing.T) {
	tc := source(t)
	callers := &callers{imports: map[string]string{}}
	nothing, first := tc.with(t, KeepsNothing), tc.with(t, KeepsFirst)
	var names []string
	for name := range nothing {
		require.NotContains(t, first, name)
		names = append(names, name)
	}
	for name := range first {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fn := nothing[name]
		if fn == nil {
			fn = first[name]
		}
		callers.add(t, name, fn)
	}
	leaks, excused := callers.compile(t), map[string]bool{}
	for _, name := range names {
		for _, l := range leaks[name] {
			if nothing[name] == nil && (l.param != "p0" || l.result) {
				continue
			}
			for _, key := range []string{name + " " + l.param, name[:strings.IndexByte(name, '.')] + " " + l.param} {
				excused[key] = excused[key] || keptForTheCompiler[key] != ""
				l.excused = l.excused || excused[key]
			}
			assert.True(t, l.excused, "%s keeps %s", name, l.param)
		}
	}
	for key := range keptForTheCompiler {
		require.True(t, excused[key], "%s: the compiler sees it", key)
	}
}

type leak struct {
	param   string
	result  bool // by a result, and in no other way
	excused bool
}

// callers is a file of functions that call others with their own parameters.
type callers struct {
	imports map[string]string // path to name
	names   []string          // the functions that are called, in order
	text    strings.Builder
}

func (c *callers) qualifier(p *types.Package) string {
	if c.imports[p.Path()] == "" {
		c.imports[p.Path()] = fmt.Sprintf("i%d", len(c.imports))
	}
	return c.imports[p.Path()]
}

// add writes a function that calls fn. Type parameters become pointers where they may, as a pointer
// shows most.
func (c *callers) add(t *testing.T, name string, fn *types.Func) {
	sig := fn.Signature()
	if sig.TypeParams().Len() > 0 {
		var args []types.Type
		for p := range sig.TypeParams().TypeParams() {
			args = append(args, argument(p))
		}
		inst, err := types.Instantiate(nil, sig, args, true)
		require.NoError(t, err, name)
		sig = inst.(*types.Signature)
	}
	var params, passed []string
	call := c.qualifier(fn.Pkg()) + "." + fn.Name()
	if recv := fn.Signature().Recv(); recv != nil {
		if named := funcname.Of(fn); fn.Pkg().Scope().Lookup(strings.Split(named, ".")[0]).Exported() {
			params = append(params, "r "+types.TypeString(recv.Type(), c.qualifier))
			call = "r." + fn.Name()
		} else { // of an exported variable
			for _, v := range fn.Pkg().Scope().Names() {
				if obj := fn.Pkg().Scope().Lookup(v); obj.Exported() && types.Identical(obj.Type(), recv.Type()) {
					call = c.qualifier(fn.Pkg()) + "." + v + "." + fn.Name()
				}
			}
		}
	}
	for i := range sig.Params().Len() {
		typ := sig.Params().At(i).Type()
		arg := fmt.Sprintf("p%d", i)
		params = append(params, arg+" "+types.TypeString(typ, c.qualifier))
		if types.Identical(typ.Underlying(), types.Typ[types.String]) {
			arg = "s" + arg // its bytes do not change, so it does not matter whether it is kept
			params[len(params)-1] = "s" + params[len(params)-1]
		}
		if sig.Variadic() && i == sig.Params().Len()-1 {
			arg += "..."
		}
		passed = append(passed, arg)
	}
	results := ""
	if n := sig.Results().Len(); n > 0 {
		results = types.TypeString(sig.Results(), c.qualifier)
		call = "return " + call
	}
	fmt.Fprintf(&c.text, "func f%d(%s) %s {\n\t%s(%s)\n}\n", len(c.names), strings.Join(params, ", "), results, call, strings.Join(passed, ", "))
	c.names = append(c.names, name)
}

// argument is a type for a type parameter: a slice for ~[]E, a string where values are ordered, a
// pointer for all else.
func argument(p *types.TypeParam) types.Type {
	constraint := p.Constraint().Underlying().(*types.Interface)
	for e := range constraint.EmbeddedTypes() {
		u, ok := e.(*types.Union)
		if !ok {
			continue
		}
		if s, ok := u.Term(0).Type().(*types.Slice); ok {
			elem := s.Elem().(*types.TypeParam)
			return types.NewSlice(argument(elem))
		}
	}
	if strings.HasSuffix(p.Constraint().String(), "cmp.Ordered") {
		return types.Typ[types.String]
	}
	return types.NewPointer(types.Typ[types.Int])
}

// compile compiles the file and returns the parameters that leak, by the function that is called.
func (c *callers) compile(t *testing.T) map[string][]leak {
	dir := t.TempDir()
	var b strings.Builder
	b.WriteString("package m\n")
	for path, name := range c.imports {
		fmt.Fprintf(&b, "import %s %q\n", name, path)
	}
	b.WriteString(c.text.String())
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module m\n\ngo 1.24\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "m.go"), []byte(b.String()), 0o600))
	cmd := exec.Command("go", "build", "-gcflags=m=-m", "-o", os.DevNull, ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	lines := strings.Split(b.String(), "\n")
	leaks := map[string][]leak{}
	for line := range strings.Lines(string(out)) {
		var at, col int
		if _, err := fmt.Sscanf(line, "./m.go:%d:%d:", &at, &col); err != nil {
			continue
		}
		text, ok := strings.CutPrefix(strings.TrimSpace(strings.SplitN(line, ":", 4)[3]), "leaking param: ")
		if !ok {
			continue // its content may leak: it points to another object
		}
		if strings.HasPrefix(text, "sp") {
			continue
		}
		var n int
		_, err := fmt.Sscanf(lines[at-1], "func f%d(", &n)
		require.NoError(t, err, line)
		param, to, _ := strings.Cut(text, " to ")
		if strings.HasPrefix(to, "result") && !strings.HasSuffix(to, "level=0") {
			continue // likewise
		}
		leaks[c.names[n]] = append(leaks[c.names[n]], leak{param: param, result: to != ""})
	}
	return leaks
}
