package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/conformance/tool"
	"github.com/racepred/racepred/internal/report"
)

func TestSuitesTable(t *testing.T) {
	require.GreaterOrEqual(t, len(suites), 12)
	for _, s := range suites {
		require.NotEmpty(t, s.Packages, s.Module)
		require.True(t, strings.HasPrefix(s.Version, "v"), s.Module)
	}
	require.Len(t, suiteModes, nSuiteModes)
}

func TestSuitePage(t *testing.T) {
	u := func(cpu time.Duration, mb int64) Samples { return Samples{{CPU: cpu * time.Second, Memory: mb << 20}} }
	p := &suitePackage{
		Package: "p", Samples: [nSuiteModes]Samples{u(1, 10), u(4, 100), u(2, 50)}, Verdicts: map[report.Verdict]int{report.Predicted: 2, report.Observed: 1},
		Report: &report.Report{Stats: report.Stats{Events: 700, BusyPositions: 3, Candidates: 5}, Uncovered: []report.Uncovered{{Package: "m/p", Reason: "too\nmuch"}}},
	}
	p.fail(1, []byte("--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/sub (0.00s)\nFAIL\n"), errors.New("exit status 1"))
	p.fail(2, []byte("killed\n"), errors.New("signal: killed"))
	q := &suitePackage{Package: ".", Samples: [nSuiteModes]Samples{u(1, 10), u(1, 10), u(3, 200)}, Report: &report.Report{}}
	all := []*measuredSuite{
		{suite: suite{Module: "m", Version: "v1.0.0"}, Packages: []*suitePackage{p, q, {Package: "x", LeftOut: "no go.sum entry"}}},
		{suite: suite{Module: "n", Version: "v1.0.0"}, Packages: []*suitePackage{p}},
		{suite: suite{Module: "o", Version: "v1.0.0"}, LeftOut: "not there"},
	}
	page := suitePage(all, 3)
	for _, want := range []string{
		"| m@v1.0.0 | 2.00 s, 10 MB | 5.00 s, 100 MB | 5.00 s, 200 MB | 2.50 | 2.50 | 1.00 | **2.00** |\n",
		"| n@v1.0.0 | 1.00 s, 10 MB | 4.00 s, 100 MB | 2.00 s, 50 MB | 4.00 | 2.00 | 0.50 | 0.50 |\n",
		"| **geometric mean** | | | | 3.16 | 2.24 | **0.71** | 1.00 |\n",
		"bold is what misses one (1 of 2 modules).",
		"| m/p | 1.00 s, 4.00 s, 2.00 s | 0.50 | 50 MB, 0.50 | 700 | 3 | 0 | 5 | 2 | 1 | 0 |\n",
		"- m/p: failed, -race: TestA\n- m/p: failed, racepred: signal: killed\n- m/p: not covered: m/p too much\n- m/x: left out: no go.sum entry\n",
		"- o@v1.0.0: left out: not there\n",
	} {
		require.Contains(t, page, want)
	}
	data, err := json.Marshal(suiteFigures(all))
	require.NoError(t, err)
	require.Contains(t, string(data), `{"module":"m","version":"v1.0.0","package":"p","cpu_seconds":{"-race":4,"plain":1,"racepred":2}`)
}

func TestSettingsUsage(t *testing.T) {
	for _, args := range [][]string{{}, {"engines=hb"}, {"-rounds", "0", "engines=hb", ""}, {"-modules", "(", "", ""}, {"engines=hbb", ""}, {"", "window"}} {
		var out, errs bytes.Buffer
		require.Equal(t, 2, Run(t.Context(), append([]string{"settings"}, args...), &out, &errs))
		require.Contains(t, errs.String(), "bench: ")
		require.Empty(t, out.String())
	}
}

func TestSuitesUsage(t *testing.T) {
	for _, args := range [][]string{{"-rounds", "0"}, {"x"}, {"-modules", "("}} {
		var out, errs bytes.Buffer
		require.Equal(t, 2, Run(t.Context(), append([]string{"modules"}, args...), &out, &errs))
		require.NotEmpty(t, errs.String())
	}
}

// TestMeasurePackage measures a package of ours, and one that does not exist.
func TestMeasurePackage(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a toolchain")
	}
	dir, err := benchDir(t.Context(), "stress")
	require.NoError(t, err)
	binary, err := tool.Build(t.Context(), t.TempDir())
	require.NoError(t, err)
	c := &suiteConfig{overSuites: overSuites{rounds: 2, timeout: time.Minute}}
	p := c.measurePackage(t.Context(), dir, "atonce", binary, t.TempDir())
	require.Empty(t, p.LeftOut)
	require.Equal(t, [nSuiteModes][]string{}, p.Failed)
	for i := range suiteModes {
		require.Len(t, p.Samples[i], 2)
		require.Positive(t, p.use(i).CPU)
		require.Greater(t, p.use(i).Memory, int64(1<<20))
	}
	require.NotNil(t, p.Report)
	p = c.measurePackage(t.Context(), dir, "nosuch", binary, t.TempDir())
	require.Contains(t, p.LeftOut, "nosuch")
}
