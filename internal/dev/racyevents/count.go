package main

import (
	"time"

	"github.com/racepred/racepred/internal/goal"
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predictors"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/witness"
)

// counts are numbers of accesses that race with an earlier one.
type counts struct {
	hb, shb, wcp, syncp int
	candidates          int // of syncrev
	proven              int // of these, with a witness
	infeasible          int // of these, without a race: for every pair it is proven that there is no schedule
	took                time.Duration
}

// count gives every event a source position of its own, so that no pair is left out for having been
// seen before.
func count(evs []trace.Event, states int) (c counts) {
	start := time.Now()
	for i := range evs {
		evs[i].Site = trace.Site(i + 1)
	}
	cfg := predict.Config{Complete: true, PerWord: len(evs)}
	earlier := func(name string) map[trace.Seq][]trace.Seq {
		all := map[trace.Seq][]trace.Seq{}
		p := predictors.One(name, cfg, func(c predict.Candidate) { all[c.Last().Seq] = append(all[c.Last().Seq], c.First().Seq) })
		for i := range evs {
			p.Event(trace.Seq(i), &evs[i])
		}
		return all
	}
	c.hb, c.shb, c.wcp, c.syncp = len(earlier("hb")), len(earlier("shb")), len(earlier("wcp")), len(earlier("syncp"))
	all := earlier("syncrev")
	c.candidates = len(all)
	finder := witness.New(evs, witness.Options{States: states})
	for second, firsts := range all {
		answers := map[witness.Verdict]int{}
		for _, first := range firsts {
			v := finder.Find(goal.RaceOf(int32(first), int32(second))).Verdict
			if answers[v]++; v == witness.Feasible {
				break
			}
		}
		switch {
		case answers[witness.Feasible] > 0:
			c.proven++
		case answers[witness.Unknown] == 0:
			c.infeasible++
		}
	}
	c.took = time.Since(start)
	return c
}
