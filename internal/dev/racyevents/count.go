package main

import (
	"time"

	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/hb"
	"github.com/racepred/racepred/internal/predict/shb"
	"github.com/racepred/racepred/internal/predict/syncp"
	"github.com/racepred/racepred/internal/predict/syncrev"
	"github.com/racepred/racepred/internal/predict/wcp"
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

// count gives every event a source position of its own, so that no pair is left out for having been seen before.
func count(evs []trace.Event, states int) (c counts) {
	start := time.Now()
	for i := range evs {
		evs[i].Site = trace.Site(i + 1)
	}
	earlier := func(create func(func(predict.Candidate)) predict.Predictor) map[trace.Seq][]trace.Seq {
		all := map[trace.Seq][]trace.Seq{}
		p := create(func(c predict.Candidate) { all[c.Second.Seq] = append(all[c.Second.Seq], c.First.Seq) })
		for i := range evs {
			p.Event(trace.Seq(i), &evs[i])
		}
		return all
	}
	type sink = func(predict.Candidate)
	c.hb = len(earlier(func(f sink) predict.Predictor { return hb.New(f) }))
	c.shb = len(earlier(func(f sink) predict.Predictor { return shb.New(shb.Config{Complete: true}, f) }))
	c.wcp = len(earlier(func(f sink) predict.Predictor { return wcp.New(f) }))
	c.syncp = len(earlier(func(f sink) predict.Predictor {
		return syncp.New(syncp.Config{Complete: true, PerWord: len(evs)}, f)
	}))
	all := earlier(func(f sink) predict.Predictor {
		return syncrev.New(syncrev.Config{Complete: true, PerWord: len(evs)}, f)
	})
	c.candidates = len(all)
	finder := witness.New(evs, witness.Options{States: states})
	for second, firsts := range all {
		answers := map[witness.Verdict]int{}
		for _, first := range firsts {
			v := finder.Find(int32(first), int32(second)).Verdict
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
