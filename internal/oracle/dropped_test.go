package oracle_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/goal"
	"github.com/racepred/racepred/internal/oracle"
	"github.com/racepred/racepred/internal/oracle/oracletest"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/witness"
	"github.com/racepred/racepred/internal/witness/check"
)

// TestWitnessesOfDroppedRepeats compares the witnesses in traces that may lack repeats with all
// schedules that the checker accepts: it gets every order of prefixes in which sections of a lock
// exclude each other.
func TestWitnessesOfDroppedRepeats(t *testing.T) {
	races, found := 0, 0
	reasons := map[string]int{}
	for _, f := range []oracle.Features{{Locks: true}, {Locks: true, Fork: true, RW: true}, oracle.All} {
		for seed := range some(uint64(400)) {
			evs := oracle.Random(rand.New(rand.NewPCG(seed, 5)), 10+int(seed%10), f)
			truth := oracle.Explore(evs, 20_000)
			if !truth.Complete {
				continue
			}
			finder := witness.New(evs, witness.Options{Dropped: true})
			for p := range truth.Races { // races that the checker's assumptions about repeats exclude do not count
				o := orders{evs: evs, checker: check.New(evs, check.Options{Dropped: true}), pair: p, left: 20_000, next: map[trace.G]int{}, held: map[trace.Addr]bool{}}
				if !o.any() {
					continue
				}
				races++
				if a := finder.Find(goal.RaceOf(int32(p[0]), int32(p[1]))); a.Verdict == witness.Feasible {
					found++
				} else {
					require.Equal(t, witness.Unknown, a.Verdict, "seed %d: %v%s", seed, p, oracletest.Text(evs))
					reasons[a.Reason]++
				}
			}
		}
	}
	t.Logf("%d of %d (%s), the others: %v", found, races, percent(found, races), reasons)
	require.Greater(t, races, some(1000))
	require.GreaterOrEqual(t, found*1000, races*998)
}

// orders goes through the orders of prefixes of a trace that end right before a pair.
type orders struct {
	evs     []trace.Event
	checker *check.Checker
	pair    oracle.Pair
	left    int // how many steps it may do
	next    map[trace.G]int
	held    map[trace.Addr]bool
	path    []int32
}

// any reports whether the checker accepts one.
func (o *orders) any() bool {
	if o.left--; o.left < 0 {
		return false
	}
	if o.checker.Check(o.path, goal.RaceOf(int32(o.pair[0]), int32(o.pair[1]))) == nil {
		return true
	}
	for i := range o.evs {
		ev := &o.evs[i]
		if i != o.nextOf(ev.G) || i == o.pair[0] || i == o.pair[1] || ev.Kind == trace.Acquire && o.held[ev.Addr] {
			continue
		}
		was := o.held[ev.Addr]
		switch ev.Kind {
		case trace.Acquire:
			o.held[ev.Addr] = true
		case trace.Release:
			o.held[ev.Addr] = false
		}
		next := o.next[ev.G]
		o.next[ev.G], o.path = i+1, append(o.path, int32(i))
		if o.any() {
			return true
		}
		o.next[ev.G], o.path = next, slices.Delete(o.path, len(o.path)-1, len(o.path))
		if ev.Kind == trace.Acquire || ev.Kind == trace.Release {
			o.held[ev.Addr] = was
		}
	}
	return false
}

// nextOf is the goroutine's next event.
func (o *orders) nextOf(g trace.G) int {
	for i := o.next[g]; i < len(o.evs); i++ {
		if o.evs[i].G == g {
			return i
		}
	}
	return -1
}
