package check

import (
	"fmt"

	"github.com/racepred/racepred/internal/trace"
)

// hard notes the newest release that the object of a hard event held before the event.
func (b *building) hard(i int32, e *trace.Event) {
	b.about[i] = b.object[e.Addr] - 1
	if e.Kind.Spec().Gives {
		b.object[e.Addr] = i + 1
	}
}

// takes is (C5).
func (r *replay) takes(i int32, e *trace.Event) error {
	if e.Unseen() {
		return nil
	}
	start := r.about[i]
	for k := start; k >= 0 && !r.chains[k]; k = r.about[k] {
		if !r.done(k) {
			return fmt.Errorf("release %d of its object comes before", k)
		}
		if r.evs[k].Kind.Spec().Resets {
			break
		}
	}
	for k := start; k >= 0 && !r.chains[k]; k = r.about[k] {
		r.chains[k] = true
		if r.evs[k].Kind.Spec().Resets {
			break
		}
	}
	return nil
}
