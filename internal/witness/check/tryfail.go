package check

import (
	"errors"
	"fmt"

	"github.com/racepred/racepred/internal/trace"
)

// tries notes the sections that are open at a TryFail.
func (b *building) tries(i int32, e *trace.Event) {
	b.about[i] = int32(len(b.holders))
	b.holders = append(b.holders, append([]int32(nil), b.open[b.lock(e.Addr)]...))
}

// tryFail is (C9).
func (r *replay) tryFail(i int32, e *trace.Event) error {
	saw := r.Checker.holders[r.about[i]]
	for _, k := range saw {
		s := &r.sections[k]
		if !r.done(s.acq) || s.rel >= 0 && r.done(s.rel) {
			return fmt.Errorf("event %d does not hold the lock", s.acq)
		}
	}
	if len(saw) > 0 {
		return nil
	}
	l := &r.locks[r.lockOf[e.Addr]]
	held := false // by a section that began before the trace
	for _, k := range l.before {
		if rel := r.sections[k].rel; rel > i {
			if held = true; !r.done(rel) {
				return nil
			}
		}
	}
	if held {
		return errors.New("nobody holds the lock any more")
	}
	for _, list := range [][]int32{l.before, l.sections} {
		for _, k := range list {
			s := &r.sections[k]
			if s.acq < i && (s.rel < 0 || !r.done(s.rel)) || s.acq > i && r.done(s.acq) {
				return errors.New("nobody held the lock, and it is used in another order")
			}
		}
	}
	return nil
}
