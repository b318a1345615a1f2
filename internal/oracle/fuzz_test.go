package oracle_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/engine"
	"github.com/racepred/racepred/internal/goal"
	"github.com/racepred/racepred/internal/oracle"
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predictors"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/witness"
	"github.com/racepred/racepred/internal/witness/check"
)

// decode makes a trace of bytes, four for an event; not always one that a run can have.
func decode(data []byte, limit int) (evs []trace.Event) {
	for ; len(data) >= 4 && len(evs) < limit; data = data[4:] {
		e := trace.Event{
			Kind: trace.Kind(1 + int(data[0]&31)%(len(trace.Specs)-1)), Flags: trace.Flags(data[0] >> 5),
			G: trace.G(1 + data[1]&3), Site: trace.Site(len(evs) + 1),
		}
		switch e.Kind.Spec().Operand {
		case trace.OnBytes:
			e.Addr = 0x1000 + 0x40*trace.Addr(data[2]%3) + trace.Addr(data[3]&15)
			e.Size = []uint32{1, 2, 4, 8, 8, 8, 16, 5000}[data[3]>>5]
		case trace.OnLock:
			e.Addr = 0x10 + 8*trace.Addr(data[2]%3)
		case trace.OnObject:
			e.Addr = 0x100 + 8*trace.Addr(data[2]%3)
		case trace.OnG, trace.OnTest:
			e.Other = uint32(1 + data[2]&3)
		}
		evs = append(evs, e)
	}
	return evs
}

// encode is the inverse of decode.
func encode(evs []trace.Event) (data []byte) {
	for _, e := range evs {
		var b [4]byte
		b[0] = byte(e.Kind-1) | byte(e.Flags)<<5
		b[1] = byte(e.G - 1)
		switch e.Kind.Spec().Operand {
		case trace.OnBytes:
			b[2], b[3] = byte((e.Addr-0x1000)/0x40), byte((e.Addr-0x1000)%0x40)&15|3<<5
		case trace.OnLock:
			b[2] = byte((e.Addr - 0x10) / 8)
		case trace.OnObject:
			b[2] = byte((e.Addr - 0x100) / 8)
		case trace.OnG, trace.OnTest:
			b[2] = byte(e.Other - 1)
		}
		data = append(data, b[:]...)
	}
	return data
}

func seed(f *testing.F) {
	for n := range uint64(12) {
		f.Add(encode(oracle.Random(rand.New(rand.NewPCG(n, 60)), 12+int(n), oracle.All)))
	}
}

// FuzzPredictors: no predictor panics, on traces that no run can have either; nor does the engine, whose findings name both accesses.
func FuzzPredictors(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		evs := decode(data, 200)
		for _, complete := range []bool{false, true} {
			for _, row := range predictors.Table {
				p := row.New(predict.Config{Complete: complete}, func(c predict.Candidate) { both(t, evs, c.Goal, c.First(), c.Last()) })
				for i := range evs {
					p.Event(trace.Seq(i), &evs[i])
				}
			}
			e := engine.New(engine.Config{Predictors: predictors.Names(), Complete: complete, SearchStates: 50}, func(f engine.Finding) {
				both(t, evs, f.Goal, &predict.Event{Seq: f.First().Seq, Ev: f.First().Ev}, &predict.Event{Seq: f.Last().Seq, Ev: f.Last().Ev})
			})
			for i := range evs {
				e.Event(evs[i])
			}
			e.Flush()
		}
	})
}

// both requires that a pair is two conflicting accesses of the trace, or two acquisitions, the earlier first, with their positions.
func both(t *testing.T, evs []trace.Event, kind goal.Kind, a, b *predict.Event) {
	require.Less(t, a.Seq, b.Seq)
	require.Equal(t, evs[a.Seq], a.Ev)
	require.Equal(t, evs[b.Seq], b.Ev)
	if kind == goal.Deadlock {
		require.True(t, a.Ev.Kind.Spec().Opens && b.Ev.Kind.Spec().Opens, "%v and %v", a.Ev, b.Ev)
		return
	}
	require.True(t, trace.Conflict(&a.Ev, &b.Ev), "%v and %v", a.Ev, b.Ev)
}

// FuzzWitness: in well-formed traces, a schedule that is found is a correct reordering that reaches the race, and an infeasible pair does not race.
func FuzzWitness(f *testing.F) {
	for n := range uint64(12) {
		f.Add(n, uint8(10+n), uint16(n*411))
	}
	f.Fuzz(func(t *testing.T, n uint64, length uint8, bits uint16) {
		evs := oracle.Random(rand.New(rand.NewPCG(n, 61)), int(length)%28, features(bits))
		truth := oracle.Explore(evs, 20_000)
		finder := witness.New(evs, witness.Options{States: 200})
		for _, p := range conflicts(evs) {
			switch a := finder.Find(goal.RaceOf(int32(p[0]), int32(p[1]))); a.Verdict {
			case witness.Feasible:
				var schedule []int
				for _, i := range a.Schedule {
					schedule = append(schedule, int(i))
				}
				races, ok := oracle.Correct(evs, schedule)
				require.True(t, ok && races[p], "%v: %v%s", p, schedule, text(evs))
			case witness.Infeasible:
				require.False(t, truth.Races[p], "%v%s", p, text(evs))
			}
		}
	})
}

// features has one for each bit.
func features(bits uint16) oracle.Features {
	on := func(n int) bool { return bits>>n&1 != 0 }
	return oracle.Features{
		Fork: on(0), RW: on(1), Hard: on(2), Pins: on(3), Opaque: on(4), Sizes: on(5), TryFail: on(6), HardSections: on(7),
		HandOver: on(8), NonLIFO: on(9), Atomic: on(10), Alloc: on(11), Locks: on(12), Updates: on(13), Mixed: on(14),
	}
}

// FuzzChecker: the checker does not panic, whatever trace and schedule it is given; of well-formed traces it accepts a schedule if and only if the
// oracle does.
func FuzzChecker(f *testing.F) {
	for n := range uint64(12) {
		evs := oracle.Random(rand.New(rand.NewPCG(n, 62)), 12+int(n), oracle.All)
		f.Add(encode(evs), []byte{0, 1, 2, 3, 5, 4}, n, uint16(n*411))
	}
	f.Fuzz(func(t *testing.T, data, order []byte, n uint64, bits uint16) {
		if len(order) > 64 {
			order = order[:64]
		}
		try := func(evs []trace.Event, judge bool) {
			var schedule []int32
			var same []int
			for _, b := range order {
				schedule = append(schedule, int32(int8(b)))
				same = append(same, int(int8(b)))
			}
			for _, dropped := range []bool{false, true} {
				c := check.New(evs, check.Options{Dropped: dropped})
				for j := range evs {
					for i := range j {
						err := c.Check(schedule, goal.RaceOf(int32(i), int32(j)))
						if !judge || dropped {
							continue
						}
						races, ok := map[oracle.Pair]bool(nil), valid(same, len(evs))
						if ok {
							races, ok = oracle.Correct(evs, same)
						}
						require.Equal(t, ok && races[oracle.Pair{i, j}], err == nil, "%v: %d %d: %v%s", schedule, i, j, err, text(evs))
					}
				}
			}
		}
		try(decode(data, 30), false)
		rng := rand.New(rand.NewPCG(n, 63))
		if evs := oracle.Random(rng, 4+int(n%20), features(bits)); len(evs) > 0 {
			for _, e := range oracle.Walk(rng, evs) { // so that there is something to accept
				order = append(order, byte(e))
			}
			order = order[min(len(order), int(bits>>13)):]
			try(evs, true)
		}
	})
}

// valid reports whether all are places in a trace of n events.
func valid(schedule []int, n int) bool {
	for _, i := range schedule {
		if i < 0 || i >= n {
			return false
		}
	}
	return true
}
