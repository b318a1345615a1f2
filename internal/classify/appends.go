package classify

import (
	"github.com/racepred/racepred/internal/library"
	"github.com/racepred/racepred/internal/symbol"
	"github.com/racepred/racepred/internal/symbolize"
	"github.com/racepred/racepred/internal/trace"
)

// Appends reports whether the acquisition with this stack begins a section of the standard library
// that only appends to an output. Two of them may trade places, since the order of their lines is
// not observed. Package library lists the functions.
func (s *Sections) Appends(id trace.Stack) bool {
	return s.appends.of(id, func() bool { return appends(s.symbols.Walk(id)) })
}

func appends(stack func(yield func(symbol.Frame) bool)) bool {
	within := "" // the package of the frames so far, below the lock's own
	for f := range stack {
		if within == "" && symbolize.IsLock(f.Func) {
			continue
		}
		path, _ := symbol.Split(f.Func)
		switch {
		case library.Appends(f.Func):
			return within == "" || within == path
		case !library.WithinAppend(f.Func):
			return false
		}
		within = path
	}
	return false
}
