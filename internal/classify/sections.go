// Package classify says what a critical section may do to a prediction: the stack of an acquisition -> soft, hard, or
// one that only appends to an output.
//
// It is asked before the engine sees an event, so it knows neither the engine nor reports.
package classify

import (
	"github.com/racepred/racepred/internal/symbolize"
	"github.com/racepred/racepred/internal/trace"
)

// Sections classifies the critical sections of one process.
type Sections struct {
	symbols        *symbolize.Symbols
	known          int // site tables that softs are right for
	softs, appends answers
}

// New classifies by what symbols say.
func New(symbols *symbolize.Symbols) *Sections { return &Sections{symbols: symbols} }

// Soft reports whether the acquisition with this stack was made by rewritten code, so that
// its critical section holds everything there is to know about it. A table that came since the last new stack may
// not count yet: then the section is hard, which hides races at most.
func (s *Sections) Soft(id trace.Stack) bool {
	if n := s.symbols.Known(); n != s.known {
		clear(s.softs)
		s.known = n
	}
	return s.softs.of(id, func() bool {
		s.symbols.Refresh()
		f, ok := s.symbols.LockCaller(id)
		return ok && s.symbols.Rewritten(f)
	})
}
