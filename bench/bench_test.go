package main

import (
	"errors"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/report"
)

const plainOutput = `{"Action":"run","Package":"m","Test":"TestA"}
{"Action":"pass","Package":"m","Test":"TestA","Elapsed":0.1}
{"Action":"pass","Package":"m","Test":"TestB"}
{"Action":"skip","Package":"m","Test":"TestC"}
not JSON
{"Action":"pass","Package":"m","Elapsed":1.5}
{"Action":"pass","Package":"m/n","Elapsed":0.5}
`

const otherOutput = `{"Action":"pass","Package":"m","Test":"TestA"}
{"Action":"fail","Package":"m","Test":"TestB"}
{"Action":"pass","Package":"m","Test":"TestD"}
{"Action":"fail","Package":"m","Elapsed":1.5}
{"Action":"pass","Package":"m/n","Elapsed":0.5}
`

func gathered(outputs ...string) outcomes {
	o := make(outcomes)
	for _, out := range outputs {
		o.add(readResults(out))
	}
	return o
}

func TestDifferences(t *testing.T) {
	plain := readResults(plainOutput)
	require.Equal(t, 2*time.Second, plain.elapsed)
	require.Equal(t, 3, plain.count())
	require.Empty(t, differences(gathered(plainOutput), gathered(plainOutput)))
	require.Equal(t, []string{
		"m: fail, was pass",
		"m TestB: fail, was pass",
		"m TestC: missing, was skip",
		"m TestD: pass, was missing",
	}, differences(gathered(plainOutput), gathered(otherOutput)))
	require.Empty(t, differences(gathered(plainOutput, otherOutput), gathered(plainOutput, otherOutput)),
		"a test that fails now and then under plain go test may do so")
	require.Equal(t, []string{"m: fail, was pass", "m TestB: fail, was pass", "m TestD: pass, was missing"},
		differences(gathered(plainOutput), gathered(plainOutput, otherOutput)))
}

func TestMedian(t *testing.T) {
	require.Equal(t, time.Duration(0), median(nil))
	require.Equal(t, time.Duration(3), median([]time.Duration{9, 1, 3}))
	require.Equal(t, time.Duration(4), median([]time.Duration{9, 1, 3, 5}))
}

func TestTable(t *testing.T) {
	s := func(n ...time.Duration) Times {
		for i := range n {
			n[i] *= time.Second
		}
		return Times{Wall: n, Tests: n}
	}
	got := table([]*Measured{
		{Module: "m@v1", Tests: 7, Plain: s(1), Race: s(4, 2, 3), Racepred: s(2)},
		{Module: "n@v1", Tests: 3, Differences: []string{"n TestB: fail, was pass"}, RaceReports: 1, Findings: []report.Finding{{
			Verdict: report.Observed, By: []string{"hb"}, Test: "TestB",
			Accesses: []report.Access{{Op: "read", File: "a.go", Line: 1}, {Op: "write", File: "b.go", Line: 2}},
		}}},
	}, 3)
	require.Contains(t, got, "| m@v1 | 7 | 1.00 s (1.00 s) | 3.00 s (3.00 s) | 2.00 s (2.00 s) | same | 0 | none |\n")
	require.Contains(t, got, "| n@v1 | 3 | - | - | - | 1 differ | 1 | 1 observed |\n")
	require.Contains(t, got, "\nn@v1:\n\n- n TestB: fail, was pass\n- observed (hb) TestB: read a.go:1 / write b.go:2\n")
}

func TestWorkloads(t *testing.T) {
	names, err := workloads("workloads", regexp.MustCompile("^(list|matrix)$"))
	require.NoError(t, err)
	require.Equal(t, []string{"list", "matrix"}, names)
	names, err = workloads("workloads", regexp.MustCompile(""))
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(names), 11)
	require.Len(t, modes, nModes)
}

func TestUse(t *testing.T) {
	u, err := use(t.Context(), "", nil, "go", "env", "GOOS")
	require.NoError(t, err)
	require.Positive(t, u.Wall)
	require.Positive(t, u.CPU)
	require.Greater(t, u.Memory, int64(1<<20))
	_, err = use(t.Context(), "", nil, "go", "no-such-subcommand")
	require.ErrorContains(t, err, "no-such-subcommand")
}

func TestWorkloadTable(t *testing.T) {
	one := func(wall, cpu time.Duration, mb int64) Samples {
		return Samples{{wall * time.Second, cpu * time.Second, mb << 20}, {wall * time.Hour, cpu * time.Hour, mb << 30}, {0, 0, 0}}
	}
	a := &workload{Name: "a", Samples: [nModes]Samples{one(1, 1, 10), one(4, 8, 30), one(5, 8, 30), one(2, 2, 15), one(8, 2, 20)}}
	b := &workload{Name: "b", Samples: [nModes]Samples{one(1, 1, 10), one(4, 8, 30), one(5, 8, 30), one(8, 2, 15), one(2, 2, 20)}}
	c := &workload{Name: "c", Err: errors.New("no luck")}
	got := workloadTable([]*workload{a, b, c}, 3)
	require.Contains(t, got, "| a | 1.00 s / 1.00 s / 10 MB | 4.00 s / 8.00 s / 30 MB | 5.00 s | 2.00 s / 2.00 s / 15 MB | 8.00 s / 2.00 s / 20 MB |\n")
	require.Contains(t, got, "| a | 4.00 / 8.00 / 3.00 | 2.00 / 2.00 / 1.50 | 8.00 / 2.00 / 2.00 | 0.50 / 0.25 / 0.25 | 2.00 / 0.25 / 0.50 |\n")
	require.Contains(t, got, "| **geometric mean** | **4.00 / 8.00 / 3.00** | **4.00 / 2.00 / 1.50** | **4.00 / 2.00 / 2.00** | **1.00 / 0.25 / 0.25** | **1.00 / 0.25 / 0.50** |\n")
	require.Contains(t, got, "\nc failed: no luck\n")
}
