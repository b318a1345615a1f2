package collect

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/protocol"
	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/report/format"
)

// TestCombineIsOneRun: however the packages of a run are divided, the reports of the parts make the
// report of the whole.
func TestCombineIsOneRun(t *testing.T) {
	verdicts := []report.Verdict{report.Observed, report.Predicted, report.Possible, report.Reachable}
	for seed := range uint64(300) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		whole, parts := &Run{}, make([]*Run, 1+rnd.IntN(4))
		for i := range parts {
			parts[i] = &Run{}
		}
		for pkg := range 1 + rnd.IntN(6) {
			part := parts[rnd.IntN(len(parts))]
			p := protocol.Process{PID: pkg, Package: fmt.Sprint("m/p", pkg), Stats: report.Stats{
				Events: rnd.Uint64N(100), Seconds: float64(rnd.IntN(64)) / 64, Rules: []report.Rule{{Predictor: "wcp", Rule: "a", Fired: rnd.Uint64N(5)}},
			}}
			if rnd.IntN(3) == 0 {
				p.Uncovered = []report.Uncovered{{Package: fmt.Sprint("m/", rnd.IntN(2)), Reason: "uses cgo"}}
			}
			whole.Processes, part.Processes = append(whole.Processes, p), append(part.Processes, p)
			for range rnd.IntN(5) {
				f := race(verdicts[rnd.IntN(len(verdicts))], []string{"hb", "wcp"}[rnd.IntN(2)], 1+rnd.IntN(3), 1+rnd.IntN(3))
				f.Package, f.Test, f.Rank = p.Package, fmt.Sprint("Test", rnd.IntN(2)), 1+rnd.IntN(1000)
				f.Accesses[1].Op = []string{"read", "write"}[rnd.IntN(2)]
				if f.Accesses[0].Line == 3 || f.Accesses[1].Line == 3 {
					f.Waived = "ignored: benign"
				}
				whole.Add(f)
				part.Add(f)
			}
		}
		o := Options{Root: "/m", Tool: report.Tool{Name: "racepred", Version: "v1", Go: "go1.26.8"}, Possible: true}
		want := Merge(whole, nil, o)
		var reports []*report.Report
		for i, p := range parts {
			r := Merge(p, nil, o)
			r.Shard = &report.Shard{Index: i + 1, Of: len(parts), Deal: "x"}
			reports = append(reports, r)
		}
		rnd.Shuffle(len(reports), func(i, j int) { reports[i], reports[j] = reports[j], reports[i] })
		got, complete, err := Combine(reports)
		require.NoError(t, err)
		require.True(t, complete)
		require.Equal(t, text(t, want), text(t, got), "seed %d", seed)
	}
}

// text is the report in JSON, which is all of it, but for ranks that tie and the order of rules.
func text(t *testing.T, r *report.Report) string {
	slices.SortFunc(r.Stats.Rules, func(a, b report.Rule) int { return int(a.Fired) - int(b.Fired) })
	data, err := format.JSON.Encode(r)
	require.NoError(t, err)
	return string(data)
}

func TestCombineShards(t *testing.T) {
	shard := func(i, of int, deal string) *report.Report {
		return &report.Report{Version: 1, Shard: &report.Shard{Index: i, Of: of, Deal: deal}}
	}
	rep, complete, err := Combine([]*report.Report{shard(3, 3, "x"), shard(1, 3, "x"), {Version: 1}})
	require.NoError(t, err)
	require.False(t, complete)
	require.Equal(t, []report.Uncovered{{Reason: "shard 2/3: its report is missing"}}, rep.Uncovered)
	require.Nil(t, rep.Shard)
	for want, reports := range map[string][]*report.Report{
		"different divisions":              {shard(1, 3, "x"), shard(2, 2, "x")},
		"divided the packages differently": {shard(1, 2, "x"), shard(2, 2, "y")},
		"shard 1/2 is there twice":         {shard(1, 2, "x"), shard(1, 2, "x")},
		"there is no shard 3/2":            {shard(3, 2, "x")},
	} {
		_, _, err := Combine(reports)
		require.ErrorContains(t, err, want)
	}
}

// TestCombineModules: files of two modules of a repository that have the same name are two files.
func TestCombineModules(t *testing.T) {
	tool := report.Tool{Name: "racepred", Version: "v1", Go: "go1.26.8"}
	one := Merge(&Run{Findings: []report.Finding{race(report.Observed, "hb", 1, 2)}}, nil, Options{Root: "/m", Tool: tool})
	two := Merge(&Run{Findings: []report.Finding{race(report.Observed, "hb", 1, 2)}}, nil, Options{Root: "/m", Tool: tool})
	two.Dir = "tools"
	two.Tool.Go = "go1.25.5"
	rep, _, err := Combine([]*report.Report{one, two})
	require.NoError(t, err)
	require.Len(t, rep.Findings, 2)
	require.Equal(t, []string{"a.go", "tools/a.go"}, []string{rep.Findings[0].Accesses[0].File, rep.Findings[1].Accesses[0].File})
	require.Equal(t, "tools/a.go", rep.Findings[1].Accesses[0].Stack[0].File)
	require.Contains(t, rep.Uncovered[0].Reason, "racepred v1 on go1.26.8 and of racepred v1 on go1.25.5")
	two.Dir = ""
	rep, _, err = Combine([]*report.Report{one, two})
	require.NoError(t, err)
	require.Len(t, rep.Findings, 1)
}
