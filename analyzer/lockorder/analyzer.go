package lockorder

import (
	"cmp"
	"fmt"
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/racepred/racepred/analyzer/internal/honour"
	"github.com/racepred/racepred/analyzer/internal/lockset"
)

// Analyzer reports mutexes that are taken in different orders.
var Analyzer = &analysis.Analyzer{
	Name:      "lockorder",
	Doc:       "report mutexes that are locked in different orders\n\nTwo goroutines that do so at the same time wait for each other for ever.",
	URL:       "https://pkg.go.dev/github.com/racepred/racepred/analyzer/lockorder",
	Run:       honour.Ignores(run),
	Requires:  []*analysis.Analyzer{lockset.Analyzer},
	FactTypes: []analysis.Fact{new(takes), new(order)},
}

// takes is the fact of a function that it acquires locks.
type takes struct{ Locks []lockset.Taken }

func (*takes) AFact()           {}
func (t *takes) String() string { return fmt.Sprint(t.Locks) }

// order is the fact of a package that it acquires locks while it holds others.
type order struct{ Edges []Edge }

func (*order) AFact()           {}
func (o *order) String() string { return fmt.Sprint(len(o.Edges), " edges") }

// Edge is a lock that is acquired while another one is held.
type Edge struct {
	From, To           string
	FromWrite, ToWrite bool
	Gates              []string // what else is held, not only for reading
	At                 string   // where, for people

	from, to token.Pos
	roots    []*lockset.Root
	ctx      *lockset.Context
}

func run(pass *analysis.Pass) (any, error) {
	p := pass.ResultOf[lockset.Analyzer].(*lockset.Program)
	if p == nil {
		return nil, nil
	}
	imported := func(fn *types.Func) []lockset.Taken {
		t := new(takes)
		if fn.Pkg() == nil || fn.Pkg() == pass.Pkg || !pass.ImportObjectFact(fn, t) {
			return nil
		}
		return t.Locks
	}
	for fn, locks := range p.TakenBy(imported) {
		if fn.Exported() {
			pass.ExportObjectFact(fn, &takes{locks})
		}
	}
	own := edges(pass, p, imported)
	if len(own) > 0 {
		pass.ExportPackageFact(&order{own})
	}
	all := slices.Clone(own)
	for _, f := range pass.AllPackageFacts() {
		if o, ok := f.Fact.(*order); ok && f.Package != pass.Pkg {
			all = append(all, o.Edges...)
		}
	}
	report(pass, own, all)
	pairs(pass, p)
	return nil, nil
}

// edges are those of the package, one of each two classes and gates.
func edges(pass *analysis.Pass, p *lockset.Program, imported func(*types.Func) []lockset.Taken) (all []Edge) {
	at := map[string]int{}
	add := func(s *lockset.State, class string, write bool, to token.Pos, ctx *lockset.Context) {
		for _, h := range s.Held {
			if !h.Must || h.Class == "" || class == "" || h.Class == class { // (K2)
				continue
			}
			e := Edge{From: h.Class, To: class, FromWrite: h.Write, ToWrite: write, from: h.At, to: to, roots: ctx.Roots, ctx: ctx}
			for _, g := range s.Held {
				if g.Must && g.Write && g.Class != "" && g.Class != h.Class && g.Class != class {
					e.Gates = append(e.Gates, g.Class)
				}
			}
			slices.Sort(e.Gates)
			pos := pass.Fset.Position(to)
			e.At = path.Join(pass.Pkg.Path(), filepath.Base(pos.Filename)) + fmt.Sprintf(":%d", pos.Line)
			key := fmt.Sprint(e.From, " ", e.To, e.FromWrite, e.ToWrite, e.Gates)
			if i, ok := at[key]; ok {
				all[i].roots = append(slices.Clip(all[i].roots), e.roots...)
				continue
			}
			at[key] = len(all)
			all = append(all, e)
		}
	}
	for i := range p.Acquires {
		a := &p.Acquires[i]
		add(&a.State, a.Class, a.Write, a.At, a.Ctx)
	}
	for i := range p.Calls {
		c := &p.Calls[i]
		for _, t := range imported(c.Fn) {
			add(&c.State, t.Class, t.Write, c.Site.Pos(), c.Ctx)
		}
	}
	return all
}

// report reports the cycles with an edge of the package, the shortest first.
func report(pass *analysis.Pass, own, all []Edge) {
	next := map[string][]*Edge{}
	reported := map[[2]string]bool{} // edges
	for i := range all {
		next[all[i].From] = append(next[all[i].From], &all[i])
	}
	var found [][]*Edge
	for i := range own {
		found = append(found, cycles(&own[i], next)...)
	}
	slices.SortStableFunc(found, func(a, b []*Edge) int { return len(a) - len(b) })
	for _, cycle := range found { // (K6)
		known := slices.ContainsFunc(cycle, func(e *Edge) bool { return reported[[2]string{e.From, e.To}] })
		if known || !possible(cycle) {
			continue
		}
		for _, e := range cycle {
			reported[[2]string{e.From, e.To}] = true
		}
		describe(pass, cycle)
	}
}

const longest = 4 // edges of a cycle

// cycles are those that begin with an edge, the shortest first.
func cycles(first *Edge, next map[string][]*Edge) (all [][]*Edge) {
	work := [][]*Edge{{first}}
	for len(work) > 0 && len(all) < 8 {
		way := work[0]
		work = work[1:]
		last := way[len(way)-1]
		if last.To == first.From {
			all = append(all, way)
			continue
		}
		if len(way) == longest || len(work) > 1000 {
			continue
		}
		for _, e := range next[last.To] {
			if !slices.ContainsFunc(way, func(o *Edge) bool { return o.From == e.From }) {
				work = append(work, append(slices.Clip(way), e))
			}
		}
	}
	return all
}

// possible reports whether goroutines can be in all edges of a cycle at once.
func possible(cycle []*Edge) bool {
	for i, e := range cycle {
		before := cycle[(i+len(cycle)-1)%len(cycle)]
		if !e.FromWrite && !before.ToWrite { // (K3)
			return false
		}
		for _, o := range cycle[:i] { // (K3)
			if slices.ContainsFunc(e.Gates, func(g string) bool { return g == o.From || slices.Contains(o.Gates, g) }) || slices.Contains(o.Gates, e.From) {
				return false
			}
		}
	}
	first := cycle[0].roots // (K4)
	for _, e := range cycle {
		if e.roots == nil {
			return true // of another package
		}
		for _, r := range e.roots {
			for _, o := range first {
				if r.Concurrent(o, true) {
					return true
				}
			}
		}
	}
	return false
}

func describe(pass *analysis.Pass, cycle []*Edge) {
	e := cycle[0]
	d := analysis.Diagnostic{Pos: e.to, Message: fmt.Sprintf("%s is locked while %s is held, and %s", short(e.To), short(e.From), elsewhere(cycle))}
	d.Related = append(d.Related, analysis.RelatedInformation{Pos: e.from, Message: short(e.From) + " is locked here"})
	d.Related = append(d.Related, calls(e)...)
	for _, o := range cycle[1:] {
		if !o.to.IsValid() {
			continue
		}
		d.Related = append(d.Related,
			analysis.RelatedInformation{Pos: o.to, Message: short(o.To) + " is locked while " + short(o.From) + " is held"},
			analysis.RelatedInformation{Pos: o.from, Message: short(o.From) + " is locked here"})
		d.Related = append(d.Related, calls(o)...)
	}
	pass.Report(d)
}

func elsewhere(cycle []*Edge) string {
	var parts []string
	for _, e := range cycle[1:] {
		part := short(e.To) + " while " + short(e.From) + " is held"
		if !e.to.IsValid() {
			part += " (" + e.At + ")"
		}
		parts = append(parts, part)
	}
	return "elsewhere " + strings.Join(parts, ", and ")
}

// calls are the calls on the way to an edge from where its first lock was taken.
func calls(e *Edge) (all []analysis.RelatedInformation) {
	for c, n := e.ctx, 0; c != nil && c.From != nil && n < 4; c, n = c.From, n+1 {
		if c.Site != nil && c.Site.Pos().IsValid() && slices.ContainsFunc(c.Entry.Held, func(h lockset.Held) bool { return h.Class == e.From && h.At == e.from }) {
			all = append(all, analysis.RelatedInformation{Pos: c.Site.Pos(), Message: c.Fn.Name() + " is called here"})
		}
	}
	return all
}

// pairs reports functions that lock two objects of one type in the order of their parameters. (K5)
func pairs(pass *analysis.Pass, p *lockset.Program) {
	seen := map[token.Pos]bool{}
	for i := range p.Acquires {
		a := &p.Acquires[i]
		second, ok := a.Key.Root.(*ssa.Parameter)
		if !ok || seen[a.At] || compares(a.Instr.Parent()) {
			continue
		}
		for _, h := range a.State.Held {
			first, ok := h.Key.Root.(*ssa.Parameter)
			if !ok || !h.Must || first == second || h.Class != a.Class || h.Class == "" || h.Key.Steps != a.Key.Steps || !(h.Write || a.Write) ||
				first.Parent() != a.Instr.Parent() || second.Parent() != a.Instr.Parent() || !types.Identical(first.Type(), second.Type()) || len(a.State.Held) > 1 {
				continue
			}
			seen[a.At] = true
			pass.Report(analysis.Diagnostic{
				Pos: a.At,
				Message: fmt.Sprintf("%s of %s is locked while that of %s is held, so two calls with the two exchanged wait for each other for ever",
					short(a.Class), second.Name(), first.Name()),
				Related: []analysis.RelatedInformation{{Pos: h.At, Message: "the lock of " + first.Name() + " is taken here"}},
			})
		}
	}
}

// compares reports whether a function looks at which of two values is less.
func compares(fn *ssa.Function) bool {
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			if op, ok := instr.(*ssa.BinOp); ok && (op.Op == token.LSS || op.Op == token.GTR || op.Op == token.LEQ || op.Op == token.GEQ) {
				return true
			}
		}
	}
	return false
}

// short is a class without the path of its package.
func short(class string) string {
	class = class[strings.LastIndexByte(class, '/')+1:]
	if _, rest, ok := strings.Cut(class, "."); ok && rest != "" {
		return rest
	}
	return cmp.Or(class, "a lock")
}
