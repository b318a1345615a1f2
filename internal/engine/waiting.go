package engine

import "github.com/racepred/racepred/internal/trace"

// Waiting is how many goals wait for Flush.
func (e *Engine) Waiting() int { return len(e.pending.goals) }

// Next is the place that the next event will have.
func (e *Engine) Next() trace.Seq { return e.window.next() }

// FlushBefore is Flush while the run goes on. The caller has drained all that was executed up to
// the last event before end, so it is known which reads before end are uncertain (E2). Instances
// whose last event comes later go on waiting, unless their goal is given out for another instance.
// No schedule has an event from end on.
func (e *Engine) FlushBefore(end trace.Seq) {
	all := e.pending.goals
	e.pending = pending{}
	newer := pending{}
	for n := range all {
		for _, c := range all[n].instances {
			if c.Last().Seq < end {
				e.pending.add(c, len(all))
			} else {
				newer.add(c, len(all))
			}
		}
	}
	e.known = end
	e.Flush()
	e.known = 0
	for n := range newer.goals {
		for _, c := range newer.goals[n].instances {
			if !e.observed[newer.goals[n].key] && !e.witnessed[newer.goals[n].key] {
				e.pending.add(c, len(all))
			}
		}
	}
}

// until is where the events end that a schedule may have.
func (e *Engine) until() trace.Seq {
	if e.known > 0 {
		return e.known
	}
	return e.window.next()
}
