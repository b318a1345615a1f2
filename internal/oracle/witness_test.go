package oracle_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/goal"
	"github.com/racepred/racepred/internal/oracle"
	"github.com/racepred/racepred/internal/oracle/oracletest"
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/hb"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/witness"
)

// conflicts lists all pairs of accesses that could race as far as kinds and bytes go.
func conflicts(evs []trace.Event) (pairs []oracle.Pair) {
	for j := range evs {
		for i := range j {
			if trace.Conflict(&evs[i], &evs[j]) {
				pairs = append(pairs, oracle.Pair{i, j})
			}
		}
	}
	return pairs
}

// TestWitnessesAreRight asks for a witness of every conflicting pair of random traces with
// everything in them. Feasible must be a race of the oracle, Infeasible must not.
func TestWitnessesAreRight(t *testing.T) {
	var races, found, unknown int
	reasons := map[string]int{}
	for seed := range uint64(800) {
		f := oracle.All
		f.Mixed, f.Lists = seed%8 == 1, seed%2 == 0
		if seed%3 == 0 {
			f = oracle.Features{Fork: true, Unseen: true, Atomic: true, Hard: true, Pins: true}
		}
		evs := oracle.Random(rand.New(rand.NewPCG(seed, 3)), 8+int(seed%20), f)
		truth := oracle.Explore(evs, 200_000)
		if !truth.Complete {
			continue
		}
		w := witness.New(evs, witness.Options{})
		for _, p := range conflicts(evs) {
			a := w.Find(goal.RaceOf(int32(p[0]), int32(p[1])))
			switch a.Verdict {
			case witness.Feasible:
				require.True(t, truth.Races[p], "seed %d: %v has no witness, not %v%s", seed, p, a.Schedule, oracletest.Text(evs))
				found++
			case witness.Infeasible:
				require.False(t, truth.Races[p], "seed %d: %v is feasible%s", seed, p, oracletest.Text(evs))
			default:
				reasons[a.Reason]++
				if truth.Races[p] {
					unknown++
				}
			}
			if truth.Races[p] {
				races++
			}
		}
	}
	t.Logf("%d races, %d with a witness, %d unknown; reasons for unknown, races or not: %v", races, found, unknown, reasons)
	require.Greater(t, found*100, races*98, "witnesses were lost")
}

// record drops what the recorder drops: accesses, other than atomic reads, that repeat one of the
// same kind and bytes in their span, and plain unseen writes of bytes that the span wrote; of
// appends to lists nothing. It returns the places of those that stay.
func record(evs []trace.Event) (kept []trace.Event, at []int) {
	type access struct {
		kind  trace.Kind
		flags trace.Flags
		addr  trace.Addr
		size  uint32
	}
	spans := map[trace.G]map[access]bool{}
	for i, e := range evs {
		spec := e.Kind.Spec()
		if spec.EndsSpan || spans[e.G] == nil {
			spans[e.G] = map[access]bool{}
		}
		if atomic := e.Flags&trace.FlagAtomic != 0; spec.Access && e.Flags&trace.FlagAppend == 0 && !(atomic && (e.Unseen() || e.Kind == trace.Read)) {
			k := access{e.Kind, e.Flags, e.Addr, e.Size}
			if spans[e.G][k] || spans[e.G][access{e.Kind, e.Flags &^ trace.FlagUnseen, e.Addr, e.Size}] {
				continue
			}
			spans[e.G][k] = true
		}
		if e.Kind == trace.Alloc {
			clear(spans[e.G])
		}
		kept = append(kept, e)
		at = append(at, i)
	}
	return kept, at
}

// TestWitnessesOfRecordings finds witnesses in what a recorder leaves of a run: they must hold in
// the run itself.
func TestWitnessesOfRecordings(t *testing.T) {
	f := oracle.All
	f.Sizes, f.Alloc, f.Lists = false, false, true
	var races, found, dropped int
	for seed := range uint64(1500) {
		evs := oracle.Random(rand.New(rand.NewPCG(seed, 4)), 8+int(seed%20), f)
		truth := oracle.Explore(evs, 200_000)
		if !truth.Complete {
			continue
		}
		kept, at := record(evs)
		dropped += len(evs) - len(kept)
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
		for _, c := range conflicts(kept) {
			real := oracle.Pair{at[c[0]], at[c[1]]}
			if truth.Races[real] {
				races++
			}
			switch a := w.Find(goal.RaceOf(int32(c[0]), int32(c[1]))); a.Verdict {
			case witness.Feasible:
				found++
				require.True(t, truth.Races[real], "seed %d: %v of the recording, %v of the run, is not feasible: %v\nrun:%s\nrecording:%s",
					seed, c, real, a.Schedule, oracletest.Text(evs), oracletest.Text(kept))
			}
		}
	}
	t.Logf("%d accesses dropped; %d races, %d with a witness", dropped, races, found)
	require.NotZero(t, dropped)
	require.NotZero(t, found)
}
