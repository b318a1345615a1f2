package predict

import (
	"slices"

	"github.com/racepred/racepred/internal/trace"
)

// keepEnded is how many ended goroutines can be joined exactly. Joining one that ended
// before them joins all of those, which orders too much rather than too little.
const keepEnded = 1 << 10

// Ended lists goroutines of which something is kept after their End, oldest first: predictors keep clocks for a Join.
type Ended struct {
	Keep int // at least so many, and less than twice as many; 0 is what predictors keep
	ids  []trace.G
}

// Add adds a goroutine that ended, and returns those of which nothing is kept any longer.
func (e *Ended) Add(id trace.G) (old []trace.G) {
	e.ids = append(e.ids, id)
	keep := e.Keep
	if keep == 0 {
		keep = keepEnded
	}
	if len(e.ids) < 2*keep {
		return nil
	}
	old, e.ids = e.ids[:keep], slices.Clone(e.ids[keep:])
	return old
}

// Remove takes out one that goes on after its End.
func (e *Ended) Remove(id trace.G) {
	if i := slices.Index(e.ids, id); i >= 0 {
		e.ids = slices.Delete(e.ids, i, i+1)
	}
}
