package tracefile

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/racepred/racepred/internal/goal"
	"github.com/racepred/racepred/internal/trace"
)

func anyDeferred(t *rapid.T) (s trace.Deferred, events []trace.Event) {
	events = rapid.SliceOfN(rapid.Custom(anyEvent), 1, 50).Draw(t, "events")
	place := rapid.Int32Range(0, int32(len(events)-1))
	s.Complete, s.Midway = rapid.Bool().Draw(t, "complete"), rapid.Bool().Draw(t, "midway")
	s.Before, s.After = rapid.Bool().Draw(t, "before"), rapid.Bool().Draw(t, "after")
	for i := range events {
		events[i] = normal(events[i])
		events[i].Stack = 0
		if rapid.Bool().Draw(t, "racy") {
			s.Racy = append(s.Racy, int32(i))
		}
	}
	s.Goals = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) trace.DeferredGoal {
		kind := rapid.SampledFrom(goal.Kinds()).Draw(t, "kind")
		most := kind.Spec().Max
		if most == 0 {
			most = 5
		}
		n := rapid.IntRange(kind.Spec().Min, most).Draw(t, "n")
		return trace.DeferredGoal{
			Goal:  goal.Goal{Kind: kind, Events: rapid.SliceOfN(place, n, n).Draw(t, "events")},
			Alone: rapid.Bool().Draw(t, "alone"), By: []string{"wcp", "x"},
		}
	}), 1, 3).Draw(t, "goals")
	return s, events
}

func TestDeferredRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b bytes.Buffer
		w := NewWriter(&b, nil)
		type deferred struct {
			s      trace.Deferred
			events []trace.Event
		}
		var all []deferred
		for range 3 {
			s, events := anyDeferred(t)
			all = append(all, deferred{s, events})
			w.Deferred(&s, events)
		}
		require.NoError(t, w.Flush())
		r, err := NewReader(&b, "x")
		require.NoError(t, err)
		var ev trace.Event
		for _, want := range all {
			answer, err := r.Next(&ev)
			require.NoError(t, err)
			require.Equal(t, trace.DeferredGoals, answer)
			s, n := r.Deferred()
			require.Equal(t, want.s, *s)
			require.Equal(t, uint64(len(want.events)), n)
			for i := range want.events {
				answer, err := r.Next(&ev)
				require.NoError(t, err)
				require.Equal(t, trace.Next, answer)
				require.Equal(t, want.events[i], ev)
			}
		}
		answer, err := r.Next(&ev)
		require.NoError(t, err)
		require.Equal(t, trace.Truncated, answer)
	})
}

func TestDeferredOfPlacesThatAreNotThere(t *testing.T) {
	for want, s := range map[string]trace.Deferred{
		"an event at place 7 of 2 events": {Goals: []trace.DeferredGoal{{Goal: goal.RaceOf(0, 7)}}},
		"a read at place 2 of 2 events":   {Racy: []int32{1, 2}},
		"a kind 200 with 2 events":        {Goals: []trace.DeferredGoal{{Goal: goal.Goal{Kind: 200, Events: []int32{0, 1}}}}},
	} {
		var b bytes.Buffer
		w := NewWriter(&b, nil)
		w.Deferred(&s, []trace.Event{{Kind: trace.Begin, G: 1}, {Kind: trace.End, G: 1}})
		require.NoError(t, w.Flush())
		r, err := NewReader(&b, "x")
		require.NoError(t, err)
		_, err = r.Next(new(trace.Event))
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "block 1 (deferred) at offset ")
	}
}

// TestDeferredFormatStays is TestFormatStays for the block that traces do not have.
func TestDeferredFormatStays(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b, []Pair{{KeyPackage, "example.com/p"}})
	w.Deferred(&trace.Deferred{
		Complete: true, Midway: true, Racy: []int32{1, 3}, Still: []int32{0, 2}, Goals: []trace.DeferredGoal{{Goal: goal.RaceOf(0, 2), Alone: true, By: []string{"wcp"}}},
	}, []trace.Event{{Kind: trace.Write, G: 1, Addr: 8, Size: 8}, {Kind: trace.Read, G: 1, Addr: 16, Size: 8}, {Kind: trace.Write, G: 2, Addr: 8, Size: 8},
		{Kind: trace.Read, G: 2, Addr: 16, Size: 8}})
	require.NoError(t, w.Flush())
	name := filepath.Join("testdata", fmt.Sprintf("deferred%d", Version)+Suffix)
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.WriteFile(name, b.Bytes(), 0o666))
	}
	old, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, old, b.Bytes())
}
