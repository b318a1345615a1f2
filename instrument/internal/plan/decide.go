package plan

import (
	"go/ast"
	"go/token"
	"go/types"
	"go/version"
	"slices"
	"strconv"

	"github.com/racepred/racepred/instrument/internal/calls"
	"github.com/racepred/racepred/instrument/internal/emit"
	"github.com/racepred/racepred/instrument/internal/expr"
	"github.com/racepred/racepred/instrument/internal/gotypes"
	"github.com/racepred/racepred/instrument/internal/local"
	"github.com/racepred/racepred/instrument/internal/redundancy"
	"github.com/racepred/racepred/instrument/internal/site"
	"github.com/racepred/racepred/instrument/internal/spell"
)

// Source is one file with what is known about it.
type Source struct {
	Fset  *token.FileSet
	File  *ast.File
	Bytes []byte // what File was parsed from
	Pkg   *types.Package
	Info  *types.Info

	// Rewritten reports whether the rewriter records a package, Recorded whether the compiler does.
	// nil: none is.
	Rewritten, Recorded func(pkgPath string) bool
	Options
	// Whole is what Look found out about the package of the file; nil: nothing is known.
	Whole *Whole
	// Prefix begins every new name in the file; no identifier of the package may begin with it.
	Prefix string
	// Foreign reports whether a function of another rewritten package is left unrecorded, by its
	// name in Package.Unrecorded. nil: none is.
	Foreign func(pkgPath, name string) bool
	// SitesVar is the name of the file's array of sites.
	SitesVar string
	// Slots are the offsets where the plan's texts need slots (package counters), in order; nil:
	// nowhere.
	Slots []int
}

// Options are what a plan depends on besides the source.
type Options struct {
	All      bool // records what stays local, too: without rules instrument/L1 to L4, and the condition of instrument/S3
	Sections bool // functions that take a lock several times say when they begin and end (instrument/U2)
}

// Decide says what is to be recorded in a file, and by which edits. It is a
// pure function of src.
func Decide(src *Source) *Plan {
	d := &decider{
		Source: src,
		whole:  src.Whole,
		file: &emit.File{
			Tokens: src.Fset.File(src.File.FileStart), Bytes: src.Bytes, Slots: src.Slots, Runtime: src.Prefix + "runtime", Prefix: src.Prefix,
		},
		plan:    &Plan{},
		oldLoop: oldLoops(src),
		ends:    map[*ast.RangeStmt]bool{},

		thrownAway: map[*ast.CallExpr]bool{},
		rangeNames: map[*ast.RangeStmt]string{},
	}
	if d.whole == nil {
		d.whole = &Whole{}
	}
	d.judge = &calls.Judge{
		Pkg: src.Pkg, Info: src.Info, Rewritten: src.Rewritten, Recorded: src.Recorded, Foreign: src.Foreign, Unrecorded: d.whole.unrecorded,
	}
	for _, decl := range src.File.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			d.funcDecl(decl)
		case *ast.GenDecl:
			d.packageVars(decl)
		}
	}
	d.strayMarks()
	d.allWrappers()
	d.plan.Edits = dropEmpty(d.plan.Edits)
	return d.plan
}

func dropEmpty(edits []Edit) []Edit {
	return slices.DeleteFunc(edits, func(e Edit) bool { return e.Del == 0 && e.Text == "" })
}

// oldLoops reports whether the file has one variable per loop (before go1.22)
// instead of one per iteration.
func oldLoops(src *Source) bool {
	v := src.Info.FileVersions[src.File]
	if v == "" {
		v = src.Pkg.GoVersion()
	}
	return v != "" && version.Compare(v, "go1.22") < 0
}

// decider is the state that all functions of a file share.
type decider struct {
	*Source
	whole      *Whole
	judge      *calls.Judge
	file       *emit.File
	plan       *Plan
	oldLoop    bool
	flags      []flag                    // of loops, not declared yet
	thrownAway map[*ast.CallExpr]bool    // atomic operations whose result is (D1)
	rangeNames map[*ast.RangeStmt]string // the name in place of the key of a loop; see rangeInTurn
	ends       map[*ast.RangeStmt]bool   // loops that were put into a block, which has to be closed; see rangeElements
}

// walker goes through one function and puts its edits into a text: the file's,
// or that of a copy for another place.
type walker struct {
	*decider
	expr.Code
	emit.Text
	name     string // the declared function
	region   *region
	stmt     *stmtContext
	loop     *loop             // the innermost loop of this function
	opaque   *opaqueSlot       // the first opaque call of the statement or condition at hand; nil: none is noted
	asked    asked             // of the innermost opaque call at hand
	facts    *redundancy.Facts // the accesses that need no second record
	spawning bool              // the call at hand is that of a go or defer statement
	trying   bool              // this is the text of a trial (P2)
	pushed   *push             // of the statement at hand (W8)
	copies   bool              // this is text of a second evaluation: no calls, no late reads
	viewing  ast.Expr          // a string made of bytes of which only a part is read (B8)
}

func (d *decider) walker(name string, root ast.Node) *walker {
	return &walker{
		decider: d,
		Code: expr.Code{
			Info: d.Info, Pkg: d.Pkg, Tokens: d.file.Tokens, Bytes: d.Bytes, All: d.All,
			Locals: local.FindLocals(d.Info, root, d.oldLoop, d.escapes()), Fn: root,
		},
		Text:   emit.In(d.file, &d.plan.Edits),
		name:   name,
		region: &region{},
		facts:  redundancy.NewFacts(),
	}
}

// escapes is nil if Options.All switches rules L off.
func (d *decider) escapes() *local.Escapes {
	if d.All {
		return nil
	}
	return d.whole.escapes
}

func (d *decider) funcDecl(decl *ast.FuncDecl) {
	if decl.Body == nil {
		return
	}
	if gotypes.MayNotCall(decl) {
		d.miss(decl.Name, WhyNoSplit)
		return
	}
	sites := len(d.plan.Sites)
	w := d.walker(funcName(decl), decl)
	w.markedFunc(decl)
	w.function(decl.Body)
	if len(d.plan.Sites) > sites {
		w.recordedOnce(decl)
	}
}

// function visits the body of the function at hand.
func (w *walker) function(body *ast.BlockStmt) {
	w.sections(body)
	w.deferredResults(body)
	w.block(body)
}

// packageVars visits the initializers of package variables. An initializer that calls something may
// run beside goroutines that earlier ones have started, and is recorded. The compiler may turn the
// others into data, so only the function literals in them are visited.
func (d *decider) packageVars(decl *ast.GenDecl) {
	for _, spec := range decl.Specs {
		spec, ok := spec.(*ast.ValueSpec)
		if !ok {
			continue
		}
		for i, v := range spec.Values {
			name := spec.Names[min(i, len(spec.Names)-1)].Name
			if w := d.walker(name, v); w.HasPoint(v) {
				end := w.straight(v)
				w.eval(v)
				end()
				continue
			}
			ast.Inspect(v, func(n ast.Node) bool {
				lit, ok := n.(*ast.FuncLit)
				if !ok {
					return true
				}
				d.walker(name, lit).function(lit.Body)
				return false
			})
		}
	}
}

// funcName is how stacks name a declared function, without the package.
func funcName(decl *ast.FuncDecl) string {
	if decl.Recv == nil || len(decl.Recv.List) == 0 {
		return decl.Name.Name
	}
	t := ast.Unparen(decl.Recv.List[0].Type)
	star := false
	if p, ok := t.(*ast.StarExpr); ok {
		star, t = true, ast.Unparen(p.X)
	}
	switch x := t.(type) {
	case *ast.IndexExpr:
		t = x.X
	case *ast.IndexListExpr:
		t = x.X
	}
	id, ok := t.(*ast.Ident)
	switch {
	case !ok:
		return decl.Name.Name
	case star:
		return "(*" + id.Name + ")." + decl.Name.Name
	default:
		return id.Name + "." + decl.Name.Name
	}
}

func (d *decider) miss(n ast.Node, why Reason) {
	p := d.file.Tokens.PositionFor(n.Pos(), false)
	d.plan.Misses = append(d.plan.Misses, Miss{p.Line, p.Column, site.OneLine(d.file.Written(n)), why})
}

// site adds a site and returns the expression that names it in rewritten code.
func (w *walker) site(op Op, at token.Pos, expr string) string {
	p := w.Tokens.PositionFor(at, false)
	w.plan.Sites = append(w.plan.Sites, Site{Line: p.Line, Col: p.Column, Op: op, Expr: site.OneLine(expr), Func: w.name})
	return "&" + w.SitesVar + "[" + strconv.Itoa(len(w.plan.Sites)-1) + "]"
}

// speller spells types with what the file imports.
func (d *decider) speller() *spell.Speller {
	return &spell.Speller{Pkg: d.Pkg, Info: d.Info, File: d.File}
}

// copied is the text of a node with the edits that visit makes, for a second
// evaluation at another place of the file. The node itself stays as it is.
func (w *walker) copied(n ast.Node, visit func(*walker)) string {
	return w.elsewhere(n, true, visit)
}

// moved is the same for a node that is evaluated at the other place only.
func (w *walker) moved(n ast.Node, visit func(*walker)) string {
	return w.elsewhere(n, false, visit)
}

func (w *walker) elsewhere(n ast.Node, copies bool, visit func(*walker)) string {
	c := *w
	c.Text = w.Apart()
	c.region = &region{}
	c.copies = copies
	c.asked = asked{} // what is put into another text does not count for the call here
	visit(&c)
	c.followMoved()
	return w.OneLine(n, *c.Edits)
}
