//go:build racepred_seam

package process

import (
	"fmt"

	"github.com/racepred/racepred/internal/engine"
	"github.com/racepred/racepred/internal/records"
	"github.com/racepred/racepred/internal/report"
)

// checker checks the drain and the engine in runs with protocol.Options.Check: records/K1 to
// records/K3, and
//
//	(K4) the engine has taken in what was emitted, and its totals never go down;
//	(K5) no goroutine's clock goes down.
//
// It panics if a rule is broken, which ends the prediction (analysis.broken).
type checker struct {
	*records.Checker
	total  engine.Stats // at the last drain
	drains uint64
	clocks engine.Clocks
}

func newChecker() *checker { return &checker{Checker: records.NewChecker()} }

// drained is (K4), after a drain.
func (c *checker) drained(a *analysis) {
	c.drains++
	s := a.engine.Stats()
	if s.Events != c.Events || s.Events != a.converter.Events() {
		panic(fmt.Sprintf("internal error: (K4) %d events were emitted, the engine has %d", c.Events, s.Events))
	}
	totals := func(s *engine.Stats) []uint64 {
		list := []uint64{s.Events, s.Observed, s.Candidates, s.Predicted, s.Infeasible, s.Unknown, s.Evicted, s.Ended, s.Shared, s.Lost, s.Merged, s.States}
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
	if id, regressed := a.engine.Regressed(&c.clocks); regressed {
		panic(fmt.Sprintf("internal error: (K5) goroutine %d knows less than before", id))
	}
}

// rules are counts for the result: how much was checked.
func (c *checker) rules() []report.Rule {
	return []report.Rule{
		{Predictor: "check", Rule: "records", Fired: c.Records},
		{Predictor: "check", Rule: "events", Fired: c.Events},
		{Predictor: "check", Rule: "drains", Fired: c.drains},
		{Predictor: "check", Rule: "clocks", Fired: c.clocks.Count},
		{Predictor: "check", Rule: "remarks", Fired: c.Remarks},
	}
}
