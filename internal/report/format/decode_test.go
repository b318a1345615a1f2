package format

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/report"
)

func TestDecode(t *testing.T) {
	data, err := JSON.Encode(whole())
	require.NoError(t, err)
	r, err := Decode(data)
	require.NoError(t, err)
	again, err := JSON.Encode(r)
	require.NoError(t, err)
	require.Equal(t, string(data), string(again))
	_, err = Decode([]byte(`{"version":1,"tool":{"name":"racepred"},"findings":[],"later":{"x":1}}`))
	require.NoError(t, err, "a key of a later version")

	for bad, want := range map[string]string{
		"":                            "is no report in JSON: EOF, at byte 0",
		"<html>":                      "is no report in JSON: invalid character '<'",
		`{"version":1}`:               "it has no tool or no findings",
		`{"version":1,"findings":[]}`: "it has no tool or no findings", // a baseline
		`{"version":2,"tool":{"name":"racepred"},"findings":[]}`:                                      "has version 2 of the report's schema, and this racepred reads version 1",
		`{"version":1,"tool":{"name":"racepred"},"findings":[]} x`:                                    "it goes on after its end",
		`{"version":1,"tool":{"name":"racepred"},"findings":[{"kind":"bug"}]}`:                        `finding 1 has the kind "bug"`,
		`{"version":1,"tool":{"name":"racepred"},"findings":[{"kind":"race","verdict":"sure"}]}`:      `finding 1 has the verdict "sure"`,
		`{"version":1,"tool":{"name":"racepred"},"findings":[{"kind":"race","verdict":"observed"}]}`:  "finding 1 has no fingerprint",
		`{"version":1,"tool":{"name":"racepred"},"findings":[{"kind":"race","accesses":{"op":"x"}}]}`: "is no report in JSON: json: cannot unmarshal object",
	} {
		_, err := Decode([]byte(bad))
		require.ErrorContains(t, err, want, bad)
	}
}

func TestLine(t *testing.T) {
	require.Equal(t, "Data race on c.n in TestPut, predicted by wcp: write cache.go:7, read cache.go:9, 1 more [00ff]", Line(&whole().Findings[0]))
	require.Equal(t, "Goroutine leak, observed:  []", Line(&report.Finding{Kind: report.Leak, Verdict: report.Observed}))
}
