package oracle_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/goal"
	"github.com/racepred/racepred/internal/oracle"
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/hb"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/witness"
)

// splitters calls f for all pairs of accesses of different goroutines in conflict, in both orders, with the oracle's violations of which they are the first two
// accesses, and with all accesses that could be the third.
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

// TestAtomicityIsRight asks for a schedule of every triple of random traces: feasible must be a violation of the oracle's, infeasible must not.
func TestAtomicityIsRight(t *testing.T) {
	var violations, found, turned, infeasible int
	patterns := map[string]int{}
	reasons := map[string]int{}
	for seed := range uint64(1200) {
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
					require.True(t, real, "seed %d: %d, %d, %d is none after %v%s", seed, a, b, c, answer.Schedule, text(evs))
					patterns[evs[a].Kind.String()[:1]+evs[b].Kind.String()[:1]+evs[c].Kind.String()[:1]]++
					found++
					if b < a || c < b {
						turned++
					}
				case witness.Infeasible:
					require.False(t, real, "seed %d: %d, %d, %d is a violation%s", seed, a, b, c, text(evs))
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
	require.Greater(t, infeasible, 800)
}

// TestAtomicityOfRecordings is TestWitnessesOfRecordings for violations of atomicity.
func TestAtomicityOfRecordings(t *testing.T) {
	f := oracle.Features{Fork: true, RW: true, Updates: true, Pins: true}
	var violations, found, dropped int
	for seed := range uint64(600) {
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
					require.True(t, real, "seed %d: %d, %d, %d of the run is none: %v\nrun:%s\nrecording:%s", seed, a, b, c, answer.Schedule, text(evs), text(kept))
					found++
				}
			}
		})
	}
	t.Logf("%d accesses dropped; %d violations, %d with a schedule", dropped, violations, found)
	require.NotZero(t, dropped)
	require.Greater(t, found, 20)
}

// protected has the accesses in sections be of a variable of the innermost one's lock, reads where it is one in read mode, and leaves out most others: reads of what races
// are no part of a schedule.
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
