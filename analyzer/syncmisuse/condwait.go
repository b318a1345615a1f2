package syncmisuse

import (
	"github.com/racepred/racepred/analyzer/internal/flow"
)

// condWait finds Cond.Wait that an if decides about and no loop repeats until its condition holds.
// Without a condition it is a meeting, or called in a loop.
func condWait(c *checker) {
	for f := range c.p.Funcs {
		conditional := branches(f.Body)
		for e := range f.Events {
			if e.Kind != flow.Acquire || e.Op != flow.OpCond || e.InPlace {
				continue
			}
			if f.Reaches(e, e, func(*flow.Event) bool { return false }) {
				continue
			}
			if !conditional[e.Node] {
				continue
			}
			c.report(e.Node, nil, nil, "%s.Wait is not in a loop: what the goroutine waits for need not hold when Wait returns", e.Path)
		}
	}
}
