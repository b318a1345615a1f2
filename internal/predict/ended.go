package predict

import (
	"slices"

	"github.com/racepred/racepred/internal/trace"
)

// keepEnded is how many ended goroutines predictors keep the clocks of, for a Join. A Join of an older one comes after all that has happened: it
// orders too much rather than too little. Recordings have no Join, and to keep one clock for all older ones took a twentieth of the engine's time where 10,000 goroutines lived at once.
const keepEnded = 1 << 10

// Ended lists the goroutines of which something is kept after their End, oldest first.
type Ended struct {
	Keep int // it keeps at least so many, and less than twice as many; 0 means keepEnded
	ids  []trace.G
}

// Add adds a goroutine that ended, and returns those that are not kept any longer.
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

// Remove takes out a goroutine that has events after its End.
func (e *Ended) Remove(id trace.G) {
	if i := slices.Index(e.ids, id); i >= 0 {
		e.ids = slices.Delete(e.ids, i, i+1)
	}
}
