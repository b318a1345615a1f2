package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/engine"
	"github.com/racepred/racepred/internal/report"
)

func TestFlushBeforeLeavesLaterInstances(t *testing.T) {
	var found []engine.Finding
	e := engine.New(engine.Config{}, func(f engine.Finding) { found = append(found, f) })
	events := parse(t, fig1b)
	for _, ev := range events {
		e.Event(ev)
	}
	require.Equal(t, 1, e.Waiting())
	e.FlushBefore(1)
	require.Empty(t, found, "the second access comes later")
	require.Equal(t, 1, e.Waiting())
	e.FlushBefore(e.Next())
	require.Len(t, found, 1)
	require.Equal(t, report.Predicted, found[0].Verdict)
	require.Zero(t, e.Waiting())
	for _, ev := range events { // the pair comes once more
		e.Event(ev)
	}
	require.Zero(t, e.Waiting())
}
