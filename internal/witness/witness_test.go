package witness_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/goal"
	"github.com/racepred/racepred/internal/oracle"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/witness"
)

func find(t *testing.T, text string, first, second int32, opts witness.Options) witness.Answer {
	evs, err := trace.Parse(text)
	require.NoError(t, err)
	return witness.New(evs, opts).Find(goal.RaceOf(first-1, second-1))
}

// TestAnswers has what comes before in every schedule, rule by rule; events are numbered from 1.
func TestAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		text          string
		first, second int32
		want          witness.Verdict
	}{
		"nothing comes before":           {"g1 write x\n g2 write x", 1, 2, witness.Feasible},
		"P1 own events":                  {"g1 write x\n g1 fork g2\n g2 write x", 1, 3, witness.Infeasible},
		"P1 fork":                        {"g1 fork g2\n g2 write x\n g1 write x", 2, 3, witness.Feasible},
		"P2":                             {"g2 write x\n g1 join g2\n g1 write x", 1, 3, witness.Infeasible},
		"P2 a goroutine without events":  {"g1 write x\n g1 fork g2\n g3 join g2\n g3 write x", 1, 4, witness.Infeasible},
		"P3":                             {"g1 write x\n g1 write y\n g2 read y\n g2 write x", 1, 4, witness.Infeasible},
		"P3 by bytes":                    {"g1 write x\n g1 write y:4\n g2 read y+4:4\n g2 write x", 1, 4, witness.Feasible},
		"P3 allocated":                   {"g1 write x\n g1 alloc y\n g2 read y\n g2 write x", 1, 4, witness.Infeasible},
		"P4":                             {"g1 write x\n g1 hardmerge o\n g2 hardmerge o\n g3 hardacquire o\n g3 write x", 1, 5, witness.Infeasible},
		"P4 replaced":                    {"g1 write x\n g1 hardmerge o\n g2 hardrelease o\n g3 hardacquire o\n g3 write x", 1, 5, witness.Feasible},
		"P5 the later is hard":           {"g1 write x\n g1 acquire l\n g1 release l\n g2 acquire l hard\n g2 release l\n g2 write x", 1, 6, witness.Infeasible},
		"P5 the earlier is hard":         {"g1 write x\n g1 acquire l hard\n g1 release l\n g2 acquire l\n g2 release l\n g2 write x", 1, 6, witness.Infeasible},
		"P5 given back by another":       {"g1 write x\n g1 acquire l hard\n g1 release l\n g2 acquire l\n g3 release l\n g3 write x", 1, 6, witness.Feasible},
		"P5 given back, and goes on":     {"g1 write x\n g1 acquire l hard\n g1 release l\n g2 acquire l\n g3 release l\n g2 write x", 1, 6, witness.Infeasible},
		"P5 the holder goes on":          {"g1 write x\n g1 acquire l hard\n g1 release l\n g2 acquire l\n g2 write y\n g3 read y\n g3 release l\n g3 write x", 1, 8, witness.Infeasible},
		"P6":                             {"g1 write x\n g1 acquire l\n g2 release l\n g2 write x", 1, 4, witness.Infeasible},
		"P7 change":                      {"g1 write x\n g1 change o\n g2 observe o\n g2 write x", 1, 4, witness.Infeasible},
		"P7 opaque":                      {"g1 write x\n g1 acquire l\n g1 opaque\n g1 release l\n g2 acquire l\n g2 opaque\n g2 write x", 1, 7, witness.Infeasible},
		"P8":                             {"g1 write x\n g1 acquire l\n g2 tryfail l\n g2 write x\n g1 release l", 1, 4, witness.Infeasible},
		"P8 no holder":                   {"g1 write x\n g1 acquire l\n g1 release l\n g2 tryfail l\n g2 write x", 1, 5, witness.Infeasible},
		"P9 a section goes first":        {"g1 write x\n g1 acquire l\n g1 release l\n g2 acquire l\n g2 release l\n g2 write x", 1, 6, witness.Feasible},
		"B1 the other order of sections": {"g1 acquire l\n g1 write x\n g1 release l\n g2 acquire l\n g2 release l\n g2 write x", 2, 6, witness.Feasible},
		"a section from before":          {"g2 write y\n g1 write x\n g1 release l\n g2 acquire l\n g2 write x", 2, 5, witness.Infeasible},
		"I2 two sections stay open":      {"g1 acquire l\n g1 write x\n g1 release l\n g2 acquire l\n g2 write y\n g2 write x\n g2 release l", 2, 6, witness.Infeasible},
		"I2 what it writes is read":      {"g1 acquire l\n g1 write y\n g1 write x\n g1 release l\n g2 acquire l\n g2 read y\n g2 release l\n g2 write x", 3, 8, witness.Infeasible},
		"I2 it reads what others write":  {"g1 acquire l\n g1 write y\n g1 release l\n g2 acquire l\n g2 read y\n g2 write x\n g2 release l\n g1 write x", 6, 8, witness.Feasible},
	} {
		t.Run(name, func(t *testing.T) {
			for _, dropped := range []bool{false, true} {
				a := find(t, c.text, c.first, c.second, witness.Options{Dropped: dropped})
				require.Equal(t, c.want, a.Verdict, "dropped %v: %v", dropped, a)
			}
		})
	}
}

// TestSectionsThatComeWithOthers is (I2) for a section that comes into the set only because another
// one has to end: g2's section is excluded by g4's, which stays open, and its second read takes
// from g1's, which has to end as well.
func TestSectionsThatComeWithOthers(t *testing.T) {
	text := "g1 acquire l\n g1 write a\n g1 release l\n" +
		"g2 acquire l\n g2 write b\n g2 read a\n g2 release l\n" +
		"g4 read b\n g4 acquire l\n g4 write x\n g4 release l\n g5 acquire l\n g5 release l\n g5 write x"
	for _, dropped := range []bool{false, true} {
		a := find(t, text, 10, 14, witness.Options{Dropped: dropped})
		require.Equal(t, witness.Feasible, a.Verdict, "%+v", a)
	}
	// Here it cannot end: it has the other access in it.
	text = "g1 acquire l\n g1 write a\n g1 write x\n g1 release l\n" +
		"g2 acquire l\n g2 write b\n g2 read a\n g2 release l\n" +
		"g4 read b\n g4 acquire l\n g4 write x\n g4 release l"
	require.Equal(t, witness.Infeasible, find(t, text, 3, 11, witness.Options{}).Verdict)
}

// TestPartsOfRuns: what is no schedule of a part of a run may be one with what comes before or
// after.
func TestPartsOfRuns(t *testing.T) {
	for name, c := range map[string]struct {
		text          string
		first, second int32
		want, part    witness.Answer
		before        bool
	}{
		"I4 a section ends after it": {
			"g1 acquire l\n g1 write x\n g1 release l\n g2 acquire l\n g2 acquire m\n g2 write z\n g2 release m\n g3 acquire m\n g3 read z\n g3 release m\n g3 write x",
			2, 11, witness.Answer{Verdict: witness.Infeasible}, witness.Answer{Reason: witness.UnknownAfter}, false,
		},
		"I4 a proof without it": {
			"g1 acquire l\n g1 write x\n g1 release l\n g2 acquire l\n g2 write x\n g2 release l", 2, 5,
			witness.Answer{Verdict: witness.Infeasible}, witness.Answer{Verdict: witness.Infeasible}, false,
		},
		"I3 a section from before": {
			"g2 write y\n g1 write x\n g1 release l\n g2 acquire l\n g2 write x", 2, 5,
			witness.Answer{Verdict: witness.Infeasible}, witness.Answer{Reason: witness.UnknownBefore}, true,
		},
		"I3 a proof without it": {
			"g1 release l\n g1 acquire l\n g1 write x\n g1 release l\n g2 acquire l\n g2 write x\n g2 release l", 3, 6,
			witness.Answer{Verdict: witness.Infeasible}, witness.Answer{Verdict: witness.Infeasible}, true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, part := range []bool{false, true} {
				want := c.want
				opts := witness.Options{Before: part && c.before, After: part && !c.before}
				if part {
					want = c.part
				}
				a := find(t, c.text, c.first, c.second, opts)
				require.Equal(t, want, witness.Answer{Verdict: a.Verdict, Reason: a.Reason}, "part: %v", part)
			}
		})
	}
}

// TestSpans: when repeats are dropped, a read waits for the whole span of the write that it reads
// from. Where it cannot, nothing is known.
func TestSpans(t *testing.T) {
	text := "g1 write x\n g1 write y\n g2 read x\n g2 write y"
	require.Equal(t, witness.Feasible, find(t, text, 2, 4, witness.Options{}).Verdict)
	a := find(t, text, 2, 4, witness.Options{Dropped: true})
	require.Equal(t, witness.Unknown, a.Verdict)
	require.Equal(t, witness.Repeats, a.Reason)
	text = "g1 write x\n g1 hardmerge o\n g1 write y\n g2 read x\n g2 write y"
	require.Equal(t, witness.Feasible, find(t, text, 3, 5, witness.Options{Dropped: true}).Verdict)

	// A goroutine may read again what it read in its span, but not by an atomic operation, which
	// would have ended the span.
	text = "g1 read o ATOMIC\n g1 write x\n g1 acquire l\n g1 release l\n g2 acquire l\n g2 release l\n g2 write o ATOMIC\n g2 write x"
	a = find(t, strings.ReplaceAll(text, "ATOMIC", ""), 2, 8, witness.Options{Dropped: true})
	require.Equal(t, witness.Unknown, a.Verdict)
	a = find(t, strings.ReplaceAll(text, "ATOMIC", "atomic"), 2, 8, witness.Options{Dropped: true})
	require.Equal(t, witness.Feasible, a.Verdict)
}

// TestSpansThatOthersBreak: g1 gives back the lock and changes o in one span, and g2's section,
// which saw o before, has to come between the two. (B6)
func TestSpansThatOthersBreak(t *testing.T) {
	text := "g1 fork g2\n g2 acquire l\n g2 observe o\n g2 read o atomic\n g2 write z\n g2 write x\n g2 release l\n g1 acquire l\n g1 release l\n g1 MORE\n g1 change o\n g1 write o atomic\n g1 write x"
	for more, want := range map[string]witness.Verdict{
		"read y":  witness.Feasible,
		"write y": witness.Feasible,
		"read z":  witness.Unknown, // g2 may have written z again, after x
	} {
		text := strings.ReplaceAll(text, "MORE", more)
		require.Equal(t, witness.Feasible, find(t, text, 6, 13, witness.Options{}).Verdict, more)
		require.Equal(t, want, find(t, text, 6, 13, witness.Options{Dropped: true}).Verdict, more)
	}
}

func TestRacyReads(t *testing.T) {
	text := "g1 write y\n g2 read x\n g2 write y"
	racy := func(read int32) func(int32) string {
		return func(i int32) string {
			if i == read {
				return witness.RacyRead
			}
			return ""
		}
	}
	a := find(t, text, 1, 3, witness.Options{Uncertain: racy(1)})
	require.Equal(t, []any{witness.Unknown, witness.RacyRead, true}, []any{a.Verdict, a.Reason, a.Final})
	a = find(t, text, 1, 3, witness.Options{Uncertain: racy(2)})
	require.Equal(t, witness.Feasible, a.Verdict, "the racing accesses themselves do not count")
}

// fig4 is figure 4 of the WCP paper, which needs sections in another order.
const fig4 = `
	g1 acquire l
	g1 acquire m
	g1 release m
	g1 read z
	g1 release l
	g2 acquire m
	g2 acquire n
	g2 acquire x
	g2 write xv
	g2 release x
	g2 release n
	g2 release m
	g3 acquire n
	g3 acquire l
	g3 release l
	g3 acquire x
	g3 read xv
	g3 release x
	g3 write z
	g3 release n`

func TestSearch(t *testing.T) {
	a := find(t, fig4, 4, 19, witness.Options{Dropped: true})
	require.Equal(t, witness.Feasible, a.Verdict)
	require.Equal(t, 1, a.States, "sections are turned round without a search")
}

// TestBudget: a bound that is too small is said, and nothing wrong comes of it.
func TestBudget(t *testing.T) {
	reasons := map[string]int{}
	for seed := range uint64(60) {
		evs := oracle.Random(rand.New(rand.NewPCG(seed, 50)), 40+int(seed%40), oracle.Features{Locks: true, NonLIFO: true, Fork: true, RW: true})
		little, much := witness.New(evs, witness.Options{States: 1}), witness.New(evs, witness.Options{})
		for j := range int32(len(evs)) {
			for i := range j {
				if !trace.Conflict(&evs[i], &evs[j]) {
					continue
				}
				a, b := little.Find(goal.RaceOf(i, j)), much.Find(goal.RaceOf(i, j))
				reasons[a.Reason]++
				if a.Verdict != witness.Unknown && b.Verdict != witness.Unknown {
					require.Equal(t, b.Verdict, a.Verdict)
				}
			}
		}
	}
	t.Log(reasons)
	require.NotZero(t, reasons[witness.Budget])
}

// TestFindersAnswerRepeatedly: what a Finder answers does not depend on what it was asked before.
func TestFindersAnswerRepeatedly(t *testing.T) {
	evs, err := trace.Parse(fig4)
	require.NoError(t, err)
	f := witness.New(evs, witness.Options{})
	rng := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		i, j := int32(rng.IntN(len(evs))), int32(rng.IntN(len(evs)))
		if trace.Conflict(&evs[i], &evs[j]) {
			require.Equal(t, witness.New(evs, witness.Options{}).Find(goal.RaceOf(i, j)), f.Find(goal.RaceOf(i, j)))
		}
	}
}

// sections is a run of workers in sections of a few locks, over variables of their own, between a
// write on g1 and a read on g2.
func sections(n int) []trace.Event {
	evs := []trace.Event{{Kind: trace.Write, G: 1, Addr: 8, Size: 8}}
	for i := range n {
		g, l := trace.G(1+i%4), trace.Addr(8*(i%7))
		evs = append(evs,
			trace.Event{Kind: trace.Acquire, G: g, Addr: l},
			trace.Event{Kind: trace.Write, G: g, Addr: 0x1_0000 * trace.Addr(g), Size: 8},
			trace.Event{Kind: trace.Read, G: g, Addr: 0x1_0000*trace.Addr(g) + 8*l, Size: 8},
			trace.Event{Kind: trace.Release, G: g, Addr: l},
		)
	}
	return append(evs, trace.Event{Kind: trace.Read, G: 2, Addr: 8, Size: 8})
}

func BenchmarkFind(b *testing.B) {
	for name, n := range map[string]int{"events=4k": 1 << 10, "events=256k": 1 << 16} {
		evs := sections(n)
		b.Run("gather/"+name, func(b *testing.B) {
			for b.Loop() {
				witness.New(evs, witness.Options{Dropped: true})
			}
		})
		b.Run("find/"+name, func(b *testing.B) {
			f := witness.New(evs, witness.Options{Dropped: true})
			for b.Loop() {
				if a := f.Find(goal.RaceOf(0, int32(len(evs)-1))); a.Verdict != witness.Infeasible && a.Verdict != witness.Feasible {
					b.Fatal(a.Verdict, a.Reason)
				}
			}
		})
	}
}
