package oracle_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/oracle"
	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/witness"
)

// operation is what an event stands for on a channel with room for one element.
type operation uint8

const (
	none operation = iota
	send
	receive
	seesEmpty // len, or a default
	seesFull
)

// tokens is a run of goroutines that use such a channel as a lock, until one takes out what another put in, and what its events stand for.
// Each of an element's two Changes lies in the section of the lock that the element stands for.
func tokens(rng *rand.Rand, n int) (evs []trace.Event, ops []operation) {
	const c, buffer trace.Addr = 0x200, 0x301
	put := func(k trace.Kind, g trace.G, a trace.Addr, f trace.Flags, op operation) {
		ev := trace.Event{Kind: k, G: g, Addr: a, Flags: f, Site: trace.Site(len(evs) + 1)}
		if k.Spec().Access {
			ev.Size = 8
		}
		evs, ops = append(evs, ev), append(ops, op)
	}
	full, holder, lock := false, trace.G(0), true
	for len(evs) < n {
		g := trace.G(1 + rng.IntN(3))
		switch k := rng.IntN(10); {
		case k < 3 && !full && lock:
			put(trace.HardSwap, g, buffer, trace.FlagUnseen, none)
			put(trace.Acquire, g, c, 0, none)
			put(trace.Change, g, c, trace.FlagUnseen, send)
			full, holder = true, g
		case k < 3 && full && lock && holder == g:
			put(trace.Change, g, c, trace.FlagUnseen, receive)
			put(trace.Release, g, c, 0, none)
			put(trace.HardSwap, g, buffer, trace.FlagUnseen, none)
			full = false
		case k == 0 && full && lock && rng.IntN(4) == 0: // from here on it is no lock
			put(trace.Change, g, c, 0, receive)
			put(trace.Release, g, c, 0, none)
			put(trace.HardSwap, g, buffer, 0, none)
			full, lock = false, false
		case k < 2 && !lock:
			put(trace.HardSwap, g, buffer, 0, none)
			put(trace.Change, g, c, 0, map[bool]operation{false: send, true: receive}[full])
			full = !full
		case k == 3 && rng.IntN(3) == 0:
			put(trace.Observe, g, c, 0, map[bool]operation{false: seesEmpty, true: seesFull}[full])
		case k > 3:
			put([]trace.Kind{trace.Read, trace.Read, trace.Write}[rng.IntN(3)], g, trace.Addr(0x1000+8*rng.IntN(3)), 0, none)
		}
	}
	return evs, ops
}

// TestSchedulesOfTokensRun: when a channel's elements are recorded as sections of a lock, every schedule is one that the channel allows:
// each send finds it empty, each receive full, and who looks sees what was seen in the run. And all that is predicted is a race of the oracle's.
func TestSchedulesOfTokensRun(t *testing.T) {
	var feasible, turned, looked, predicted int
	for seed := range uint64(3000) {
		evs, ops := tokens(rand.New(rand.NewPCG(seed, 31)), 12+int(seed%16))
		truth := oracle.Explore(evs, 200_000)
		if !truth.Complete {
			continue
		}
		f := witness.New(evs, witness.Options{})
		for _, p := range conflicts(evs) {
			a := f.Find(int32(p[0]), int32(p[1]))
			require.Equal(t, a.Verdict == witness.Feasible, truth.Races[p], "seed %d: %v%s", seed, p, text(evs))
			if a.Verdict != witness.Feasible {
				continue
			}
			feasible++
			full, last := false, int32(-1)
			for _, i := range a.Schedule {
				switch op := ops[i]; op {
				case send, receive:
					require.Equal(t, op == receive, full, "seed %d: %v: event %d of %v%s", seed, p, i+1, a.Schedule, text(evs))
					full = op == send
					if i < last {
						turned++
					}
					last = i
				case seesEmpty, seesFull:
					require.Equal(t, op == seesFull, full, "seed %d: %v: event %d of %v%s", seed, p, i+1, a.Schedule, text(evs))
					looked++
				}
			}
		}
		for p := range findings(evs)[report.Predicted] {
			require.True(t, truth.Races[p], "seed %d: %v%s", seed, p, text(evs))
			predicted++
		}
	}
	t.Logf("%d schedules, %d operations turned round, %d looks at the channel; %d races predicted", feasible, turned, looked, predicted)
	for _, n := range []int{feasible, turned, looked, predicted} {
		require.NotZero(t, n)
	}
}
