package format

import (
	"encoding/xml"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/waive"
)

func TestJUnit(t *testing.T) {
	r := whole() // a prediction and a possible race of TestPut in ex.com/m
	made, other, leak := r.Findings[0], r.Findings[0], report.Finding{Kind: report.Leak, Verdict: report.Observed, Package: "ex.com/m", Test: "TestLeak", Fingerprint: "1ea4"}
	other.Test, other.Fingerprint = "TestOther", "0bb0"
	known := other
	known.Waived, known.Fingerprint = waive.ByFailOn+"observed", "0aa0"
	silent := other
	silent.Waived, silent.Fingerprint = waive.ByBaseline, "0cc0"
	r.Findings = []report.Finding{made, other, known, silent, leak}
	r.Tests = []report.PackageTests{
		{Package: "ex.com/m", Started: "2026-11-23T20:00:00Z", Seconds: 1.5, Failed: true, Output: "FAIL\n", Tests: []report.TestResult{
			{Name: "TestPut", Result: report.Failed, Seconds: 0.25, Output: "a \x1b[1m<bold> ]]>\n"},
			{Name: "TestOther", Result: report.Passed}, {Name: "TestLeak", Result: report.Passed},
			{Name: "TestSkip", Result: report.Skipped, Output: "=== RUN   TestSkip\n    x_test.go:3: not today\n--- SKIP: TestSkip (0.00s)\n"},
			{Name: "TestHangs", Output: "panic: test timed out\n"},
		}},
		{Package: "ex.com/m/exit", Failed: true, Output: "exit status 3\n", Tests: []report.TestResult{{Name: "TestOK", Result: report.Passed}}},
		{Package: "ex.com/m/ok", Tests: []report.TestResult{{Name: "TestOK", Result: report.Passed}, {Name: "TestOK", Result: report.Passed}}},
	}
	data, err := encodeJUnit(r)
	require.NoError(t, err)
	var back junitSuites
	require.NoError(t, xml.Unmarshal(data, &back))
	require.Equal(t, []int{12, 2, 2}, []int{back.Tests, back.Failures, back.Errors})
	require.Equal(t, "1.500000", back.Time)
	require.Len(t, back.Suites, 3)

	m := back.Suites[0]
	require.Equal(t, []int{8, 2, 1, 3}, []int{m.Tests, m.Failures, m.Errors, m.Skipped})
	require.Equal(t, "2026-11-23T20:00:00Z", m.Timestamp)
	require.Equal(t, "Data race on c.n in TestPut, predicted by wcp", m.Cases[0].Failure.Message)
	require.Equal(t, "a \uFFFD[1m<bold> ]]>\n", m.Cases[0].Failure.Text)
	require.Nil(t, m.Cases[1].Failure)
	require.Equal(t, "x_test.go:3: not today", m.Cases[3].Skipped.Message)
	require.Equal(t, "it did not end", m.Cases[4].Error.Message)
	require.Equal(t, "Data race on c.n in TestOther, predicted by wcp [0bb0]", m.Cases[5].Name, "its test passed")
	require.Equal(t, "data-race", m.Cases[5].Failure.Type)
	require.Equal(t, "this fails nothing: -fail-on observed", m.Cases[6].Skipped.Message)
	require.Equal(t, "this fails nothing: leaks do not without -leaks=fail", m.Cases[7].Skipped.Message)

	require.Equal(t, "exit status 3\n", back.Suites[1].Cases[1].Error.Text)
	require.Equal(t, []int{2, 0, 0, 0}, []int{back.Suites[2].Tests, back.Suites[2].Failures, back.Suites[2].Errors, back.Suites[2].Skipped})

	r.LeaksFail = true
	data, err = encodeJUnit(r)
	require.NoError(t, err)
	require.NoError(t, xml.Unmarshal(data, &back))
	require.Equal(t, 3, back.Failures)
}
