package engine_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/engine"
	"github.com/racepred/racepred/internal/oracle"
	"github.com/racepred/racepred/internal/records"
	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/trace"
)

// repeated is a trace with sections, of one access at most, that their goroutine repeats: right
// after the section, or later, but before it does something else. busy are the places of the
// accesses in these sections.
func repeated(rng *rand.Rand, evs []trace.Event) (out []trace.Event, busy map[int]bool) {
	busy = map[int]bool{}
	type copied struct {
		evs    []trace.Event
		left   int // how many times
		second int // the place of evs[1]
	}
	last := map[trace.G][]trace.Event{} // the goroutine's events since it last took a lock
	second := map[trace.G]int{}         // the place of the second of these
	again := map[trace.G]*copied{}
	holders := map[trace.Addr]map[trace.G]bool{} // by lock; true in write mode
	free := func(c *copied) bool {
		first := c.evs[0]
		for g, writes := range holders[first.Addr] {
			if g != first.G && (writes || first.Kind == trace.Acquire) || g == first.G {
				return false
			}
		}
		return true
	}
	repeat := func(c *copied) {
		c.left--
		busy[len(out)+1], busy[c.second] = true, true
		out = append(out, c.evs...)
	}
	for _, ev := range evs {
		for g := trace.G(1); g < 8; g++ {
			if c := again[g]; c != nil && c.left > 0 && g != ev.G && rng.IntN(3) == 0 && free(c) {
				repeat(c)
			}
		}
		if c := again[ev.G]; c != nil {
			for c.left > 0 && free(c) {
				repeat(c)
			}
			delete(again, ev.G)
		}
		out = append(out, ev)
		spec := ev.Kind.Spec()
		if spec.Opens {
			last[ev.G] = nil
			if holders[ev.Addr] == nil {
				holders[ev.Addr] = map[trace.G]bool{}
			}
			holders[ev.Addr][ev.G] = ev.Kind == trace.Acquire
		}
		if last[ev.G] = append(last[ev.G], ev); len(last[ev.G]) == 2 {
			second[ev.G] = len(out) - 1
		}
		if spec.Closes {
			delete(holders[ev.Addr], ev.G)
			if l := last[ev.G]; len(l) <= 3 && l[0].Kind.Spec().Opens && l[0].Addr == ev.Addr && (len(l) == 2 || l[1].Kind.Spec().Access && l[1].Flags == 0) {
				again[ev.G] = &copied{l, rng.IntN(4), second[ev.G]}
			}
		}
	}
	return out, busy
}

// TestJoinedSections compares findings in traces with joined sections (records/N1) with the races
// of the traces with all of them, which lack accesses as in TestWhatIsLeftOutMisleadsNobody. Where
// the lock is taken again, other goroutines may have come in between.
func TestJoinedSections(t *testing.T) {
	found, joined, misled, lost := map[report.Verdict]int{}, 0, 0, 0
	for seed := range uint64(some(6000)) {
		rng := rand.New(rand.NewPCG(seed, 41))
		evs, busy := repeated(rng, oracle.Random(rng, 10+rng.IntN(16), oracle.Features{Locks: true, Fork: true, RW: seed%2 == 0, Hard: seed%4 == 0}))
		truth := oracle.Explore(evs, 100_000)
		if !truth.Complete {
			continue
		}
		hb := oracle.HB(evs).Races(evs)
		l := leaving{rng: rng, missing: map[int]bool{}, held: map[trace.G][]section{}, busy: busy}
		for i, ev := range evs {
			l.event(i, ev)
		}
		excuse := false
		for p := range truth.Races {
			excuse = excuse || l.missing[p[0]] || l.missing[p[1]]
		}
		predictions := func(kept []trace.Event, at []int) (n int) {
			e := engine.New(engine.Config{}, func(f engine.Finding) {
				found[f.Verdict]++
				pair := oracle.Pair{at[f.First().Seq], at[f.Last().Seq]}
				var events []int
				for _, x := range f.Events {
					events = append(events, at[x.Seq])
				}
				switch {
				case f.Verdict == report.Observed:
					require.True(t, hb[pair], "seed %d: observed %v\n%v\n%v", seed, pair, l.kept, kept)
				case f.Verdict == report.Predicted && !truth.Shows(f.Goal, events):
					misled++
					require.True(t, excuse, "seed %d: predicted %v, and nothing that was left out races\n%v\n%v", seed, events, l.kept, kept)
				case f.Verdict == report.Predicted:
					n++
				}
			})
			for _, ev := range kept {
				e.Event(ev)
			}
			e.Flush()
			return n
		}
		var kept []trace.Event
		var at []int
		j := records.Joiner{Deliver: func(ev *trace.Event) {
			e := *ev
			place := -1
			if k := e.Kind; k == trace.Read || k == trace.Write || k == trace.Acquire || k == trace.RAcquire {
				place, e.Other = int(e.Other)-1, 0
			}
			kept, at = append(kept, e), append(at, place)
		}}
		for i, ev := range l.kept {
			if k := ev.Kind; k == trace.Read || k == trace.Write || k == trace.Acquire || k == trace.RAcquire {
				ev.Other = uint32(l.at[i] + 1)
			}
			j.Event(&ev, false)
			if rng.IntN(20) == 0 {
				j.Flush() // a merge ends
			}
		}
		j.Flush()
		joined += (len(l.kept) - len(kept)) / 2
		lost += max(0, predictions(l.kept, l.at)-predictions(kept, at))
	}
	t.Log(found, "joined", joined, "misled", misled, "lost", lost)
	require.Greater(t, joined, some(2000))
	require.Greater(t, found[report.Predicted], some(120))
	require.Less(t, 5*misled, found[report.Predicted])
	require.Less(t, 20*lost, found[report.Predicted])
}
