package oracle_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/engine"
	"github.com/racepred/racepred/internal/goal"
	"github.com/racepred/racepred/internal/oracle"
	"github.com/racepred/racepred/internal/oracle/oracletest"
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predictors"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/witness"
	"github.com/racepred/racepred/internal/witness/check"
)

// decode makes a trace of bytes, four for an event; not always one that a run can have. It has no
// MissedRead and no MissedWrite, which tell of what is not in the trace.
func decode(data []byte, limit int) (evs []trace.Event) {
	for ; len(data) >= 4 && len(evs) < limit; data = data[4:] {
		e := trace.Event{
			Kind: trace.Kind(1 + int(data[0]&31)%int(trace.MissedRead-1)), Flags: trace.Flags(data[0] >> 5),
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

// FuzzPredictors: no predictor panics, on traces that no run can have either; nor does the engine,
// whose findings name both accesses.
func FuzzPredictors(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		evs := decode(data, 200)
		for _, complete := range []bool{false, true} {
			for _, row := range predictors.Table {
				p := row.New(predict.Config{Complete: complete}, func(c predict.Candidate) { proposable(t, evs, c.Goal, c.Events) })
				for i := range evs {
					p.Event(trace.Seq(i), &evs[i])
				}
			}
			e := engine.New(engine.Config{Predictors: predictors.Names(), Complete: complete, SearchStates: 50}, func(f engine.Finding) {
				var events []predict.Event
				for _, p := range f.Events {
					events = append(events, predict.Event{Seq: p.Seq, Ev: p.Ev})
				}
				proposable(t, evs, f.Goal, events)
			})
			for i := range evs {
				e.Event(evs[i])
			}
			e.Flush()
		}
	})
}

// proposable requires that a goal's events are those of the trace, as many as its kind takes, and
// such that some trace could reach it.
func proposable(t *testing.T, evs []trace.Event, kind goal.Kind, events []predict.Event) {
	require.True(t, kind.Takes(len(events)), "%v of %d events", kind, len(events))
	for _, e := range events {
		require.Equal(t, evs[e.Seq], e.Ev)
	}
	switch first, last := &events[0], &events[len(events)-1]; kind {
	case goal.Race:
		require.Less(t, first.Seq, last.Seq)
		require.True(t, trace.Conflict(&first.Ev, &last.Ev), "%v and %v", first.Ev, last.Ev)
	case goal.Deadlock:
		for _, e := range events {
			require.True(t, e.Ev.Kind.Spec().Opens, "%v", e.Ev)
		}
	case goal.Atomicity:
		between := &events[1]
		require.Less(t, first.Seq, last.Seq)
		require.Equal(t, first.Ev.G, last.Ev.G)
		require.NotEqual(t, first.Ev.G, between.Ev.G)
		for _, e := range []*predict.Event{first, last} {
			// Atomic operations do not race, but they may split a unit.
			x, y := e.Ev, between.Ev
			x.Flags, y.Flags = x.Flags&^trace.FlagAtomic, y.Flags&^trace.FlagAtomic
			require.True(t, trace.Conflict(&x, &y), "%v and %v", e.Ev, between.Ev)
		}
	default:
		require.Fail(t, "no rule for this kind of goal", "%v", kind)
	}
}

// FuzzWitness: in well-formed traces, a schedule that is found is a correct reordering that reaches
// the race, and an infeasible pair does not race.
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
				require.True(t, ok && races[p], "%v: %v%s", p, schedule, oracletest.Text(evs))
			case witness.Infeasible:
				require.False(t, truth.Races[p], "%v%s", p, oracletest.Text(evs))
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

// FuzzChecker: the checker does not panic, whatever trace and schedule it is given; of well-formed
// traces it accepts a schedule if and only if the oracle does.
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
						require.Equal(t, ok && races[oracle.Pair{i, j}], err == nil, "%v: %d %d: %v%s", schedule, i, j, err, oracletest.Text(evs))
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
