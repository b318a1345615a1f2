package guardedby

import (
	"cmp"
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/racepred/racepred/analyzer/internal/honour"
	"github.com/racepred/racepred/analyzer/internal/lockset"
)

// Analyzer reports accesses without the lock that guards the field or variable.
var Analyzer = &analysis.Analyzer{
	Name:      "guardedby",
	Doc:       "report accesses of a field or variable without the mutex that guards it\n\nMost accesses hold the mutex, or a comment says that it guards the field.",
	URL:       "https://pkg.go.dev/github.com/racepred/racepred/analyzer/guardedby",
	Run:       honour.Ignores(run),
	Requires:  []*analysis.Analyzer{lockset.Analyzer},
	FactTypes: []analysis.Fact{new(guards), new(needs)},
}

func run(pass *analysis.Pass) (any, error) {
	said := annotations(pass)
	p := pass.ResultOf[lockset.Analyzer].(*lockset.Program)
	if p == nil {
		return nil, nil
	}
	var vars []*variable
	byObject := map[types.Object]*variable{}
	for i := range p.Uses {
		u := &p.Uses[i]
		v := byObject[u.Var]
		if v == nil {
			v = &variable{obj: u.Var, owner: u.Owner, sites: map[ssa.Instruction]*site{}}
			byObject[u.Var] = v
			vars = append(vars, v)
		}
		v.add(u)
	}
	slices.SortFunc(vars, func(a, b *variable) int { return cmp.Compare(a.obj.Pos(), b.obj.Pos()) })
	var found []finding
	helpers, made := newHelpers(p), fixes{}
	for _, v := range vars {
		g := v.guard(pass, said[v.obj])
		if g == nil {
			continue
		}
		found = append(found, v.findings(pass, g, made)...)
		helpers.guarded(v, g)
		v.export(pass, g)
	}
	found = append(found, helpers.findings(pass)...)
	slices.SortStableFunc(found, func(a, b finding) int { return cmp.Compare(a.at, b.at) })
	seen := map[token.Pos]bool{}
	explained := explanations(pass)
	for _, f := range found {
		if !seen[f.at] && !explained[placeOf(pass.Fset, f.at)] {
			seen[f.at] = true
			pass.Report(analysis.Diagnostic{Pos: f.at, Message: f.message, Related: f.related, SuggestedFixes: f.fixes})
		}
	}
	return nil, nil
}

// variable is a field or a package variable with its accesses.
type variable struct {
	obj   types.Object
	owner string
	order []*site
	sites map[ssa.Instruction]*site
}

// site is one access, with the contexts in which it is executed.
type site struct {
	*lockset.Access
	uses []*lockset.Use
}

func (v *variable) add(u *lockset.Use) {
	s := v.sites[u.Instr]
	if s == nil {
		s = &site{Access: u.Access}
		v.sites[u.Instr] = s
		v.order = append(v.order, s)
	}
	s.uses = append(s.uses, u)
}

// standing says in which contexts of a place a lock is held.
type standing uint8

const (
	unknown   standing = iota
	guarded            // in every context
	unguarded          // in some
)

func (s *site) standing(class string) standing {
	all := guarded
	for _, u := range s.uses {
		switch must, may := u.State.Has(class, u.Write); {
		case must:
		case u.Waited: // (G6)
			all = unknown
		case may:
			all = unknown
		default:
			return unguarded
		}
	}
	return all
}

// guard is the lock that guards a variable, with the evidence.
type guard struct {
	class              string
	guarded, unguarded tally
	writes             int     // of those that are guarded
	said               bool    // by a comment
	elsewhere          *guards // what the package of the variable says, if that is another one
}

// tally counts accesses by line, and the functions that they are in.
type tally struct {
	at        map[place]bool
	in        map[*ssa.Function]bool
	elsewhere count // in the package of the variable, if that is another one
}

type place struct {
	file string
	line int
}

func placeOf(fset *token.FileSet, pos token.Pos) place {
	at := fset.Position(pos)
	return place{at.Filename, at.Line}
}

func (t *tally) total() count {
	return count{len(t.at) + t.elsewhere.Places, len(t.in) + t.elsewhere.Funcs}
}

func (t *tally) add(s *site) {
	if t.at == nil {
		t.at, t.in = map[place]bool{}, map[*ssa.Function]bool{}
	}
	t.at[placeOf(s.Instr.Parent().Prog.Fset, s.Pos)], t.in[s.Instr.Parent()] = true, true
}

const fewFunctions = 3 // may be mistaken; if more functions do it, it is meant

// outnumber reports whether t are enough to believe that u are mistakes. (G2)
func (t *tally) outnumber(u *tally) bool {
	held, free := t.total(), u.total()
	switch {
	case held.Places < 2 || held.Funcs < 2:
		return false
	case free.Places <= 1:
		return true
	case free.Funcs > fewFunctions:
		return false
	case held.Places >= 4*free.Places:
		return true
	}
	return held.Places > free.Places && held.Funcs >= 4*free.Funcs
}

// infer finds the lock that guards v, by (G2) and (G3); nil if there is none.
func (v *variable) infer() *guard {
	count := map[string]*guard{}
	for _, s := range v.order {
		for _, u := range s.uses {
			for _, h := range u.State.Held {
				if h.Must && h.Class != "" && !h.Chan && count[h.Class] == nil {
					count[h.Class] = &guard{class: h.Class}
				}
			}
		}
	}
	var best *guard
	for _, g := range count {
		g.count(v)
		own := strings.HasPrefix(g.class, v.owner) && v.owner != ""
		if !own || g.writes < 1 || !g.guarded.outnumber(&g.unguarded) {
			continue
		}
		if best == nil || cmp.Or(cmp.Compare(len(g.guarded.at), len(best.guarded.at)), cmp.Compare(len(best.unguarded.at), len(g.unguarded.at)), strings.Compare(best.class, g.class)) > 0 {
			best = g
		}
	}
	return best
}

func (g *guard) count(v *variable) {
	for _, s := range v.order {
		switch s.standing(g.class) {
		case guarded:
			g.guarded.add(s)
			if s.Write {
				g.writes++
			}
		case unguarded:
			g.unguarded.add(s)
		}
	}
}

type finding struct {
	at      token.Pos
	message string
	related []analysis.RelatedInformation
	fixes   []analysis.SuggestedFix
}

// guard is the lock of v: what a comment says, what the package of v says by a fact, or what its
// accesses show; nil if there is none.
func (v *variable) guard(pass *analysis.Pass, said *annotation) *guard {
	if said != nil {
		g := &guard{class: said.class, said: true}
		g.count(v)
		return g
	}
	if fact := new(guards); v.obj.Pkg() != pass.Pkg && pass.ImportObjectFact(v.obj, fact) {
		g := &guard{class: fact.Class, said: fact.Said, elsewhere: fact}
		g.guarded.elsewhere, g.unguarded.elsewhere = fact.With, fact.Without
		g.count(v)
		if g.said || g.guarded.outnumber(&g.unguarded) {
			return g
		}
		return nil
	}
	return v.infer()
}

// findings are the accesses of v without its lock.
func (v *variable) findings(pass *analysis.Pass, g *guard, made fixes) (all []finding) {
	reported := map[*ssa.Function]bool{}
	for _, write := range []bool{true, false} {
		for _, s := range v.order {
			if s.Write != write || s.standing(g.class) != unguarded || reported[s.Instr.Parent()] {
				continue
			}
			if f, ok := v.finding(g, s); ok {
				reported[s.Instr.Parent()] = true
				made.add(&f, g, s, v.wrap(pass, g, s))
				all = append(all, f)
			}
		}
	}
	return all
}

// finding is the report of an access without the lock, with the other access that it races with. It
// is false if there is none.
func (v *variable) finding(g *guard, s *site) (finding, bool) {
	for _, u := range s.uses {
		if _, may := u.State.Has(g.class, u.Write); may || u.Waited {
			continue
		}
		if o := v.conflict(g, u); o != nil {
			return v.describe(g, s, u, o), true
		}
		if shared, _ := u.State.Has(g.class, false); shared && u.Write && u.Only == nil && concurrent(u, u) && !together(u, u) {
			return v.describe(g, s, u, u), true // two such
		}
		if g.elsewhere != nil && g.elsewhere.conflicts(u) {
			return v.describe(g, s, u, nil), true
		}
	}
	return finding{}, false
}

// conflict finds another access that may come at the same time as u, one that holds the lock if
// there is one. (G4)
func (v *variable) conflict(g *guard, u *lockset.Use) *lockset.Use {
	var other *lockset.Use
	for _, s := range v.order {
		if s.Content != u.Content || !s.Write && !u.Write || s.Instr == u.Instr {
			continue
		}
		for _, o := range s.uses {
			if !concurrent(u, o) || u.Apart(o) || together(u, o) || o.First { // (G5)
				continue
			}
			must, _ := o.State.Has(g.class, o.Write)
			if must && o.Write {
				return o
			}
			if must && (other == nil || !other.Write) {
				other = o
			}
		}
	}
	return other
}

// together reports whether another lock keeps two accesses apart, or may do so because one is in a
// function whose caller may hold any lock.
func together(a, b *lockset.Use) bool {
	if a.State.Any && holdsSome(b) || b.State.Any && holdsSome(a) {
		return true
	}
	for _, h := range a.State.Held {
		if _, may := b.State.Has(h.Class, !h.Write); may && (h.Must || h.Chan) && h.Class != "" {
			return true
		}
	}
	return false
}

func holdsSome(u *lockset.Use) bool {
	return slices.ContainsFunc(u.State.Held, func(h lockset.Held) bool { return h.Must && h.Class != "" })
}

func concurrent(a, b *lockset.Use) bool {
	_, shared := a.Var.(*types.Var)
	shared = shared && !a.Var.(*types.Var).IsField()
	for _, x := range a.Ctx.Roots {
		for _, y := range b.Ctx.Roots {
			if x.Concurrent(y, shared) {
				return true
			}
		}
	}
	return false
}

func (v *variable) describe(g *guard, s *site, u, o *lockset.Use) finding {
	lock := short(g.class)
	var why string
	if held := g.guarded.total().Places; g.said {
		why = "which guards it as its comment says"
	} else {
		why = fmt.Sprintf("which %d of %d accesses hold", held, held+g.unguarded.total().Places)
	}
	if must, _ := u.State.Has(g.class, false); must && u.Write {
		lock = "more than a read lock of " + lock
	}
	f := finding{at: s.Pos, message: fmt.Sprintf("%s of %s without %s, %s", verb(s.Access), v.name(), lock, why)}
	if o == u {
		f.related = append(f.related, analysis.RelatedInformation{Pos: u.Pos, Message: "another goroutine may be here, too, and hold it for reading at the same time"})
	} else if o != nil {
		f.related = append(f.related, analysis.RelatedInformation{Pos: o.Pos, Message: fmt.Sprintf("%s with %s, possibly at the same time", verb(o.Access), short(g.class))})
	} else {
		f.related = append(f.related, analysis.RelatedInformation{Pos: v.obj.Pos(), Message: fmt.Sprintf("package %s accesses it with %s, possibly at the same time", v.obj.Pkg().Path(), short(g.class))})
	}
	f.related = append(f.related, calls(u.Ctx)...)
	return f
}

// calls are the calls on the way to a context.
func calls(ctx *lockset.Context) (all []analysis.RelatedInformation) {
	for c, n := ctx, 0; c != nil && c.From != nil && n < 4; c, n = c.From, n+1 {
		if c.Site != nil && c.Site.Pos().IsValid() {
			all = append(all, analysis.RelatedInformation{Pos: c.Site.Pos(), Message: fmt.Sprintf("%s is called here without it", c.Fn.Name())})
		}
	}
	return all
}

func verb(a *lockset.Access) string {
	switch {
	case a.Write && a.Content:
		return "change of the content"
	case a.Content:
		return "read of the content"
	case a.Write:
		return "write"
	}
	return "read"
}

func (v *variable) name() string {
	if f, ok := v.obj.(*types.Var); ok && f.IsField() {
		return short(v.owner + f.Name())
	}
	return v.obj.Name()
}

// short is a class without the path of its package: "Cache.mu".
func short(class string) string {
	class = class[strings.LastIndexByte(class, '/')+1:]
	if _, rest, ok := strings.Cut(class, "."); ok {
		return rest
	}
	return class
}
