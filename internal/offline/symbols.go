package offline

import (
	"path/filepath"

	"github.com/racepred/racepred/internal/naming"
	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/trace"
)

// KeySource names the file that a trace was converted from, when that had no tables.
const KeySource = "source"

// Symbols are the file's names. Where a trace has none, position N of the trace is line N of the file.
func (f *File) Symbols() *naming.Symbols {
	t := f.Tables()
	s := naming.NewSymbols(
		func(id trace.Stack, yield func(report.Frame) bool) {
			for _, f := range t.Stacks[id] {
				if !yield(report.Frame{Func: f.Func, File: f.File, Line: f.Line}) {
					return
				}
			}
		},
		func(i int) (naming.SiteFile, bool) {
			if i >= len(t.Sites) {
				return naming.SiteFile{}, false
			}
			return naming.SiteFile(t.Sites[i]), true
		})
	source := t.Value(KeySource)
	if f.Format != Binary {
		source = filepath.Base(f.Name)
	}
	if source != "" {
		s.Elsewhere = func(id trace.Site) naming.Site { return naming.Site{File: source, Line: int(id)} }
	}
	return s
}
