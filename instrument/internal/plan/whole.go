package plan

import (
	"go/ast"
	"go/types"

	"github.com/racepred/racepred/instrument/internal/calls"
	"github.com/racepred/racepred/instrument/internal/local"
	"github.com/racepred/racepred/instrument/internal/thrown"
)

// Whole is what a look at all files of a package shows, which one file does not.
type Whole struct {
	escapes    *local.Escapes           // what stays local (L)
	thrown     map[*ast.ReturnStmt]bool // those whose results nobody looks at (D2)
	unrecorded map[*types.Func]bool     // functions that are not recorded: those without a body, and those that may not call
}

// Look looks at a package, of which files are all.
func Look(pkg *types.Package, info *types.Info, files ...*ast.File) *Whole {
	return &Whole{
		escapes:    local.FindEscapes(info, files...),
		thrown:     thrown.Find(pkg, info, files...),
		unrecorded: calls.UnrecordedFuncs(info, files...),
	}
}
