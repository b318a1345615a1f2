package guardedby

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/racepred/racepred/analyzer/internal/lockset"
)

// annotation is a comment that names the lock of a field or variable. (G1)
type annotation struct {
	class string
	at    token.Pos
}

var (
	marked   = regexp.MustCompile(`//racepred:guardedby\s+([A-Za-z_][\w.]*)`)
	sentence = regexp.MustCompile(`[.!?](?:\s+|$)|\n\s*\n`)
	broken   = regexp.MustCompile(`(?i)\b(not|n't|never|longer|only|be|been|being|is|are|was|were|and|or|which|that)\n`)
	clause   = regexp.MustCompile(`[,;:()\n\t]| -+ |[–—]`)
	prose    = regexp.MustCompile(`^(?i:(?:and |also |(.*?) (?:is|are) )?(?:guarded|protected) by (?:the )?)([A-Za-z_][\w.]*)(?i: lock| mutex)?$`)
	itself   = regexp.MustCompile(`^(?i:it|this|this (?:field|map|slice|list|variable)|both|all|(?:all )?(?:the )?following(?: fields)?|(?:all )?(?:the )?fields below)$`)
	hedge    = regexp.MustCompile(`^(?i:not|never|no longer|unlike|whether|once|except|unless|when|whenever|while|if|only|until|after|before|during|outside|but|or|and|also|either|reads?|writes?|reading|writing)\b`)
)

// saidBy is the name of the lock that a comment in English says guards the fields or variables
// names: a clause of it is "guarded by mu" or "NAME is protected by the mu lock", and no clause
// beside it says that this is so sometimes only, or of another lock, too. "" if it says no such
// thing.
func saidBy(text string, names []*ast.Ident) string {
	if !strings.Contains(text, "ed by") && !strings.Contains(text, "ED BY") { // most comments: expressions cost more
		return ""
	}
	for _, s := range sentence.Split(text, -1) {
		clauses := clause.Split(broken.ReplaceAllString(s, "$1 "), -1)
		clauses = slices.DeleteFunc(clauses, func(c string) bool { return strings.TrimSpace(c) == "" })
		for i, c := range clauses {
			m := prose.FindStringSubmatch(strings.TrimSpace(c))
			if m == nil || i > 0 && hedge.MatchString(strings.TrimSpace(clauses[i-1])) || i+1 < len(clauses) && hedge.MatchString(strings.TrimSpace(clauses[i+1])) {
				continue
			}
			if m[1] == "" || itself.MatchString(m[1]) || slices.ContainsFunc(names, func(id *ast.Ident) bool { return m[1] == id.Name }) {
				return strings.TrimRight(m[2], ".")
			}
		}
	}
	return ""
}

// annotations are those of the package. A racepred:guardedby that names no lock is reported.
func annotations(pass *analysis.Pass) map[types.Object]*annotation {
	all := map[types.Object]*annotation{}
	read := func(owner *types.Named, ids []*ast.Ident, groups ...*ast.CommentGroup) {
		for _, g := range groups {
			if g == nil {
				continue
			}
			name, at, must := saidBy(g.Text(), ids), g.Pos(), false
			for _, c := range g.List {
				if !strings.HasPrefix(c.Text, "//racepred:") {
					continue
				}
				if m := marked.FindStringSubmatch(c.Text); m != nil {
					name, at, must = m[1], c.Pos(), true
				}
			}
			class := ""
			if name != "" {
				class = lockNamed(pass.Pkg, owner, name)
			}
			if class == "" && must {
				pass.Report(analysis.Diagnostic{Pos: at, Message: "racepred:guardedby " + name + ": there is no mutex of this name in the struct or the package"})
			}
			for _, id := range ids {
				if obj := pass.TypesInfo.Defs[id]; obj != nil && class != "" {
					all[obj] = &annotation{class, at}
				}
			}
		}
	}
	for _, f := range pass.Files {
		for _, d := range f.Decls {
			gen, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range gen.Specs {
				switch spec := spec.(type) {
				case *ast.ValueSpec:
					if gen.Tok == token.VAR {
						doc := spec.Doc
						if doc == nil && len(gen.Specs) == 1 {
							doc = gen.Doc
						}
						read(nil, spec.Names, doc, spec.Comment)
					}
				case *ast.TypeSpec:
					st, ok := spec.Type.(*ast.StructType)
					obj := pass.TypesInfo.Defs[spec.Name]
					if !ok || obj == nil {
						continue
					}
					owner, _ := obj.Type().(*types.Named)
					for _, field := range st.Fields.List {
						read(owner, field.Names, field.Doc, field.Comment)
					}
				}
			}
		}
	}
	return all
}

// lockNamed is the class of the lock that a comment calls name: a field of the struct, a variable
// of the package, or T.field.
func lockNamed(pkg *types.Package, owner *types.Named, name string) string {
	field := func(n *types.Named, name string) string {
		st, ok := n.Underlying().(*types.Struct)
		if !ok {
			return ""
		}
		for f := range st.Fields() {
			if f.Name() == name && isMutex(f.Type()) {
				return lockset.ClassPrefix(pkg) + n.Obj().Name() + "." + name
			}
		}
		return ""
	}
	if typ, rest, ok := strings.Cut(name, "."); ok {
		if t, ok := pkg.Scope().Lookup(typ).(*types.TypeName); ok {
			if n, ok := t.Type().(*types.Named); ok {
				return field(n, rest)
			}
		}
		return ""
	}
	if owner != nil {
		if class := field(owner, name); class != "" {
			return class
		}
	}
	if v, ok := pkg.Scope().Lookup(name).(*types.Var); ok && isMutex(v.Type()) {
		return lockset.ClassPrefix(pkg) + name
	}
	return ""
}

// isMutex reports whether a type, or what it points to, has methods Lock and Unlock.
func isMutex(t types.Type) bool {
	for _, name := range []string{"Lock", "Unlock"} {
		obj, _, _ := types.LookupFieldOrMethod(t, true, nil, name)
		if _, ok := obj.(*types.Func); !ok {
			return false
		}
	}
	return true
}
