package offline

import (
	"fmt"
	"time"

	"github.com/racepred/racepred/internal/goal"
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predictors"
	"github.com/racepred/racepred/internal/trace"
)

// Racy is what one predictor says of the events of a trace, as papers count it.
type Racy struct {
	Predictor string  `json:"predictor"`
	Events    int     `json:"events"`    // accesses that race with an earlier one
	Locations int     `json:"locations"` // in the source, of these accesses and of those that they race with
	Pairs     int     `json:"pairs"`     // of locations
	Evicted   uint64  `json:"evicted"`   // times that something was forgotten for want of memory
	Seconds   float64 `json:"seconds"`   // of the predictor alone, without reading

	last      trace.Seq
	some      bool
	more      map[trace.Seq]bool // events that are not in order
	locations map[trace.Site]bool
	pairs     map[[2]trace.Site]bool
}

// Racy counts for each of these predictors the accesses that it says race with an earlier one. Each
// runs by itself, and nothing is left out because its location was seen before. No schedules are
// searched: what a predictor that is no proof proposes is counted all the same.
func (c Config) Racy(f *File, names []string) ([]*Racy, uint64, error) {
	var rows []*Racy
	var list []predict.Predictor
	var sites []trace.Site // of the events
	cfg := predict.Config{Complete: c.Complete == nil && f.Format == STD || c.Complete != nil && *c.Complete, Memory: c.Memory, PerWord: 1 << 30}
	for _, name := range names {
		row := &Racy{Predictor: name, more: map[trace.Seq]bool{}, locations: map[trace.Site]bool{}, pairs: map[[2]trace.Site]bool{}}
		rows = append(rows, row)
		list = append(list, predictors.One(name, cfg, func(c predict.Candidate) {
			if c.Goal == goal.Race {
				first, last := c.First().Seq, c.Last().Seq
				row.add(last, sites[first], sites[last])
			}
		}))
	}
	next, stop, err := c.batches(f, cfg.Complete)
	if err != nil {
		return nil, 0, err
	}
	defer stop()
	for {
		events, answer, err := next()
		if err != nil {
			return nil, 0, err
		}
		switch answer {
		case trace.Next:
		case trace.Ended, trace.Truncated:
			for i, row := range rows {
				row.Events, row.Locations, row.Pairs = row.Events+len(row.more), len(row.locations), len(row.pairs)
				row.Evicted = list[i].Stats().Forgot()
			}
			return rows, uint64(len(sites)), nil
		default:
			continue
		}
		at := trace.Seq(len(sites))
		for i := range events {
			sites = append(sites, events[i].Site)
			events[i].Site = trace.Site(at) + trace.Site(i) + 1 // so that none was seen before
		}
		for p, row := range rows {
			start := time.Now()
			for i := range events {
				list[p].Event(at+trace.Seq(i), &events[i])
			}
			row.Seconds += time.Since(start).Seconds()
		}
		if before := len(sites) - len(events); len(sites)/progressEvery != before/progressEvery {
			if err := c.pause(f, uint64(len(sites))); err != nil {
				return nil, 0, err
			}
		}
	}
}

func (r *Racy) add(last trace.Seq, first, second trace.Site) {
	switch {
	case !r.some || last > r.last:
		r.Events, r.last, r.some = r.Events+1, last, true
	case last < r.last: // it was proposed late
		r.more[last] = true
	}
	r.locations[first], r.locations[second] = true, true
	r.pairs[[2]trace.Site{min(first, second), max(first, second)}] = true
}

// String is the row in words.
func (r *Racy) String() string {
	s := fmt.Sprintf("%-10s %12d %15d %19d %9.3f", r.Predictor, r.Events, r.Locations, r.Pairs, r.Seconds)
	if r.Evicted > 0 {
		s += fmt.Sprintf("  forgot something %d times: -memory", r.Evicted)
	}
	return s
}

// RacyHeader is the line above rows.
var RacyHeader = fmt.Sprintf("%-10s %12s %15s %19s %9s", "predictor", "racy events", "racy locations", "pairs of locations", "seconds")
