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
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/witness/check"
)

// TestCheckerIsTheDefinition asks the checker, after random correct reorderings and such with
// something wrong, for each event that could come next by its goroutine's order, whether it may;
// and for each pair of accesses that are next, whether they race. The oracle must agree.
func TestCheckerIsTheDefinition(t *testing.T) {
	var steps, races [2]int // refused, accepted
	for seed := range some(uint64(2200)) {
		rng := rand.New(rand.NewPCG(seed, 6))
		f := oracle.All
		f.Mixed, f.Lists = seed%4 == 0, seed%2 == 0
		evs := oracle.Random(rng, 10+int(seed%40), f)
		if len(evs) < 2 {
			continue
		}
		c := check.New(evs, check.Options{})
		for range 4 {
			schedule := oracle.Walk(rng, evs)
			if rng.IntN(4) == 0 && len(schedule) > 1 {
				schedule = damage(rng, schedule, len(evs))
			}
			var can []int
			for e := range evs {
				if next(evs, schedule, e) {
					can = append(can, e)
				}
			}
			for _, e := range can {
				longer := append(slices.Clone(schedule), e)
				_, ok := oracle.Correct(evs, longer)
				err := c.Check(places(longer), goal.RaceOf(0, 1))
				refused := err != nil && strings.Contains(err.Error(), "check: step")
				require.Equal(t, ok, !refused, "seed %d: %d (%v) after %v: %v%s", seed, e, evs[e], schedule, err, oracletest.Text(evs))
				steps[map[bool]int{true: 1}[ok]]++
			}
			now, ok := oracle.Correct(evs, schedule)
			for n, e := range can {
				for _, f := range can[:n] {
					want := ok && now[oracle.Pair{min(e, f), max(e, f)}]
					err := c.Check(places(schedule), goal.RaceOf(int32(e), int32(f)))
					require.Equal(t, want, err == nil, "seed %d: %d and %d after %v: %v%s", seed, e, f, schedule, err, oracletest.Text(evs))
					races[map[bool]int{true: 1}[want]]++
				}
			}
		}
	}
	t.Logf("steps refused and accepted: %v, races: %v", steps, races)
	require.Greater(t, min(steps[0], steps[1], races[1]), some(100))
}

func places(schedule []int) []int32 {
	list := make([]int32, len(schedule))
	for i, e := range schedule {
		list[i] = int32(e)
	}
	return list
}

// next reports whether the schedule has all of the goroutine's events before e, and not e.
func next(evs []trace.Event, schedule []int, e int) bool {
	for i := range e {
		if evs[i].G == evs[e].G && !slices.Contains(schedule, i) {
			return false
		}
	}
	return !slices.Contains(schedule, e)
}

// damage changes one thing about the schedule.
func damage(rng *rand.Rand, schedule []int, n int) []int {
	s := slices.Clone(schedule)
	i, j := rng.IntN(len(s)), rng.IntN(len(s))
	switch rng.IntN(4) {
	case 0:
		s[i], s[j] = s[j], s[i]
	case 1:
		return slices.Delete(s, i, i+1)
	case 2:
		s[i] = rng.IntN(n)
	case 3: // an event moves
		e := s[i]
		s = slices.Delete(s, i, i+1)
		return slices.Insert(s, min(j, len(s)), e)
	}
	return s
}

// TestCheckerOfRecordings: with repeats dropped, the checker refuses schedules that the run itself
// could not have.
func TestCheckerOfRecordings(t *testing.T) {
	for name, c := range map[string]struct {
		events   string
		schedule []int32
		pair     [2]int32
		err      string
	}{
		"the writer's span is not over": {`
			g1 write x
			g1 write y
			g1 release l
			g2 acquire l
			g2 read x
			g2 write y`, []int32{0, 4}, [2]int32{1, 5}, "is not its goroutine's next"},
		"reads in the middle of the writer's span": {`
			g1 write x
			g1 write y
			g1 release m
			g2 read x
			g2 write y`, []int32{0, 3}, [2]int32{1, 4}, "the span of event 0, which it reads from, is not over"},
		"a write between the reads of a span": {`
			g1 read x
			g1 write y
			g1 release m
			g2 write x
			g2 write y`, []int32{0, 3}, [2]int32{1, 4}, "g1 may read again what it read at event 0"},
		"a read of what a span may have written again": {`
			g1 write x
			g2 write x
			g2 hardrelease o
			g2 read x
			g2 write y
			g1 write y`, []int32{0, 1, 2, 3}, [2]int32{4, 5}, "was written within a span of another goroutine"},
		"reads in the middle of the span of one who added": {`
			g1 write x unseen
			g1 write y
			g1 release m
			g2 read x
			g2 write y`, []int32{0, 3}, [2]int32{1, 4}, "the span of event 0, an unseen write"},
		"a read of what a span may have added to again": {`
			g1 write x unseen
			g2 write x
			g2 hardrelease o
			g2 read x
			g2 write y
			g1 write y`, []int32{0, 1, 2, 3}, [2]int32{4, 5}, "was written within a span of another goroutine"},
	} {
		t.Run(name, func(t *testing.T) {
			evs, err := trace.Parse(c.events)
			require.NoError(t, err)
			require.ErrorContains(t, check.New(evs, check.Options{Dropped: true}).Check(c.schedule, goal.RaceOf(c.pair[0], c.pair[1])), c.err)
		})
	}
}
