package instrument

import (
	"go/ast"
	"go/types"

	"github.com/racepred/racepred/instrument/internal/helper"
	"github.com/racepred/racepred/instrument/internal/plan"
	"github.com/racepred/racepred/instrument/internal/site"
)

type (
	// Source is one file with what is known about it.
	Source = plan.Source
	// Options are what a plan depends on besides the source.
	Options = plan.Options
	// Whole is what has to be known of all files of a package to plan one of them.
	Whole = plan.Whole

	// Plan says what is recorded in one file, by which edits, and what is not and why.
	Plan = plan.Plan
	// Edit replaces bytes of the original file. Its text never holds more or fewer newlines than
	// what it replaces.
	Edit = plan.Edit
	// Rule names the rule of this page by which an edit was made.
	Rule = plan.Rule
	// Site is one source position that rewritten code names.
	Site = plan.Site
	// Miss is an access that is known but not recorded.
	Miss = plan.Miss
	// Reason says why an access is not recorded.
	Reason = plan.Reason
	// OpaqueCall is a call into unrecorded code.
	OpaqueCall = plan.OpaqueCall
	// Covered is an access that is not recorded because another one is.
	Covered = plan.Covered
	// Op is the operation at a site. Package rt lists them.
	Op = plan.Op
)

// The operations of sites of accesses.
const (
	OpRead  = site.OpRead
	OpWrite = site.OpWrite
)

// Look finds out about a package; files are all of its files.
func Look(pkg *types.Package, info *types.Info, files ...*ast.File) *Whole {
	return plan.Look(pkg, info, files...)
}

// Decide says what is to be recorded in a file, and by which edits. It is a pure function of src.
func Decide(src *Source) *Plan { return plan.Decide(src) }

// HelperSource is a file of package runtime: the functions that rewritten code calls besides those
// that package rt lists, made of these.
func HelperSource() []byte { return helper.Runtime() }

// DiscardSource is a file of package sync/atomic that stands in for the one that package seam lays
// there: the operations that rules D call. They do what the others do, and record nothing.
func DiscardSource() []byte { return helper.Atomic() }
