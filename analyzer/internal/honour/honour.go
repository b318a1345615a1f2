// Package honour leaves out diagnostics that a comment says to ignore: the Run of an analyzer ->
// one without such diagnostics.
package honour

import (
	"go/token"

	"golang.org/x/tools/go/analysis"

	"github.com/racepred/racepred/internal/waive/ignore"
)

// Ignores is run without the diagnostics that a comment //racepred:ignore REASON is about: the
// diagnostic's own position or one of its related ones is on a line of the comment (waive/V2). A
// comment without a reason is not honoured, and the diagnostic says so.
func Ignores(run func(*analysis.Pass) (any, error)) func(*analysis.Pass) (any, error) {
	return func(pass *analysis.Pass) (any, error) {
		all := map[string][]ignore.Comment{}
		for _, f := range pass.Files {
			tok := pass.Fset.File(f.FileStart)
			src, err := pass.ReadFile(tok.Name())
			if err != nil || len(src) != tok.Size() {
				continue // made up by cgo: its lines are not its own
			}
			if found := ignore.In(pass.Fset, f, src); found != nil {
				all[tok.Name()] = found
			}
		}
		if len(all) == 0 {
			return run(pass)
		}
		about := func(p token.Pos) *ignore.Comment {
			if !p.IsValid() {
				return nil
			}
			at := pass.Fset.PositionFor(p, false)
			for i := range all[at.Filename] {
				if c := &all[at.Filename][i]; c.About(at.Line) {
					return c
				}
			}
			return nil
		}
		filtered := *pass
		filtered.Report = func(d analysis.Diagnostic) {
			comments := []*ignore.Comment{about(d.Pos)}
			for _, r := range d.Related {
				comments = append(comments, about(r.Pos))
			}
			unreasoned := false
			for _, c := range comments {
				switch {
				case c == nil:
				case c.Reason != "":
					return
				default:
					unreasoned = true
				}
			}
			if unreasoned {
				d.Message += " (" + ignore.Prefix + " needs a reason behind it)"
			}
			pass.Report(d)
		}
		return run(&filtered)
	}
}
