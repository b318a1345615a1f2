package repeats

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/engine"
	"github.com/racepred/racepred/internal/oracle"
	"github.com/racepred/racepred/internal/oracle/oracletest"
	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/trace"
)

func parse(t *testing.T, text string) []trace.Event {
	t.Helper()
	evs, err := trace.Parse(text)
	require.NoError(t, err)
	return evs
}

func TestRules(t *testing.T) {
	for name, text := range map[string]string{
		"a read again":              "g1 read x\n-g1 read x",
		"a write again":             "g1 write x\n-g1 write x",
		"a read of one's own write": "g1 write x\n-g1 read x",
		"a write of what was read":  "g1 read x\ng1 write x\n-g1 read x\n-g1 write x",
		"a part":                    "g1 read x+0:8\n-g1 read x+4:4\ng1 read x+4:8",
		"in parts":                  "g1 read x+0:4\ng1 write x+4:4\n-g1 read x+0:8\ng1 write x+0:8",
		"another goroutine":         "g1 read x\ng2 read x\n-g1 read x",
		"another span":              "g1 read x\ng1 acquire m\ng1 read x\ng1 observe o\ng1 read x",
		"another one's span":        "g1 read x\ng2 acquire m\n-g1 read x",
		"opaque ends no span":       "g1 read x\ng1 opaque\n-g1 read x",
		"a new life":                "g1 read x\ng1 read y\ng2 alloc x\ng1 read x\n-g1 read y",
		"atomics stay":              "g1 read x\ng1 read x atomic\ng1 read x atomic",
		"unseen writes":             "g1 write x unseen\n-g1 write x unseen\ng1 read x\ng1 write x\n-g1 write x unseen\ng1 acquire m\ng1 write x unseen",
	} {
		t.Run(name, func(t *testing.T) {
			var all, want []trace.Event
			dropped := map[int]bool{}
			plain := ""
			n := 0
			for line := range strings.SplitSeq(text, "\n") {
				if line[0] == '-' {
					dropped[n], line = true, line[1:]
				}
				plain += line + "\n"
				n++
			}
			all = parse(t, plain)
			for i, ev := range all {
				if !dropped[i] {
					want = append(want, ev)
				}
			}
			require.Equal(t, want, Drop(all))
		})
	}
}

// racing are the bytes that race, by verdict.
func racing(evs []trace.Event) map[report.Verdict][]trace.Addr {
	found := map[report.Verdict]map[trace.Addr]bool{report.Observed: {}, report.Predicted: {}}
	e := engine.New(engine.Config{}, func(f engine.Finding) {
		if f.Verdict == report.Possible {
			return
		}
		a, b := &f.First().Ev, &f.Last().Ev
		for at := max(a.Addr, b.Addr); at < min(a.Addr+trace.Addr(a.Size), b.Addr+trace.Addr(b.Size)); at++ {
			found[f.Verdict][at] = true
		}
	})
	for _, ev := range evs {
		e.Event(ev)
	}
	e.Flush()
	o, p := found[report.Observed], found[report.Predicted]
	maps.DeleteFunc(p, func(a trace.Addr, _ bool) bool { return o[a] }) // a pair that is left out may be all that is predicted of it
	return map[report.Verdict][]trace.Addr{
		report.Observed:  slices.Sorted(maps.Keys(o)),
		report.Predicted: slices.Sorted(maps.Keys(p)),
	}
}

// TestSameRacingVariables is what the recorder's filter promises: without the repeats, the same
// variables race.
func TestSameRacingVariables(t *testing.T) {
	f := oracle.All
	f.Sizes, f.Alloc = false, false // a variable is one address, with one life
	total, dropped, observed, predicted := 0, 0, 0, 0
	for seed := range uint64(1500) {
		rng := rand.New(rand.NewPCG(seed, 1))
		f.Locks = seed%2 == 0
		all := repeat(rng, oracle.Random(rng, 12+rng.IntN(20), f))
		some := Drop(all)
		with, without := racing(all), racing(some)
		require.Equal(t, with, without, "seed %d:%s", seed, oracletest.Text(all))
		total, dropped = total+len(all), dropped+len(all)-len(some)
		observed, predicted = observed+len(with[report.Observed]), predicted+len(with[report.Predicted])
	}
	require.Greater(t, dropped, total/20)
	require.Positive(t, observed)
	require.Positive(t, predicted)
	t.Logf("%d of %d events left out; %d bytes race, %d are predicted to", dropped, total, observed, predicted)
}

// repeat puts repeats of accesses into a trace, right away or later in the span.
func repeat(rng *rand.Rand, evs []trace.Event) []trace.Event {
	var out []trace.Event
	last := map[trace.G][]trace.Event{}
	for _, ev := range evs {
		out = append(out, ev)
		if !ev.Kind.Spec().Access || ev.Flags&trace.FlagAtomic != 0 {
			last[ev.G] = nil
			continue
		}
		last[ev.G] = append(last[ev.G], ev)
		for rng.IntN(2) == 0 {
			again := last[ev.G][rng.IntN(len(last[ev.G]))]
			out = append(out, again)
		}
	}
	return out
}
