package engine

import (
	"github.com/racepred/racepred/internal/goal"
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/witness"
)

// A Finder gets events after the last one of a goal, too, since schedules may have to end sections
// that are open there. Deadlocks need the ends of the sections that their goroutines are in: one
// that waits for a lock waits for ever only if its holder is known to give it back itself (check,
// waitsFor). A holder may sleep, or wait for others, while the rest of the program makes very many
// events.
const (
	beyond    = 1 << 10 // how many events after the last one of a goal a Finder gets
	beyondFar = 1 << 18 // how far after a deadlock the ends of its sections are looked for
)

// end is where the events end that a Finder gets for a candidate. If it is known without a search
// that there is no schedule with it, end returns the reason.
func (e *Engine) end(c *predict.Candidate) (to trace.Seq, why string) {
	to = min(c.Last().Seq+1+beyond, e.until())
	if c.Goal == goal.Deadlock {
		var sections trace.Seq
		sections, why = e.waits(c)
		to = max(to, sections)
	}
	return to, why
}

// handedBack is a reason, in addition to those of package witness: a goroutine of a deadlock waits
// only for sections that other goroutines ended in the run than those that had begun them. So the
// wait may be short.
const handedBack = "handed back"

// waits looks at the sections that the goroutines of a deadlock are in. It returns where they have
// ended, as far as they end. If one of the goroutines waits for none of the others as the checker
// has it (check, waitsFor), it returns the reason.
func (e *Engine) waits(c *predict.Candidate) (end trace.Seq, why string) {
	in := make([][]predict.Event, len(c.Events))
	for n, a := range c.Events {
		in[n] = e.sectionsAround(a)
	}
	for n := range c.Events {
		if why := e.waitsForAny(n, c, in); why != "" {
			return 0, why
		}
	}
	return e.sectionsEnd(c, in), ""
}

// waitsForAny is "" if acquisition n of a deadlock waits for one of the others, else the reason why
// not.
func (e *Engine) waitsForAny(n int, c *predict.Candidate, in [][]predict.Event) (why string) {
	a := &c.Events[n].Ev
	shared := a.Kind.Spec().Shared
	why = witness.OffWindow
	for m, b := range c.Events {
		if m == n {
			continue
		}
		if shared && b.Ev.Addr == a.Addr && !b.Ev.Kind.Spec().Shared {
			return ""
		}
		for _, s := range in[m] {
			if s.Ev.Addr != a.Addr || shared && s.Ev.Kind.Spec().Shared {
				continue
			}
			if _, handed := e.gs.handed.end(s.Seq); !handed {
				return ""
			}
			why = handedBack
		}
	}
	return why
}

// sectionsEnd is where the sections that the goroutines of a deadlock are in have ended, as far as
// they end.
func (e *Engine) sectionsEnd(c *predict.Candidate, in [][]predict.Event) (end trace.Seq) {
	type section struct {
		g     trace.G
		lock  trace.Addr
		waits trace.Seq // where its goroutine waits
	}
	var open []section
	for n, a := range c.Events {
		for _, s := range in[n] {
			open = append(open, section{a.Ev.G, s.Ev.Addr, a.Seq})
		}
	}
	e.window.closing(c.First().Seq, min(e.until(), c.Last().Seq+beyondFar), func(seq trace.Seq, ev *trace.Event) bool {
		for n, s := range open {
			if s.g == ev.G && s.lock == ev.Addr && seq > s.waits {
				open[n] = open[len(open)-1]
				open = open[:len(open)-1]
				end = seq + 1
				break
			}
		}
		return len(open) > 0
	})
	return end
}
