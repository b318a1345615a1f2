package wcp_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/wcp"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/trace/gen"
)

func pairs(t *testing.T, text string) (pairs [][2]int) {
	evs, err := trace.Parse(text)
	require.NoError(t, err)
	p := wcp.New(predict.Config{}, func(c predict.Candidate) {
		require.Equal(t, wcp.Name, c.By)
		pairs = append(pairs, [2]int{int(c.First().Ev.Site), int(c.Last().Ev.Site)})
	})
	for i := range evs {
		p.Event(trace.Seq(i), &evs[i])
	}
	return pairs
}

// between puts text between a write of y on g1 and a read of it on g2, and says whether WCP leaves
// them unordered.
func between(t *testing.T, text string) bool {
	return len(pairs(t, "g1 write y\n"+text+"\ng2 read y")) > 0
}

// TestRules has one case for each rule that orders, and its twin that does not.
func TestRules(t *testing.T) {
	for name, c := range map[string]struct{ ordered, not string }{
		"W1": {
			"g1 acquire l\n g1 write x\n g1 release l\n g2 acquire l\n g2 read x\n g2 release l",
			"g1 acquire l\n g1 read x\n g1 release l\n g2 acquire l\n g2 read x\n g2 release l",
		},
		"W1 by bytes": {
			"g1 acquire l\n g1 write x:4\n g1 release l\n g2 acquire l\n g2 read x+3:2\n g2 release l",
			"g1 acquire l\n g1 write x:4\n g1 release l\n g2 acquire l\n g2 read x+4:4\n g2 release l",
		},
		"W1 over a section between": {
			"g1 acquire l\n g1 write x\n g1 release l\n g3 acquire l\n g3 read x\n g3 release l\n g2 acquire l\n g2 read x\n g2 release l",
			"g1 acquire l\n g1 read x\n g1 release l\n g3 acquire l\n g3 read x\n g3 release l\n g2 acquire l\n g2 read x\n g2 release l",
		},
		"W3": {
			"g1 acquire m\n g1 write x\n g1 release m\n g3 acquire m\n g3 read x\n g3 release m\n g3 acquire l\n g3 release l\n g2 acquire l\n g2 release l",
			"g1 acquire m\n g1 write x\n g1 release m\n g3 acquire m\n g3 read x\n g3 release m\n g3 acquire l\n g3 release l\n g2 acquire n\n g2 release n",
		},
		"W4 hard edge": {"g1 hardrelease o\n g2 hardacquire o", "g1 hardrelease o\n g2 hardacquire p"},
		"W4 hard edges only": {
			"g1 hardrelease o\n g3 hardacquire o\n g3 hardrelease p\n g2 hardacquire p",
			"g1 acquire m\n g1 release m\n g3 acquire m\n g3 release m\n g3 hardrelease o\n g2 hardacquire o",
		},
		"W4 no lock after": {
			"g1 hardrelease o\n g3 hardacquire o\n g3 acquire m\n g3 release m\n g3 hardrelease p\n g2 hardacquire p",
			"g1 hardrelease o\n g3 hardacquire o\n g3 acquire m\n g3 release m\n g2 acquire m\n g2 release m",
		},
		"W4 there and back": { // what a goroutine knows by a lock does not come back to it by hard edges
			"g1 hardrelease q\n g3 hardacquire q\n g3 hardrelease o\n g4 hardacquire o\n g4 hardrelease p\n g3 hardacquire p\n g3 hardrelease r\n g2 hardacquire r",
			"g1 acquire m\n g1 release m\n g3 acquire m\n g3 release m\n g3 hardrelease o\n g4 hardacquire o\n g4 hardrelease p\n g3 hardacquire p\n g3 acquire l\n g3 release l\n g2 acquire l\n g2 release l",
		},
		"W5": {
			"g1 racquire l\n g1 write x\n g1 rrelease l\n g2 acquire l\n g2 read x\n g2 release l",
			"g1 racquire l\n g1 write x\n g1 rrelease l\n g2 racquire l\n g2 read x\n g2 rrelease l",
		},
		"W6 a hard section after": {
			"g1 acquire l\n g1 release l\n g2 acquire l hard\n g2 release l",
			"g1 acquire l\n g1 release l\n g2 acquire l\n g2 release l",
		},
		"W6 a hard section before": {
			"g1 acquire l hard\n g1 release l\n g2 acquire l\n g2 release l",
			"g1 acquire l hard\n g1 release l\n g2 acquire m\n g2 release m",
		},
		"W6 a hand-over": {
			"g1 acquire l\n g3 release l\n g2 acquire l",
			"g3 acquire l\n g3 release l\n g2 acquire l",
		},
		"W7": {
			"g1 acquire l\n g2 tryfail l\n g1 release l",
			"g3 acquire l\n g2 tryfail l\n g3 release l",
		},
		"W8": {
			"g1 acquire l\n g1 opaque\n g1 release l\n g2 acquire l\n g2 opaque\n g2 release l",
			"g1 acquire l\n g1 opaque\n g1 release l\n g2 acquire l\n g2 release l\n g2 opaque",
		},
		"W10": {
			"g1 change o\n g1 hardmerge o\n g2 observe o\n g2 hardacquire o",
			"g1 change o\n g1 hardmerge o\n g2 observe o\n g2 change o",
		},
	} {
		t.Run(name, func(t *testing.T) {
			require.False(t, between(t, c.ordered), "ordered")
			require.True(t, between(t, c.not), "not ordered")
		})
	}
}

// TestRuleB: a release that only rule (b) orders, after the write of z by g1, in all modes of the
// two sections. g3's section of the lock comes in between.
func TestRuleB(t *testing.T) {
	for _, first := range []string{"", "r"} {
		for _, second := range []string{"", "r"} {
			text := strings.NewReplacer("FIRST", first, "SECOND", second).Replace(`
				g1 FIRSTacquire l
				g1 acquire m
				g1 write x
				g1 release m
				g1 write z
				g1 FIRSTrelease l
				g3 acquire l
				g3 release l
				g2 acquire m
				g2 read x
				g2 release m
				g2 SECONDacquire l
				g2 SECONDrelease l
				g2 read z`)
			got := pairs(t, text)
			if first == "r" && second == "r" { // (W5)
				require.Equal(t, [][2]int{{5, 14}}, got, "%q %q", first, second)
			} else {
				require.Empty(t, got, "%q %q", first, second)
			}
			require.Equal(t, [][2]int{{5, 13}}, pairs(t, strings.Replace(text, "g2 read x", "", 1)), "%q %q", first, second)
		}
	}
}

// TestSomeOfManyInstances: a pair comes up a thousand times, a few are given out.
func TestSomeOfManyInstances(t *testing.T) {
	text := ""
	for range 1000 {
		text += "g1 write x site=1\n g1 acquire l\n g1 release l\n g2 acquire l\n g2 release l\n g2 read x site=2\n"
	}
	n := len(pairs(t, text))
	require.Greater(t, n, 4)
	require.LessOrEqual(t, n, 32)
}

func TestNoAllocationsInSteadyState(t *testing.T) {
	p, evs := wcp.New(predict.Config{}, func(predict.Candidate) {}), gen.Round()
	run := func() {
		for i := range evs {
			p.Event(0, &evs[i])
		}
	}
	for range 2000 { // until the logs of sections have their size
		run()
	}
	require.LessOrEqual(t, testing.AllocsPerRun(100, run), 1.0)
}

func BenchmarkEvents(b *testing.B) {
	p, evs := wcp.New(predict.Config{}, func(predict.Candidate) {}), gen.Round()
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		for i := range evs {
			p.Event(0, &evs[i])
		}
		n += len(evs)
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "events/s")
}
