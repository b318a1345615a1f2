package format

import (
	"github.com/racepred/racepred/internal/report"
)

// encodeText is what the tests print of the findings, then what was not covered, and the findings counted by verdict.
func encodeText(r *report.Report) ([]byte, error) {
	var b []byte
	for _, f := range shown(r.Findings) {
		b = report.AppendText(b, &f, "")
	}
	for _, u := range r.Uncovered {
		b = append(b, "not covered: "+u.String()+"\n"...)
	}
	return append(b, Summary(r.Findings)+"\n"...), nil
}
