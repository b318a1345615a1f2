package naming

import (
	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/symbol"
	"github.com/racepred/racepred/internal/trace"
)

// Appends reports whether the acquisition with this stack begins a section of the standard library that only appends to an output:
// two of them may trade places, as nobody looks at the order of their lines.
//
//   - log.(*Logger).output, which writes to a file; what else it writes to, it announces as opaque (package seam)
//   - log/slog.(*commonHandler).handle, of the handlers that write text and JSON, likewise
//   - testing's T.Log and its like: they look at whether the test is done and at its helpers, which sections of other
//     functions change, and append a whole line
func (s *Symbols) Appends(id trace.Stack) bool {
	return s.appends.of(id, func() bool { return appends(s.Stack(id)) })
}

func appends(stack []report.Frame) bool {
	for len(stack) > 0 && lockFrame(stack[0].Func) {
		stack = stack[1:]
	}
	if len(stack) > 0 && (stack[0].Func == "log.(*Logger).output" || stack[0].Func == "log/slog.(*commonHandler).handle") {
		return true
	}
	for _, f := range stack {
		switch path, name := symbol.Split(f.Func); {
		case path != "testing":
			return false
		case name == "(*common).log":
			return true
		}
	}
	return false
}
