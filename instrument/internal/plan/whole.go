package plan

import (
	"go/ast"
	"go/types"
	"sync"

	"github.com/racepred/racepred/instrument/internal/calls"
	"github.com/racepred/racepred/instrument/internal/local"
	"github.com/racepred/racepred/instrument/internal/promoted"
	"github.com/racepred/racepred/instrument/internal/thrown"
)

// Whole is what has to be known of all files of a package to plan one of them.
type Whole struct {
	escapes    *local.Escapes           // what stays local (L)
	thrown     map[*ast.ReturnStmt]bool // return statements whose results every caller throws away (D2)
	unrecorded map[*types.Func]bool     // functions that are not recorded: those without a body, and those that may not call
	dynamic    func() map[string]bool   // names of methods that callers may call without knowing the type, see promoted.Dynamic
}

// Look finds out about a package; files are all of its files.
func Look(pkg *types.Package, info *types.Info, files ...*ast.File) *Whole {
	return &Whole{
		escapes:    local.FindEscapes(info, files...),
		thrown:     thrown.Find(pkg, info, files...),
		unrecorded: calls.UnrecordedFuncs(pkg, info, files...),
		dynamic:    sync.OnceValue(func() map[string]bool { return promoted.Dynamic(pkg, info) }),
	}
}
