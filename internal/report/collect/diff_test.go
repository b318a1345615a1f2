package collect

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/report"
)

func reportOf(findings ...report.Finding) *report.Report {
	return Merge(&Run{Findings: findings}, nil, Options{Root: "/m", Possible: true})
}

func TestCompare(t *testing.T) {
	a, moved, other := race(report.Predicted, "wcp", 1, 2), race(report.Predicted, "wcp", 11, 12), race(report.Observed, "hb", 1, 2)
	other.Accesses[0].Func, other.Accesses[0].Stack[0].Func, other.Accesses[0].Line = "Other", "m.Other", 50

	same := Compare(reportOf(a), reportOf(moved))
	require.Equal(t, &Diff{Same: 1}, same, "lines moved")

	d := Compare(reportOf(a), reportOf(a, other))
	require.Len(t, d.New, 1)
	require.Equal(t, 1, d.Same)
	require.True(t, d.Fails)
	d = Compare(reportOf(a, other), reportOf(a))
	require.Len(t, d.Gone, 1)
	require.Equal(t, "Other", d.Gone[0].Accesses[0].Func)
	require.False(t, d.Fails)

	possible, waived, observed := a, a, a
	possible.Verdict, waived.Waived, observed.Verdict = report.Possible, "ignored: benign", report.Observed
	for name, c := range map[string]struct {
		old, now report.Finding
		fails    bool
	}{
		"it fails now": {possible, a, true}, "surer": {a, observed, false}, "less sure": {observed, a, false},
		"waived": {a, waived, false}, "waived no more": {waived, a, true},
	} {
		d := Compare(reportOf(c.old), reportOf(c.now))
		require.Len(t, d.Changed, 1, name)
		require.Equal(t, c.fails, d.Fails, name)
	}
}

// TestCompareTwins: two findings with one fingerprint are two, if there are. (K1)
func TestCompareTwins(t *testing.T) {
	a, b := race(report.Observed, "hb", 1, 2), race(report.Predicted, "wcp", 5, 2)
	a.Accesses[0].Expr, b.Accesses[0].Expr = "", ""
	require.Equal(t, &Diff{Same: 2}, Compare(reportOf(a, b), reportOf(b, a)))
	d := Compare(reportOf(a, b), reportOf(b))
	require.Len(t, d.Gone, 1)
	require.Equal(t, 1, d.Gone[0].Accesses[0].Line)
	require.Len(t, Compare(reportOf(b), reportOf(a, b)).New, 1)
}

// TestCompareParts: what a report is not about is not gone. (K3)
func TestCompareParts(t *testing.T) {
	old, now := reportOf(race(report.Observed, "hb", 1, 2)), reportOf()
	now.Packages = []report.PackageStats{{Package: "m/other"}}
	require.Len(t, Compare(old, now).Unseen, 1)
	now.Packages = append([]report.PackageStats{{Package: "m"}}, now.Packages...)
	require.Len(t, Compare(old, now).Gone, 1)
}
