package oracle_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/goal"
	"github.com/racepred/racepred/internal/oracle"
	"github.com/racepred/racepred/internal/oracle/oracletest"
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/hb"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/witness"
	"github.com/racepred/racepred/internal/witness/check"
)

// step is the operation of an access of a run, with a value, or the store of a value.
type step struct {
	op    trace.Operation // 0: a plain read, or store
	value uint8
}

// modifying is a run of goroutines with locks that read, store and modify variables. Its
// modifications are one event each, as of the recorder.
func modifying(rng *rand.Rand, n int) (evs []trace.Event, steps []step) {
	put := func(e trace.Event, s step) {
		e.Site = trace.Site(len(evs) + 1)
		evs, steps = append(evs, e), append(steps, s)
	}
	const locks = 2
	var holder [locks]trace.G
	kinds := []trace.Operation{trace.Addition, trace.Operation(1 + rng.IntN(5))}
	g := trace.G(1)
	for len(evs) < n {
		if rng.IntN(5) == 0 {
			g = trace.G(1 + rng.IntN(3))
		}
		l := rng.IntN(locks)
		lock := trace.Addr(0x10 + 8*l)
		x := trace.Event{Kind: trace.Write, G: g, Addr: trace.Addr(0x1000 + 8*l), Size: 8}
		switch k := rng.IntN(14); {
		case k < 4 && holder[l] == 0:
			holder[l] = g
			put(trace.Event{Kind: trace.Acquire, G: g, Addr: lock}, step{})
		case k < 3 && holder[l] == g:
			holder[l] = 0
			put(trace.Event{Kind: trace.Release, G: g, Addr: lock}, step{})
		case k == 4 && rng.IntN(4) == 0: // of which some race
			x.Addr = 0x1010
			put(x, step{value: 1})
		case holder[l] != g && rng.IntN(30) > 0: // the lock's variable
		case k == 5:
			x.Kind = trace.Read
			put(x, step{})
		case k == 6 && rng.IntN(3) == 0:
			put(x, step{value: uint8(rng.IntN(4))})
		case k > 6:
			put(x, step{kinds[rng.IntN(2)], uint8(2 + rng.IntN(5))})
		}
	}
	return evs, steps
}

// leaveOut is record for such a run. It flags modifications as unseen where it may; others become a
// read and a write.
func leaveOut(evs []trace.Event, steps []step, all bool) (kept []trace.Event, at []int) {
	type did struct {
		g    trace.G
		kind trace.Kind
		op   trace.Operation
		addr trace.Addr
	}
	spans := map[did]bool{}
	var u trace.Unseen
	for i, e := range evs {
		if e.Kind.Spec().EndsSpan {
			for k := range spans {
				if k.g == e.G {
					delete(spans, k)
				}
			}
		}
		if e.Kind.Spec().Access && !all {
			k := did{e.G, e.Kind, steps[i].op, e.Addr}
			if spans[k] || spans[did{e.G, trace.Write, 0, e.Addr}] && (steps[i].op != 0 || e.Kind == trace.Write) {
				continue
			}
			spans[k] = true
		}
		if op := steps[i].op; op != 0 {
			if e.Flags = u.Flag(op, e.Addr); e.Flags == 0 {
				read := e
				read.Kind = trace.Read
				kept, at = append(kept, read), append(at, i)
			}
		}
		kept, at = append(kept, e), append(at, i)
	}
	return kept, at
}

// memory executes accesses.
type memory map[trace.Addr]uint8

func (m memory) do(e *trace.Event, s step) (found uint8) {
	found = m[e.Addr]
	if e.Kind != trace.Write {
		return found
	}
	switch s.op {
	case 0:
		m[e.Addr] = s.value
	case trace.Addition:
		m[e.Addr] += s.value
	case trace.AndBits:
		m[e.Addr] &= s.value
	case trace.OrBits:
		m[e.Addr] |= s.value
	case trace.XorBits:
		m[e.Addr] ^= s.value
	case trace.Multiplication:
		m[e.Addr] *= s.value
	}
	return found
}

// TestSchedulesOfModificationsRun executes the reorderings of such a recorded run that the checker
// accepts; a goroutine does dropped accesses right after the recorded ones before them. Each read
// finds the value that it found in the run.
func TestSchedulesOfModificationsRun(t *testing.T) {
	var schedules, read, dropped, turned int
	for seed := range some(uint64(8000)) {
		rng := rand.New(rand.NewPCG(seed, 41))
		evs, steps := modifying(rng, 14+int(seed%24))
		found := make([]uint8, len(evs))
		m := memory{}
		for i := range evs {
			found[i] = m.do(&evs[i], steps[i])
		}
		kept, at := leaveOut(evs, steps, seed%3 == 0)
		isKept := map[int]bool{}
		for _, i := range at {
			isKept[i] = true
		}
		dropped += len(evs) - len(isKept)
		p := hb.New(predict.Config{}, func(predict.Candidate) {})
		for i := range kept {
			p.Event(trace.Seq(i), &kept[i])
		}
		of := map[trace.G][]int{}
		for i := range evs {
			of[evs[i].G] = append(of[evs[i].G], i)
		}
		c := check.New(kept, check.Options{Dropped: seed%3 != 0})
		for range 8 {
			schedule := oracle.Walk(rng, kept)
			if err := c.Check(places(schedule), goal.RaceOf(0, 1)); err != nil && strings.Contains(err.Error(), "check: step") ||
				slices.ContainsFunc(schedule, func(k int) bool {
					return kept[k].Kind == trace.Read && p.Racy(kept[k].Addr, kept[k].Size, 0) != hb.Certain
				}) {
				continue
			}
			schedules++
			m, pos := memory{}, map[trace.G]int{}
			do := func(g trace.G) {
				i := of[g][pos[g]]
				pos[g]++
				got := m.do(&evs[i], steps[i])
				if evs[i].Kind == trace.Read {
					require.Equal(t, found[i], got, "seed %d: event %d of %v; kept %v%s\nrun:%s", seed, i, schedule, at, oracletest.Text(kept), oracletest.Text(evs))
					read++
				}
			}
			last := -1
			for _, k := range schedule {
				if kept[k].Unseen() {
					if k < last {
						turned++
					}
					last = k
				}
				if kept[k].Kind == trace.Read && steps[at[k]].op != 0 {
					continue // the write does both
				}
				g := kept[k].G
				for do(g); pos[g] < len(of[g]) && !isKept[of[g][pos[g]]]; {
					do(g)
				}
			}
		}
	}
	t.Logf("%d schedules, %d reads, %d modifications turned round; %d accesses left out", schedules, read, turned, dropped)
	for _, n := range []int{schedules, read, dropped, turned} {
		require.NotZero(t, n)
	}
}

// TestWitnessesOfModifications: a feasible pair of the recording is a race of the oracle.
func TestWitnessesOfModifications(t *testing.T) {
	var feasible int
	for seed := range uint64(1500) {
		evs, steps := modifying(rand.New(rand.NewPCG(seed, 42)), 12+int(seed%16))
		kept, _ := leaveOut(evs, steps, true)
		truth := oracle.Explore(kept, 100_000)
		if !truth.Complete {
			continue
		}
		w := witness.New(kept, witness.Options{})
		for _, p := range conflicts(kept) {
			switch a := w.Find(goal.RaceOf(int32(p[0]), int32(p[1]))); a.Verdict {
			case witness.Feasible:
				feasible++
				require.True(t, truth.Races[p], "seed %d: %v: %v%s", seed, p, a.Schedule, oracletest.Text(kept))
			case witness.Infeasible:
				require.False(t, truth.Races[p], "seed %d: %v%s", seed, p, oracletest.Text(kept))
			}
		}
	}
	require.NotZero(t, feasible)
}
