// Package classify says what a critical section may do to a prediction: the stack of an acquisition
// -> soft, hard, or one that only appends to an output.
//
// It classifies an event before the engine gets it, so it imports neither the engine nor reports.
package classify

import (
	"github.com/racepred/racepred/internal/symbolize"
	"github.com/racepred/racepred/internal/trace"
)

// Sections classifies the critical sections of one process.
type Sections struct {
	symbols        *symbolize.Symbols
	known          int // how many site tables the answers in softs are based on
	softs, appends answers
}

// New classifies with the names of symbols.
func New(symbols *symbolize.Symbols) *Sections { return &Sections{symbols: symbols} }

// Soft reports whether the acquisition with this stack was made by rewritten code, so that
// everything in its critical section is recorded. A site table that came since the last new stack
// may not count yet; then the section is hard, which can only hide races.
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
