package format

import (
	"strings"

	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/waive"
)

// encodeText is what the tests print of the findings, then what was not covered, and the findings counted by verdict.
func encodeText(r *report.Report) ([]byte, error) {
	var b []byte
	for i := range r.Findings {
		if waive.Silent(r.Findings[i].Waived) {
			continue
		}
		b = report.AppendText(b, &r.Findings[i], "")
	}
	for _, u := range r.Uncovered {
		b = append(b, "not covered: "+strings.TrimPrefix(u.Package+": "+u.Reason, ": ")+"\n"...)
	}
	return append(b, Summary(r.Findings)+"\n"...), nil
}
