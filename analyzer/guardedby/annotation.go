package guardedby

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
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
	prose   = regexp.MustCompile(`(?i)\b(?:guarded|protected) by (?:the )?([A-Za-z_][\w.]*)`)
	several = regexp.MustCompile(`(?i)\balso (?:guarded|protected) by|(?:guarded|protected) by (?:both|either)|(?:guarded|protected) by [\w.]+ (?:and|or) `)
	marked  = regexp.MustCompile(`//racepred:guardedby\s+([A-Za-z_][\w.]*)`)
)

// annotations are those of the package. A racepred:guardedby that names no lock is reported.
func annotations(pass *analysis.Pass) map[types.Object]*annotation {
	all := map[types.Object]*annotation{}
	read := func(owner *types.Named, ids []*ast.Ident, groups ...*ast.CommentGroup) {
		for _, g := range groups {
			if g == nil {
				continue
			}
			for _, c := range g.List {
				name, must := "", false
				if m := marked.FindStringSubmatch(c.Text); m != nil {
					name, must = m[1], true
				} else if m := prose.FindStringSubmatch(c.Text); m != nil && !several.MatchString(c.Text) {
					name = strings.TrimRight(m[1], ".")
				} else {
					continue
				}
				class := lockNamed(pass.Pkg, owner, name)
				if class == "" {
					if must {
						pass.Report(analysis.Diagnostic{Pos: c.Pos(), Message: "racepred:guardedby " + name + ": there is no mutex of this name in the struct or the package"})
					}
					continue
				}
				for _, id := range ids {
					if obj := pass.TypesInfo.Defs[id]; obj != nil {
						all[obj] = &annotation{class, c.Pos()}
					}
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

// lockNamed is the class of the lock that a comment calls name: a field of the struct, a variable of the package, or T.field.
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
