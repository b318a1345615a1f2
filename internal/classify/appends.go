package classify

import (
	"github.com/racepred/racepred/internal/symbol"
	"github.com/racepred/racepred/internal/symbolize"
	"github.com/racepred/racepred/internal/trace"
)

// Appends reports whether the acquisition with this stack begins a section of the standard library that only appends to an output:
// two of them may trade places, as nobody looks at the order of their lines.
//
//   - log.(*Logger).output, which writes to a file; what else it writes to, it announces as opaque (package seam)
//   - log/slog.(*commonHandler).handle, of the handlers that write text and JSON, likewise
//   - testing's T.Log and its like: they look at whether the test is done and at its helpers, which sections of other
//     functions change, and append a whole line
func (s *Sections) Appends(id trace.Stack) bool {
	return s.appends.of(id, func() bool { return appends(s.symbols.Walk(id)) })
}

func appends(stack func(yield func(symbol.Frame) bool)) bool {
	first := true // below the lock's own frames
	for f := range stack {
		if first && symbolize.IsLock(f.Func) {
			continue
		}
		switch path, name := symbol.Split(f.Func); {
		case first && (f.Func == "log.(*Logger).output" || f.Func == "log/slog.(*commonHandler).handle"):
			return true
		case path != "testing":
			return false
		case name == "(*common).log":
			return true
		}
		first = false
	}
	return false
}
