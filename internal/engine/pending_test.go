package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/goal"
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/trace"
)

// TestFewInstancesWait: of very many instances at the same positions some wait, from the first to
// one of the last ones.
func TestFewInstancesWait(t *testing.T) {
	const n = 100_000
	var p pending
	for i := range trace.Seq(n) {
		e := predict.Event{Seq: 2 * i, Ev: trace.Event{Kind: trace.Acquire, G: 1, Site: 1}}
		f := predict.Event{Seq: 2*i + 1, Ev: trace.Event{Kind: trace.Acquire, G: 2, Site: 2}}
		require.True(t, p.add(predict.Candidate{Goal: goal.Deadlock, By: "deadlock", Events: []predict.Event{e, f}}, 1))
	}
	require.Len(t, p.goals, 1)
	in := p.goals[0].instances
	require.LessOrEqual(t, len(in), maxInstances)
	require.Greater(t, len(in), maxInstances/4)
	require.Zero(t, in[0].First().Seq)
	require.Greater(t, in[len(in)-1].Last().Seq, trace.Seq(2*n*9/10))
	for i := 1; i < len(in); i++ {
		require.Greater(t, in[i].First().Seq, in[i-1].Last().Seq)
	}
}
