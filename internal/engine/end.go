package engine

import (
	"github.com/racepred/racepred/internal/goal"
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/trace"
)

// A Finder gets events after the last one of a goal, too, since schedules may have to end sections that are open there. Deadlocks need the ends of the sections that their goroutines
// are in: one that waits for a lock waits for ever only if its holder is known to give it back itself (check, waitsFor). A holder may sleep, or wait for others, while the rest of the program makes very many
// events.
const (
	beyond    = 1 << 10 // how many events after the last one of a goal a Finder gets
	beyondFar = 1 << 18 // how far after a deadlock the ends of its sections are looked for
)

// end is where the events end that a Finder gets for a candidate.
func (e *Engine) end(c *predict.Candidate) trace.Seq {
	to := c.Last().Seq + 1 + beyond
	if c.Goal == goal.Deadlock {
		to = max(to, e.sectionsEnd(c))
	}
	return min(to, e.until())
}

// sectionsEnd is where the sections that the goroutines of a deadlock are in have ended, as far as they end.
func (e *Engine) sectionsEnd(c *predict.Candidate) (end trace.Seq) {
	type section struct {
		g    trace.G
		lock trace.Addr
	}
	open := map[section]trace.Seq{} // and where its goroutine waits
	for _, ev := range c.Events {
		for _, l := range e.participant(ev).Locks {
			open[section{ev.Ev.G, l.Addr}] = ev.Seq
		}
	}
	for seq := c.First().Seq; seq < min(e.until(), c.Last().Seq+beyondFar) && len(open) > 0; seq++ {
		ev, _ := e.window.at(seq)
		if !ev.Kind.Spec().Closes {
			continue
		}
		s := section{ev.G, ev.Addr}
		if waits, is := open[s]; is && seq > waits {
			delete(open, s)
			end = seq + 1
		}
	}
	return end
}
