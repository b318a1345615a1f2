package predict

import (
	"slices"

	"github.com/racepred/racepred/internal/trace"
)

// keepEnded is how many ended goroutines can be joined exactly. Joining one that ended
// before them joins all of those, which orders too much rather than too little.
const keepEnded = 1 << 10

// Ended lists goroutines whose clocks at their End are kept for a Join, oldest first.
type Ended struct{ ids []trace.G }

// Add adds a goroutine that ended, and returns those whose clocks are not kept any longer.
func (e *Ended) Add(id trace.G) (old []trace.G) {
	e.ids = append(e.ids, id)
	if len(e.ids) < 2*keepEnded {
		return nil
	}
	old, e.ids = e.ids[:keepEnded], slices.Clone(e.ids[keepEnded:])
	return old
}

// Remove takes out one that goes on after its End.
func (e *Ended) Remove(id trace.G) {
	if i := slices.Index(e.ids, id); i >= 0 {
		e.ids = slices.Delete(e.ids, i, i+1)
	}
}
