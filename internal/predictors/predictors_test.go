package predictors_test

import (
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predictors"
	"github.com/racepred/racepred/internal/trace"
)

// TestTable holds the rows to what their fields promise.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range predictors.Table {
		require.Regexp(t, `^[a-z]+$`, r.Name)
		require.False(t, seen[r.Name], r.Name)
		seen[r.Name] = true
		require.NotEmpty(t, r.Paper, r.Name)
		require.Positive(t, r.Share, r.Name)
		for _, rule := range predictors.One(r.Name, predict.Config{}, nil).Rules() {
			require.Equal(t, r.Name, rule.By)
		}
	}
	require.Equal(t, []string{"hb", "wcp", "ipa", "deadlock", "atomicity"}, predictors.Default())
	require.Equal(t, "hb", predictors.Names()[0], "it always runs")
}

// TestDocs: docs/predictors.md has a row for each predictor, in the order of the table.
func TestDocs(t *testing.T) {
	page, err := os.ReadFile("../../docs/predictors.md")
	require.NoError(t, err)
	var names []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z]+)` \\|.*\\|$").FindAllSubmatch(page, -1) {
		names = append(names, string(row[1]))
	}
	require.GreaterOrEqual(t, len(names), len(predictors.Table), "docs/predictors.md has a row for each predictor")
	require.Equal(t, predictors.Names(), names[:len(predictors.Table)], "the first table of docs/predictors.md")
}

func TestParse(t *testing.T) {
	for text, want := range map[string][]string{
		"": nil, " , ": nil, "wcp": {"wcp"}, "syncp, hb": {"syncp", "hb"}, "hb+wcp+hb": {"hb", "wcp"},
	} {
		got, err := predictors.Parse(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	are := "; they are " + strings.Join(predictors.Names(), ", ")
	_, err := predictors.Parse("hb,magic")
	require.EqualError(t, err, `there is no predictor "magic"`+are)
	_, err = predictors.New([]string{"HB"}, predict.Config{}, nil)
	require.EqualError(t, err, `there is no predictor "HB"`+are)
	require.Panics(t, func() { predictors.One("magic", predict.Config{}, nil) })
}

// wide is a trace that accesses memory all over 4 GB, half of it in sections of many locks, and
// hands what it knows on at each. Nothing races.
func wide(n int, event func(*trace.Event)) {
	event(&trace.Event{Kind: trace.Fork, G: 1, Other: 2})
	event(&trace.Event{Kind: trace.Fork, G: 1, Other: 3})
	x := uint64(1)
	for i := range n {
		g := trace.G(1 + i%3)
		x = x*6364136223846793005 + 1442695040888963407
		own := trace.Addr(g)<<33 + trace.Addr(x>>32)&^7
		shared := 0x10_0000 + 8*trace.Addr(x>>40%1000)
		lock := 0x8_0000 + 8*(shared>>3%100)
		event(&trace.Event{Kind: trace.Write, G: g, Addr: own, Size: 8, Site: 1})
		event(&trace.Event{Kind: trace.Acquire, G: g, Addr: lock, Site: 2})
		event(&trace.Event{Kind: trace.Write, G: g, Addr: shared, Size: 8, Site: 3})
		event(&trace.Event{Kind: trace.Write, G: g, Addr: own + 8, Size: 8, Site: 4})
		event(&trace.Event{Kind: trace.Release, G: g, Addr: lock, Site: 5})
	}
}

// heap is what is in use after a collection, in bytes.
func heap() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// TestMemoryIsBounded: every predictor keeps to its memory, by its own count and by the heap, and
// says that it forgot something; all of them together do, too.
func TestMemoryIsBounded(t *testing.T) {
	const memory = 8 << 20
	cases := map[string][]string{"all": predictors.Names()}
	for _, name := range predictors.Names() {
		cases[name] = []string{name}
	}
	for name, names := range cases {
		t.Run(name, func(t *testing.T) {
			before := heap()
			s, err := predictors.New(names, predict.Config{Memory: memory, Complete: true}, func(c predict.Candidate) {
				require.Equal(t, predict.Hidden, c.Standing)
			})
			require.NoError(t, err)
			seq := trace.Seq(0)
			wide(20_000, func(ev *trace.Event) {
				s.Event(seq, ev)
				if seq++; seq%20_000 == 0 {
					require.LessOrEqual(t, s.Stats().Memory, memory)
				}
			})
			took := heap() - before
			t.Logf("%d KB in use, %d KB by its own count, %d evictions", took>>10, s.Stats().Memory>>10, s.Stats().Evicted)
			require.Less(t, took, memory+memory/4)
			require.NotZero(t, s.Stats().Evicted)
			runtime.KeepAlive(s)
		})
	}
}
