package ipa_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/ipa"
	"github.com/racepred/racepred/internal/predict/mustorder"
	"github.com/racepred/racepred/internal/trace"
)

// figure1 is Figure 1 of the paper as one run of it, with L0 to L3 as locks. The goroutine that
// waits for the signal says so before it is notified, and L1 is acquired once where the paper
// acquires it again while it is held. The accesses' sites are the paper's places.
const figure1 = `
g2 acquire L1            // b1
g2 acquire L3            // b2
g2 release L3            // b3
g2 hardmerge waiting
g1 acquire L3            // a1
g1 acquire L2            // a2
g1 hardacquire waiting
g1 hardmerge signal
g2 hardacquire signal
g2 release L1            // b4
g1 release L3            // a3
g1 acquire L1            // a4
g1 release L2            // a5
g2 acquire L3            // b5
g2 acquire L2            // b6
g2 acquire L0            // b7
g2 release L3            // b8
g2 release L0            // b9
g2 read x site=110
g2 release L2            // b10
g2 write x site=111
g1 acquire L2            // a6
g1 release L1            // a7
g1 acquire L0            // a8
g1 release L2            // a9
g1 write x site=10
g1 acquire L3            // a10
g1 write x site=11
`

// figure is the histories of figure1, and its accesses by their sites.
func figure(t *testing.T) (*ipa.Follow, map[trace.Site]ipa.Access) {
	evs, err := trace.Parse(figure1)
	require.NoError(t, err)
	at := map[trace.Site]ipa.Access{}
	f := follow(evs, ipa.Limits{}, func(_ *ipa.Follow, seq trace.Seq, ev *trace.Event) {
		at[ev.Site] = ipa.Access{G: ev.G, Seq: seq}
	})
	return f, at
}

// follow has histories take in a trace, and calls f for its accesses.
func follow(evs []trace.Event, limits ipa.Limits, f func(*ipa.Follow, trace.Seq, *trace.Event)) *ipa.Follow {
	order := mustorder.New(mustorder.Config{Config: predict.Config{}, Loose: true})
	h := ipa.NewFollow(limits, order)
	for i := range evs {
		ev := &evs[i]
		g := order.Of(ev.G)
		if ev.Kind.Spec().Access {
			h.Begins(g)
			f(h, trace.Seq(i), ev)
			continue
		}
		h.Event(g, trace.Seq(i), ev)
	}
	return h
}

// figurePairs are the four pairs of the figure, in the paper's order.
var figurePairs = []struct {
	a, b trace.Site
	want ipa.Answer
}{
	{10, 110, ipa.Unreachable}, {10, 111, ipa.Reachable}, {11, 110, ipa.Unreachable}, {11, 111, ipa.Reachable},
}

// TestFigure1: the four pairs have the paper's answers, with both strategies, in at most the
// paper's calls: 8 for the first pair, 21 for all of them one after the other. The grids have 97
// and 446 edges.
func TestFigure1(t *testing.T) {
	for _, s := range []ipa.Strategy{ipa.StrategyI, ipa.StrategyII} {
		h, at := figure(t)
		for i, p := range figurePairs {
			require.Equal(t, p.want, h.Reach(s, at[p.a], at[p.b]), "%d, %d", p.a, p.b)
			if i == 0 && s == ipa.StrategyI {
				require.LessOrEqual(t, h.Calls, uint64(8))
				require.Equal(t, uint64(97), h.Potential)
			}
		}
		if s == ipa.StrategyI {
			t.Logf("%+v", h.Counters)
			require.LessOrEqual(t, h.Calls, uint64(21))
			require.Equal(t, uint64(446), h.Potential)
			require.Equal(t, uint64(4), h.Queries)
		}
	}
}

// TestFigure1Alone: without what earlier questions found, the four take at most the paper's 71
// calls.
func TestFigure1Alone(t *testing.T) {
	calls := uint64(0)
	for _, p := range figurePairs {
		h, at := figure(t)
		require.Equal(t, p.want, h.Reach(ipa.StrategyI, at[p.a], at[p.b]))
		calls += h.Calls
	}
	t.Log(calls)
	require.LessOrEqual(t, calls, uint64(71))
}

// TestFigure1Way: the way to (a10, b11) begins at the meeting, and is one that locks allow.
func TestFigure1Way(t *testing.T) {
	evs, err := trace.Parse(figure1)
	require.NoError(t, err)
	h, at := figure(t)
	answer, from, way := h.Way(ipa.StrategyI, at[10], at[111])
	require.Equal(t, ipa.Reachable, answer)
	held := map[trace.Addr]trace.G{}
	for i := range evs[:from] {
		do(t, held, &evs[i])
	}
	next := map[trace.G]trace.Seq{}
	for _, seq := range way {
		require.GreaterOrEqual(t, seq, next[evs[seq].G])
		next[evs[seq].G] = seq + 1
		do(t, held, &evs[seq])
	}
	require.Equal(t, map[trace.Addr]trace.G{lockOf(t, "L0"): 1}, held)
}

// do executes an event of locks.
func do(t *testing.T, held map[trace.Addr]trace.G, ev *trace.Event) {
	switch ev.Kind {
	case trace.Acquire:
		require.Zero(t, held[ev.Addr])
		held[ev.Addr] = ev.G
	case trace.Release:
		delete(held, ev.Addr)
	}
}

// lockOf is the address of a lock of figure1.
func lockOf(t *testing.T, name string) trace.Addr {
	evs, err := trace.Parse("g1 acquire L1\ng1 acquire L3\ng1 acquire L2\ng1 acquire L0\n")
	require.NoError(t, err)
	return evs[map[string]int{"L1": 0, "L3": 1, "L2": 2, "L0": 3}[name]].Addr
}

// TestCausalityFigure1: what Figure 1 of Kahlon and Wang, CAV 2010, needs locks and waiting
// together for, both strategies find unreachable.
func TestCausalityFigure1(t *testing.T) {
	evs, err := trace.Parse(`
		g1 acquire l3
		g1 acquire l1
		g1 hardmerge waits
		g1 release l1
		g2 acquire l1
		g2 hardacquire waits
		g2 hardmerge signal
		g2 release l1
		g1 acquire l1
		g1 hardacquire signal
		g1 acquire l2
		g1 release l3
		g1 release l1
		g1 write sh
		g1 release l2
		g2 acquire l1
		g2 acquire l3
		g2 release l1
		g2 acquire l2
		g2 release l2
		g2 release l3
		g2 write sh`)
	require.NoError(t, err)
	var at []ipa.Access
	h := follow(evs, ipa.Limits{}, func(_ *ipa.Follow, seq trace.Seq, ev *trace.Event) { at = append(at, ipa.Access{G: ev.G, Seq: seq}) })
	require.Equal(t, ipa.Unreachable, h.Reach(ipa.StrategyI, at[0], at[1]))
	require.Equal(t, ipa.Unreachable, h.Reach(ipa.StrategyII, at[0], at[1]))
}
