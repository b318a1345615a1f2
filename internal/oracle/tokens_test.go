package oracle_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/goal"
	"github.com/racepred/racepred/internal/oracle"
	"github.com/racepred/racepred/internal/oracle/oracletest"
	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/witness"
)

// operation is the operation of an event on a channel with room for one element.
type operation uint8

const (
	none operation = iota
	send
	receive
	seesEmpty // len, or a default
	seesFull
)

// tokens is a run of goroutines that use such a channel as a lock, as it is recorded
// (internal/records/token.go), with the operations of its events. Sections of code that is not
// rewritten are not recorded as sections. There are none any more once another goroutine than the
// one that put an element in takes it out, or a section is given up. Each of an element's two
// Changes lies in the element's section.
func tokens(rng *rand.Rand, n int) (evs []trace.Event, ops []operation) {
	const c, buffer trace.Addr = 0x200, 0x210
	put := func(k trace.Kind, g trace.G, a trace.Addr, f trace.Flags, op operation) {
		ev := trace.Event{Kind: k, G: g, Addr: a, Flags: f, Site: trace.Site(len(evs) + 1)}
		if k.Spec().Access {
			ev.Size = 8
		}
		evs, ops = append(evs, ev), append(ops, op)
	}
	sized := rng.IntN(2) == 0
	edges := func(g trace.G, f trace.Flags) {
		if sized {
			put(trace.HardSwap, g, buffer, f, none)
			return
		}
		put(trace.HardAcquire, g, buffer, f, none)
		put(trace.HardRelease, g, buffer, 0, none)
	}
	var holder trace.G
	inside, spent := false, false
	for len(evs) < n {
		g := trace.G(1 + rng.IntN(3))
		if holder != 0 && rng.IntN(3) > 0 {
			g = holder
		}
		switch k := rng.IntN(10); {
		case k < 4 && holder == 0:
			holder, inside = g, !spent && rng.IntN(4) > 0
			var f trace.Flags
			if inside {
				f = trace.FlagUnseen
				put(trace.Acquire, g, c, 0, none)
			}
			put(trace.Change, g, c, f, send)
			edges(g, f)
		case k < 5 && holder == g || k == 0 && holder != 0 && rng.IntN(6) == 0:
			var f trace.Flags
			if holder != g {
				spent = true
			} else if inside {
				f = trace.FlagUnseen
			}
			put(trace.Change, g, c, f, receive)
			if inside {
				put(trace.Release, g, c, 0, none)
			}
			edges(g, f)
			holder, inside = 0, false
		case k == 6 && holder == g && inside && rng.IntN(8) == 0:
			put(trace.Change, g, c, 0, none)
			put(trace.Release, g, c, 0, none)
			inside, spent = false, true
		case k == 9 && rng.IntN(6) == 0:
			put(trace.Observe, g, c, 0, map[bool]operation{false: seesEmpty, true: seesFull}[holder != 0])
		case k > 4:
			put([]trace.Kind{trace.Read, trace.Read, trace.Write}[rng.IntN(3)], g, trace.Addr(0x1000+8*rng.IntN(3)), 0, none)
		}
	}
	return evs, ops
}

// TestSchedulesOfTokensRun: if a channel's elements are recorded as sections of a lock, the channel
// allows every schedule: each send finds it empty, each receive finds it full, and an observation
// finds the same as in the run. And each predicted pair is a race of the oracle.
func TestSchedulesOfTokensRun(t *testing.T) {
	var feasible, turned, looked, predicted int
	for seed := range some(uint64(4000)) {
		evs, ops := tokens(rand.New(rand.NewPCG(seed, 31)), 14+int(seed%20))
		truth := oracle.Explore(evs, 200_000)
		if !truth.Complete {
			continue
		}
		f := witness.New(evs, witness.Options{})
		for _, p := range conflicts(evs) {
			a := f.Find(goal.RaceOf(int32(p[0]), int32(p[1])))
			require.Equal(t, a.Verdict == witness.Feasible, truth.Races[p], "seed %d: %v%s", seed, p, oracletest.Text(evs))
			if a.Verdict != witness.Feasible {
				continue
			}
			feasible++
			full, last := false, int32(-1)
			for _, i := range a.Schedule {
				switch op := ops[i]; op {
				case send, receive:
					require.Equal(t, op == receive, full, "seed %d: %v: event %d of %v%s", seed, p, i+1, a.Schedule, oracletest.Text(evs))
					full = op == send
					if i < last {
						turned++
					}
					last = i
				case seesEmpty, seesFull:
					require.Equal(t, op == seesFull, full, "seed %d: %v: event %d of %v%s", seed, p, i+1, a.Schedule, oracletest.Text(evs))
					looked++
				}
			}
		}
		for p := range findings(evs)[report.Predicted] {
			require.True(t, truth.Races[p], "seed %d: %v%s", seed, p, oracletest.Text(evs))
			predicted++
		}
	}
	t.Logf("%d schedules, %d operations turned round, %d looks at the channel; %d races predicted", feasible, turned, looked, predicted)
	for _, n := range []int{feasible, turned, looked, predicted} {
		require.NotZero(t, n)
	}
}
