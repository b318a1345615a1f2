package guardedby

import (
	"fmt"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/racepred/racepred/analyzer/internal/lockset"
)

// guards is the fact of an exported field or package variable that a lock guards it, with how its
// own package accesses it. (G8)
type guards struct {
	Class         string
	Said          bool // by a comment
	With, Without count
	Reads, Writes bool // with the lock, in code that others may run at any time: of the variable itself
	Looks, Edits  bool // of what it holds
}

// count is how many places access a variable, in how many functions.
type count struct{ Places, Funcs int }

func (*guards) AFact()           {}
func (g *guards) String() string { return "guarded by " + short(g.Class) }

// needs is the fact of an exported method that its caller must hold locks of the receiver.
type needs struct{ Classes []string }

func (*needs) AFact()           {}
func (n *needs) String() string { return fmt.Sprint("needs ", n.Classes) }

// export makes the fact of a variable of the package.
func (v *variable) export(pass *analysis.Pass, g *guard) {
	if v.obj.Pkg() != pass.Pkg || !v.obj.Exported() {
		return
	}
	f := &guards{Class: g.class, Said: g.said, With: g.guarded.total(), Without: g.unguarded.total()}
	for _, s := range v.order {
		for _, u := range s.uses {
			if must, _ := u.State.Has(g.class, u.Write); !must || u.First || !fromOutside(u.Ctx) {
				continue
			}
			switch {
			case u.Content && u.Write:
				f.Edits = true
			case u.Content:
				f.Looks = true
			case u.Write:
				f.Writes = true
			default:
				f.Reads = true
			}
		}
	}
	pass.ExportObjectFact(v.obj, f)
}

// fromOutside reports whether callers from elsewhere may run a context, any number of them at once.
func fromOutside(c *lockset.Context) bool {
	return slices.ContainsFunc(c.Roots, func(r *lockset.Root) bool { return r.Go == nil && !r.Main })
}

// conflicts reports whether an access in another package than the variable's may come at the same
// time as one of those that hold the lock there. (G4)
func (f *guards) conflicts(u *lockset.Use) bool {
	switch {
	case len(u.Ctx.Roots) == 0, u.Only != nil:
		return false
	case u.Content:
		return f.Edits || u.Write && f.Looks
	}
	return f.Writes || u.Write && f.Reads
}
