package format

import (
	"strings"

	"github.com/racepred/racepred/internal/report"
)

// encodeText is what the tests print of the findings, then what was not covered, and the findings counted by verdict.
func encodeText(r *report.Report) ([]byte, error) {
	var b []byte
	for i := range r.Findings {
		b = report.AppendText(b, &r.Findings[i], "")
	}
	for _, u := range r.Uncovered {
		b = append(b, "not covered: "+strings.TrimPrefix(u.Package+": "+u.Reason, ": ")+"\n"...)
	}
	return append(b, Summary(r.Findings)+"\n"...), nil
}
