package offline

import (
	"path/filepath"

	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/symbolize"
	"github.com/racepred/racepred/internal/trace"
)

// KeySource names the file that a trace was converted from, if that file had no tables.
const KeySource = "source"

// Symbols are the file's names. Where a trace has none, position N of the trace is line N of the
// file.
func (f *File) Symbols() *symbolize.Symbols {
	t := f.Tables()
	s := symbolize.New(
		func(id trace.Stack, yield func(report.Frame) bool) {
			for _, f := range t.Stacks[id] {
				if !yield(report.Frame{Func: f.Func, File: f.File, Line: f.Line}) {
					return
				}
			}
		},
		func(i int) (symbolize.SiteFile, bool) {
			if i >= len(t.Sites) {
				return symbolize.SiteFile{}, false
			}
			return symbolize.SiteFile(t.Sites[i]), true
		})
	source := t.Value(KeySource)
	if f.Format != Binary {
		source = filepath.Base(f.Name)
	}
	if source != "" {
		s.Elsewhere = func(id trace.Site) symbolize.Site { return symbolize.Site{File: source, Line: int(id)} }
	}
	return s
}
