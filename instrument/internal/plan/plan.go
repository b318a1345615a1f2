package plan

import (
	"github.com/racepred/racepred/instrument/internal/edit"
	"github.com/racepred/racepred/instrument/internal/site"
)

// Op is the operation at a site. Package rt lists them.
type Op = site.Op

// Site is one source position that rewritten code names.
type Site = site.Site

// Edit replaces bytes of the original file. Its text never holds more or fewer newlines than what
// it replaces.
type Edit = edit.Edit

// Miss is an access that is known but not recorded.
type Miss struct {
	Line, Col int
	Expr      string
	Why       Reason
}

// Plan says what is recorded in one file, by which edits, and what is not and why.
type Plan struct {
	Edits  []Edit // in order of Off; at equal Off in order of insertion
	Sites  []Site
	Misses []Miss
	Opaque []OpaqueCall
	// Covered are the accesses that need no record because an earlier one of the same location has
	// one.
	Covered []Covered

	wrappers []wrappers // (R5)
	forwards []string   // the declarations for wrappers, for the end of the file
	imports  []string   // the packages that these declarations import
}

// Empty reports whether the file stays as it is.
func (p *Plan) Empty() bool { return len(p.Sites) == 0 && len(p.Edits) == 0 }
