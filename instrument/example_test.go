package instrument_test

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"

	"github.com/racepred/racepred/instrument"
)

// A file of which everything is known: parsed, and its package type-checked.
func checked(src string) *instrument.Source {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "counter.go", src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		panic(err)
	}
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
		Scopes: map[ast.Node]*types.Scope{}, Instances: map[*ast.Ident]types.Instance{}, FileVersions: map[*ast.File]string{},
	}
	conf := types.Config{Importer: importer.ForCompiler(fset, "source", nil)}
	pkg, err := conf.Check("example.com/counter", fset, []*ast.File{file}, info)
	if err != nil {
		panic(err)
	}
	return &instrument.Source{Fset: fset, File: file, Bytes: []byte(src), Pkg: pkg, Info: info, Prefix: "racepred_", SitesVar: "sites"}
}

// What is recorded of a file, where, and by which rules.
func ExampleDecide() {
	plan := instrument.Decide(checked(`package counter

type counter struct{ n, limit int }

func (c *counter) inc() bool {
	if c.n == c.limit {
		return false
	}
	c.n++
	return true
}
`))
	for _, s := range plan.Sites {
		fmt.Printf("%d:%d %s %s in %s\n", s.Line, s.Col, s.Op, s.Expr, s.Func)
	}
	for _, e := range plan.Edits {
		fmt.Printf("at %d: %s (%s)\n", e.Off, e.Text, e.Rule)
	}
	// Output:
	// 6:5 read c.n in (*counter).inc
	// 6:12 read c.limit in (*counter).inc
	// 9:2 read c.n in (*counter).inc
	// 9:2 write c.n in (*counter).inc
	// at 89: (*racepred_runtime.RacepredR(& (R1 read)
	// at 92: , &sites[0])) (R1 read)
	// at 96: (*racepred_runtime.RacepredR(& (R1 read)
	// at 103: , &sites[1])) (R1 read)
	// at 125: *racepred_runtime.RacepredModify(& (W1 write)
	// at 128: , 1, &sites[2], &sites[3]) (W1 write)
}

// With a look at the whole package, what stays with one goroutine is left out.
func ExampleLook() {
	src := checked(`package counter

type counter struct{ n int }

func total(list []int) int {
	c := &counter{}
	for range list {
		c.n++
	}
	return c.n
}
`)
	fmt.Println(len(instrument.Decide(src).Sites), "sites")
	src.Whole = instrument.Look(src.Pkg, src.Info, src.File)
	fmt.Println(len(instrument.Decide(src).Sites), "sites")
	// Output:
	// 3 sites
	// 0 sites
}

// The packages of a module, rewritten: every line stays where it is.
func ExampleRewrite() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "counter.go")
	for name, text := range map[string]string{
		filepath.Join(dir, "go.mod"): "module example.com/counter\n\ngo 1.24\n",
		file:                         "package counter\n\nvar n int\n\nfunc Set(to int) { n = to }\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			panic(err)
		}
	}
	res, err := instrument.Rewrite(instrument.Config{Dir: dir, Patterns: []string{"./..."}, Env: append(os.Environ(), "GOWORK=off", "GOFLAGS=")})
	if err != nil {
		panic(err)
	}
	for _, p := range res.Packages {
		fmt.Println(p.Path, "rewritten:", p.Rewritten, "sites:", p.Sites)
	}
	fmt.Println(strings.Split(string(res.Files[file]), "\n")[4])
	// Output:
	// example.com/counter rewritten: true sites: 1
	// func Set(to int) { *racepred_runtime.RacepredW(&n, &_racepredSites_4f10873b[0]) = to }
}
