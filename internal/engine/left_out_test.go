package engine_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/engine"
	"github.com/racepred/racepred/internal/oracle"
	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/trace"
)

// leaving is a recorder that leaves out some of a trace's accesses, as at busy positions
// (rt/runtimehooks/busy.go, internal/records/opaque.go).
type leaving struct {
	rng     *rand.Rand
	kept    []trace.Event
	at      []int // the place of each in the whole trace; -1 for what only says that something was left out
	missing map[int]bool
	busy    map[int]bool // if not nil, only these are left out, and most of them
	held    map[trace.G][]section
}

// section is one that a goroutine is in.
type section struct {
	lock                                 trace.Addr
	hard, observed, missed, wrote, moved bool
}

func (l *leaving) say(k trace.Kind, g trace.G, a trace.Addr, f trace.Flags) {
	l.kept, l.at = append(l.kept, trace.Event{Kind: k, G: g, Addr: a, Flags: f}), append(l.at, -1)
}

// guard adds the events by which the goroutine's sections change or observe the opaque tokens of
// their locks.
func (l *leaving) guard(g trace.G, leftOut, write bool) (marked bool) {
	held := l.held[g]
	for i := range held {
		s := &held[i]
		if s.hard || s.moved {
			continue
		}
		switch {
		case leftOut && write:
			s.moved, marked = true, true
			l.say(trace.Change, g, s.lock|trace.OpaqueTokenBit, 0)
			l.say(trace.Change, g, s.lock+1, 0)
			continue
		case leftOut && !s.missed:
			s.observed, s.missed = true, true
			l.say(trace.Observe, g, s.lock+1, 0)
		case write && !s.wrote:
			s.wrote = true
			l.say(trace.Change, g, s.lock+1, trace.FlagUnseen)
		case !write && !s.observed:
			s.observed = true
			l.say(trace.Observe, g, s.lock|trace.OpaqueTokenBit, 0)
		}
	}
	return marked
}

func (l *leaving) event(i int, ev trace.Event) {
	spec := ev.Kind.Spec()
	if spec.Access && ev.Flags&trace.FlagAtomic == 0 {
		if n := l.rng.IntN(20); n < 7 && l.busy == nil || n < 18 && l.busy[i] {
			l.missing[i] = true
			if l.guard(ev.G, true, ev.Kind == trace.Write) {
				l.say(trace.Opaque, ev.G, 0, 0)
			}
			return
		}
		l.guard(ev.G, false, ev.Kind == trace.Write)
	}
	if spec.Opens {
		if l.rng.IntN(6) == 0 {
			ev.Flags |= trace.FlagHard // taken at a busy position
		}
		l.held[ev.G] = append(l.held[ev.G], section{lock: ev.Addr, hard: ev.Flags&trace.FlagHard != 0})
	}
	if spec.Closes {
		list := l.held[ev.G]
		for k := len(list) - 1; k >= 0; k-- {
			if list[k].lock == ev.Addr {
				l.held[ev.G] = slices.Delete(list, k, k+1)
				break
			}
		}
	}
	l.kept, l.at = append(l.kept, ev), append(l.at, i)
}

// TestWhatIsLeftOutMisleadsNobody compares findings in traces that lack some accesses with the
// races of the whole traces. A prediction may be wrong only where something that was left out
// races.
func TestWhatIsLeftOutMisleadsNobody(t *testing.T) {
	found := map[report.Verdict]int{}
	misled, across := 0, 0
	for seed := range uint64(some(4000)) {
		rng := rand.New(rand.NewPCG(seed, 14))
		evs := oracle.Random(rng, 12+rng.IntN(24), oracle.Features{Locks: true, Fork: true, RW: seed%3 == 0, Hard: seed%4 == 0})
		truth := oracle.Explore(evs, 100_000)
		if !truth.Complete {
			continue
		}
		hb := oracle.HB(evs).Races(evs)
		l := leaving{rng: rng, missing: map[int]bool{}, held: map[trace.G][]section{}}
		for i, ev := range evs {
			l.event(i, ev)
		}
		excuse := false
		for p := range truth.Races {
			excuse = excuse || l.missing[p[0]] || l.missing[p[1]]
		}
		e := engine.New(engine.Config{}, func(f engine.Finding) {
			found[f.Verdict]++
			pair := oracle.Pair{l.at[f.First().Seq], l.at[f.Last().Seq]}
			var events []int
			for _, x := range f.Events {
				events = append(events, l.at[x.Seq])
			}
			switch {
			case f.Verdict == report.Observed:
				require.True(t, hb[pair], "seed %d: observed %v\n%v", seed, pair, l.kept)
			case f.Verdict == report.Predicted && !truth.Shows(f.Goal, events):
				misled++
				require.True(t, excuse, "seed %d: predicted %v, and nothing that was left out races\n%v", seed, events, l.kept)
			case f.Verdict == report.Predicted && len(l.missing) > 0:
				across++
			}
		})
		for _, ev := range l.kept {
			e.Event(ev)
		}
		e.Flush()
	}
	t.Log(found, "misled", misled, "in traces with something left out", across)
	require.Greater(t, found[report.Observed], some(300))
	require.Greater(t, across, some(100))
	require.Less(t, 5*misled, across)
}
