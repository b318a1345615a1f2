package check

import (
	"fmt"

	"github.com/racepred/racepred/internal/trace"
)

// forked notes a goroutine's first Fork; a valid trace has only one.
func (b *building) forked(i int32, e *trace.Event) {
	if _, ok := b.forks[trace.G(e.Other)]; !ok {
		b.forks[trace.G(e.Other)] = i
	}
}

// join is (C2).
func (r *replay) join(e *trace.Event) error {
	g := trace.G(e.Other)
	if f, ok := r.forks[g]; ok && !r.done(f) {
		return fmt.Errorf("g%d is not forked", g)
	}
	if n, ok := r.byG[g]; ok && int(r.pos[n]) < len(r.list[n]) {
		return fmt.Errorf("g%d is not done", g)
	}
	return nil
}
