//go:build racepred_seam

package process

import (
	"fmt"

	"github.com/racepred/racepred/internal/engine"
	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/trace/validate"
)

// checker holds the drain and the engine to what they promise, in runs with protocol.Options.Check:
//
//	(K1) tickets come in their order, each once and none left out;
//	(K2) a goroutine's records keep their order: no stamp is below the one before, the first one of a goroutine comes
//	     after the second ticket of its fork, and none comes from beyond the next ticket;
//	(K3) the stream is one that a run can have: package validate finds nothing but remarks;
//	(K4) the engine has taken in what was emitted, and its totals never go down;
//	(K5) no goroutine's clock goes down.
//
// What breaks a rule is a panic, which ends the prediction (analysis.broken).
type checker struct {
	stream  *validate.Checker
	last    map[uint32]uint64 // stamp that a goroutine's next record may not be below
	total   engine.Stats      // at the last drain
	records uint64
	events  uint64
	remarks uint64
	drains  uint64
	clocks  engine.Clocks
}

func newChecker() *checker {
	c := &checker{last: map[uint32]uint64{}}
	c.stream = validate.New(validate.Known{}, func(p validate.Problem) {
		if !p.Remark {
			panic(fmt.Sprintf("internal error: (K3) event %d: %s", p.Seq, p.Text))
		}
		c.remarks++
	})
	return c
}

// record checks a record before it becomes events. The ticket next has not been seen yet.
func (c *checker) record(id uint32, r *rpRec, next uint64) {
	c.records++
	kind, stamp := r.what>>56, r.when&rpStampMask
	switch {
	case kind == 0 || kind > rpTestBegin:
		panic(fmt.Sprintf("internal error: goroutine %d: a record of kind %d", id, kind))
	case kind >= rpTicketed && stamp != next:
		panic(fmt.Sprintf("internal error: (K1) goroutine %d: ticket %d comes where %d has its place", id, stamp, next))
	case stamp < c.last[id]:
		panic(fmt.Sprintf("internal error: (K2) goroutine %d: stamp %d after %d", id, stamp, c.last[id]))
	case stamp > next:
		panic(fmt.Sprintf("internal error: (K2) goroutine %d: stamp %d before ticket %d came", id, stamp, next))
	}
	switch kind {
	case rpFork:
		c.last[id] = stamp + 1
		c.last[uint32(r.what)] = stamp + 2
	case rpEnd:
		delete(c.last, id)
	default:
		if kind >= rpTicketed {
			stamp++
		}
		c.last[id] = stamp
	}
}

// event is (K3).
func (c *checker) event(ev *trace.Event) {
	c.events++
	c.stream.Event(ev)
}

// drained is (K4), after a drain.
func (c *checker) drained(a *analysis) {
	c.drains++
	s := a.engine.Stats()
	if s.Events != c.events || s.Events != a.events {
		panic(fmt.Sprintf("internal error: (K4) %d events were emitted, the engine has %d", c.events, s.Events))
	}
	totals := func(s *engine.Stats) []uint64 {
		list := []uint64{s.Events, s.Observed, s.Candidates, s.Predicted, s.Infeasible, s.Unknown, s.Evicted, s.Lost, s.States}
		for _, r := range s.Rules {
			list = append(list, r.Fired)
		}
		return list
	}
	now := totals(&s)
	for i, n := range totals(&c.total) {
		if now[i] < n {
			panic(fmt.Sprintf("internal error: (K4) total %d of the engine went from %d to %d", i, n, now[i]))
		}
	}
	c.total = s
	if id, fell := a.engine.Fell(&c.clocks); fell {
		panic(fmt.Sprintf("internal error: (K5) goroutine %d knows less than before", id))
	}
}

// rules say in the result how much was checked.
func (c *checker) rules() []report.Rule {
	return []report.Rule{
		{Predictor: "check", Rule: "records", Fired: c.records},
		{Predictor: "check", Rule: "events", Fired: c.events},
		{Predictor: "check", Rule: "drains", Fired: c.drains},
		{Predictor: "check", Rule: "clocks", Fired: c.clocks.Count},
		{Predictor: "check", Rule: "remarks", Fired: c.remarks},
	}
}
