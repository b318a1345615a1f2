// Package oracletest has what tests compare predictors with the oracle by: a trace, a predictor ->
// the pairs that it proposes; a trace -> what pastes into a case file.
package oracletest

import (
	"strings"

	"github.com/racepred/racepred/internal/oracle"
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/trace"
)

// Run gives all events to a predictor, and returns the first and the last event of each of its
// candidates.
func Run(evs []trace.Event, create func(sink func(predict.Candidate)) predict.Predictor) map[oracle.Pair]bool {
	pairs := map[oracle.Pair]bool{}
	p := create(func(c predict.Candidate) {
		pairs[oracle.Pair{int(c.First().Seq), int(c.Last().Seq)}] = true
	})
	for i := range evs {
		p.Event(trace.Seq(i), &evs[i])
	}
	return pairs
}

// Text is the text form of a trace, from a line of its own on.
func Text(evs []trace.Event) string {
	var b strings.Builder
	b.WriteByte('\n')
	if err := trace.Print(&b, evs); err != nil {
		panic(err) // a strings.Builder returns none
	}
	return b.String()
}
