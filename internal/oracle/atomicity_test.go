package oracle_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/goal"
	"github.com/racepred/racepred/internal/oracle"
	"github.com/racepred/racepred/internal/oracle/oracletest"
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/hb"
	"github.com/racepred/racepred/internal/predictors"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/witness"
)

// splitters calls f for all pairs of accesses of different goroutines in conflict, in both orders,
// with the oracle's violations of which they are the first two accesses, and with all accesses that
// could be the third.
func splitters(evs []trace.Event, f func(a, b int, thirds []int, truth map[oracle.Triple]bool)) {
	for a := range evs {
		for b := range evs {
			if !trace.Conflict(&evs[a], &evs[b]) {
				continue
			}
			var thirds []int
			for c := a + 1; c < len(evs); c++ {
				if evs[c].G == evs[a].G && trace.Conflict(&evs[b], &evs[c]) {
					thirds = append(thirds, c)
				}
			}
			if len(thirds) == 0 {
				continue
			}
			list, complete := oracle.SplitBy(evs, a, b, 50_000)
			if !complete {
				continue
			}
			truth := map[oracle.Triple]bool{}
			for _, v := range list {
				truth[v] = true
			}
			f(a, b, thirds, truth)
		}
	}
}

func atomicityOf(a, b, c int) goal.Goal {
	return goal.Goal{Kind: goal.Atomicity, Events: []int32{int32(a), int32(b), int32(c)}}
}

// TestAtomicityIsRight asks for a schedule of every triple of random traces: feasible must be a
// violation of the oracle's, infeasible must not.
func TestAtomicityIsRight(t *testing.T) {
	var violations, found, turned, infeasible int
	patterns := map[string]int{}
	reasons := map[string]int{}
	for seed := range uint64(some(2400)) {
		f := oracle.Features{Locks: true, Fork: seed%2 == 0, RW: seed%3 != 0, Updates: seed%5 == 0}
		if seed%4 == 3 {
			f = oracle.All
			f.Locks, f.Lists, f.Mixed = true, seed%8 == 3, seed%16 == 7
		}
		evs := oracle.Random(rand.New(rand.NewPCG(seed, 21)), 10+int(seed%20), f)
		w := witness.New(evs, witness.Options{})
		splitters(evs, func(a, b int, thirds []int, truth map[oracle.Triple]bool) {
			violations += len(truth)
			for _, c := range thirds {
				real := truth[oracle.Triple{a, b, c}]
				switch answer := w.Find(atomicityOf(a, b, c)); answer.Verdict {
				case witness.Feasible:
					require.True(t, real, "seed %d: %d, %d, %d is none after %v%s", seed, a, b, c, answer.Schedule, oracletest.Text(evs))
					patterns[evs[a].Kind.String()[:1]+evs[b].Kind.String()[:1]+evs[c].Kind.String()[:1]]++
					found++
					if b < a || c < b {
						turned++
					}
				case witness.Infeasible:
					require.False(t, real, "seed %d: %d, %d, %d is a violation%s", seed, a, b, c, oracletest.Text(evs))
					infeasible++
				default:
					if real {
						reasons[answer.Reason]++
					}
				}
			}
		})
	}
	t.Logf("%d violations, %d with a schedule, %d of these in another order than in the trace %v; missed: %v; %d triples proven to be none", violations, found, turned, patterns, reasons, infeasible)
	require.Greater(t, found*100, violations*98, "schedules were lost")
	require.Len(t, patterns, 5, "the five patterns that are not serializable")
	require.Greater(t, turned*2, found)
	require.Greater(t, infeasible, some(1600))
}

// TestAtomicityOfRecordings is TestWitnessesOfRecordings for violations of atomicity.
func TestAtomicityOfRecordings(t *testing.T) {
	f := oracle.Features{Fork: true, RW: true, Updates: true, Pins: true}
	var violations, found, dropped int
	for seed := range uint64(some(2400)) {
		evs := protected(oracle.Random(rand.New(rand.NewPCG(seed, 22)), 36+int(seed%20), f))
		kept, at := record(evs)
		dropped += len(evs) - len(kept)
		of := map[int]int{}
		for i, j := range at {
			of[j] = i
		}
		p := hb.New(predict.Config{}, func(predict.Candidate) {})
		for i := range kept {
			p.Event(trace.Seq(i), &kept[i])
		}
		w := witness.New(kept, witness.Options{Dropped: true, Uncertain: func(i int32) string {
			if ev := &kept[i]; (ev.Kind == trace.Read || ev.Append()) && p.Racy(ev.Addr, ev.Size, 0) != hb.Certain {
				return witness.RacyRead
			}
			return ""
		}})
		splitters(evs, func(a, b int, thirds []int, truth map[oracle.Triple]bool) {
			for _, c := range thirds {
				i, ok1 := of[a]
				j, ok2 := of[b]
				k, ok3 := of[c]
				if !ok1 || !ok2 || !ok3 {
					continue
				}
				real := truth[oracle.Triple{a, b, c}]
				if real {
					violations++
				}
				if answer := w.Find(atomicityOf(i, j, k)); answer.Verdict == witness.Feasible {
					require.True(t, real, "seed %d: %d, %d, %d of the run is none: %v\nrun:%s\nrecording:%s", seed, a, b, c, answer.Schedule, oracletest.Text(evs), oracletest.Text(kept))
					found++
				}
			}
		})
	}
	t.Logf("%d accesses dropped; %d violations, %d with a schedule", dropped, violations, found)
	require.NotZero(t, dropped)
	require.GreaterOrEqual(t, found, some(80))
}

// units puts the events of each goroutine into calls of marked functions, some of them nested.
func units(rng *rand.Rand, evs []trace.Event) (all []trace.Event) {
	depth := map[trace.G]int{}
	for _, e := range evs {
		switch {
		case depth[e.G] == 0 || rng.IntN(8) == 0:
			all = append(all, trace.Event{Kind: trace.UnitBegin, Flags: trace.FlagMarked, G: e.G})
			depth[e.G]++
		case rng.IntN(12) == 0:
			all = append(all, trace.Event{Kind: trace.UnitEnd, G: e.G})
			depth[e.G]--
		}
		all = append(all, e)
	}
	for i := range all {
		all[i].Site = trace.Site(i + 1)
	}
	return all
}

// TestAtomicityPredicted compares the predictor, with the search for schedules, with the oracle: no
// violation is false, and most are predicted.
func TestAtomicityPredicted(t *testing.T) {
	var violations, proposed, predicted, missed int
	for seed := range uint64(some(1200)) {
		rng := rand.New(rand.NewPCG(seed, 23))
		evs := units(rng, protected(oracle.Random(rng, 36+int(seed%20), oracle.Features{Fork: seed%2 == 0, RW: true, Updates: true})))
		got := map[oracle.Triple]bool{}
		p := predictors.One("atomicity", predict.Config{Complete: true}, func(c predict.Candidate) {
			got[oracle.Triple{int(c.Events[0].Seq), int(c.Events[1].Seq), int(c.Events[2].Seq)}] = true
		})
		for i := range evs {
			p.Event(trace.Seq(i), &evs[i])
		}
		proposed += len(got)
		w := witness.New(evs, witness.Options{})
		unit, span := outermost(evs), spans(evs)
		of := startedIn(evs, unit)
		splitters(evs, func(a, b int, thirds []int, truth map[oracle.Triple]bool) {
			var real, given, found bool // of the two, with any third one
			for _, c := range thirds {
				v := oracle.Triple{a, b, c}
				mine := unit[a] != 0 && unit[a] == unit[c] && !of[evs[b].G][unit[a]]
				real = real || truth[v] && mine && span[a] != span[c]
				if !got[v] {
					continue
				}
				given = true
				require.True(t, mine, "seed %d: %v is of no unit%s", seed, v, oracletest.Text(evs))
				if answer := w.Find(atomicityOf(a, b, c)); answer.Verdict == witness.Feasible {
					require.True(t, truth[v], "seed %d: %v is none after %v%s", seed, v, answer.Schedule, oracletest.Text(evs))
					found = true
				}
			}
			count := func(n *int, b bool) {
				if b {
					*n++
				}
			}
			count(&violations, real)
			count(&missed, real && !given)
			count(&predicted, found)
		})
	}
	t.Logf("%d violations, %d not proposed; %d proposed, %d of them with a schedule", violations, missed, proposed, predicted)
	require.Greater(t, predicted*100, violations*80, "violations were lost")
	require.Greater(t, violations, some(160))
}

// outermost is by event the beginning of the unit that it is in, plus one: the UnitBegin, or the
// place where its goroutine took a lock again after it had only waited since it gave the lock back.
func outermost(evs []trace.Event) (unit []int) {
	calls := map[trace.G][]int{}
	gave, waited := map[trace.G]trace.Addr{}, map[trace.G]bool{}
	for i, e := range evs {
		spec := e.Kind.Spec()
		switch {
		case spec.Opens && waited[e.G] && gave[e.G] == e.Addr && len(calls[e.G]) > 0:
			calls[e.G][0] = i + 1
		case e.Kind == trace.UnitBegin:
			calls[e.G] = append(calls[e.G], i+1)
		case e.Kind == trace.UnitEnd:
			calls[e.G] = calls[e.G][:len(calls[e.G])-1]
		}
		switch {
		case spec.Closes:
			gave[e.G], waited[e.G] = e.Addr, false
		case spec.Takes && !spec.Gives:
			waited[e.G] = true
		case e.Kind == trace.Read || e.Kind == trace.Write:
			if e.Addr != gave[e.G] {
				gave[e.G] = 0
			}
		case spec.EndsSpan:
			gave[e.G], waited[e.G] = 0, false
		}
		if list := calls[e.G]; len(list) > 0 {
			unit = append(unit, list[0])
		} else {
			unit = append(unit, 0)
		}
	}
	return unit
}

// startedIn has by goroutine the units in which it was started, or one that started it, and so on.
func startedIn(evs []trace.Event, unit []int) map[trace.G]map[int]bool {
	of := map[trace.G]map[int]bool{}
	for i, e := range evs {
		if e.Kind == trace.Fork {
			o := map[int]bool{unit[i]: true}
			maps.Copy(o, of[e.G])
			of[trace.G(e.Other)] = o
		}
	}
	return of
}

// spans numbers each event's span among its goroutine's.
func spans(evs []trace.Event) (list []int) {
	n := map[trace.G]int{}
	for _, e := range evs {
		if e.Kind.Spec().EndsSpan {
			n[e.G]++
		}
		list = append(list, n[e.G])
	}
	return list
}

// protected changes the accesses in sections to ones of a variable of the innermost lock, to reads
// if it is in read mode. It drops most others, since a schedule has no reads of racing bytes.
func protected(evs []trace.Event) (kept []trace.Event) {
	in := map[trace.G][]trace.Event{}
	for i, e := range evs {
		around := in[e.G]
		switch spec := e.Kind.Spec(); {
		case spec.Opens:
			in[e.G] = append(around, e)
		case spec.Closes:
			if at := slices.IndexFunc(around, func(o trace.Event) bool { return o.Addr == e.Addr }); at >= 0 {
				in[e.G] = slices.Delete(around, at, at+1)
			}
		case spec.Access && len(around) == 0 && i%8 > 0:
			continue
		case spec.Access && len(around) > 0:
			lock := around[len(around)-1]
			e.Addr, e.Size, e.Flags = 0x1000+0x40*lock.Addr, 8, e.Flags&trace.FlagUnseen
			if lock.Kind.Spec().Shared {
				e.Kind, e.Flags = trace.Read, 0
			}
		}
		kept = append(kept, e)
	}
	return kept
}
