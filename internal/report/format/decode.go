package format

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/racepred/racepred/internal/report"
)

// verdicts are the verdicts that findings of reports may have.
var verdicts = []report.Verdict{report.Confirmed, report.Observed, report.Predicted, report.Possible, report.Static}

// Decode reads a report in JSON, of this version of racepred or of another one with the same
// version of the schema. It ignores unknown keys, since later versions may have more.
func Decode(data []byte) (*report.Report, error) {
	var r report.Report
	d := json.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(&r); err != nil {
		return nil, fmt.Errorf("is no report in JSON: %w, at byte %d", err, d.InputOffset())
	}
	if d.More() {
		return nil, fmt.Errorf("is no report in JSON: it goes on after its end, at byte %d", d.InputOffset())
	}
	switch {
	case r.Tool.Name == "" || r.Findings == nil:
		return nil, errors.New("is no report in JSON: it has no tool or no findings")
	case r.Version != report.Version:
		return nil, fmt.Errorf("has version %d of the report's schema, and this racepred reads version %d", r.Version, report.Version)
	}
	r.Fingerprints = max(r.Fingerprints, 1) // reports of version 1 do not say so
	for i := range r.Findings {
		f := &r.Findings[i]
		if !slices.Contains(report.Kinds, f.Kind) {
			return nil, fmt.Errorf("finding %d has the kind %q, which this racepred does not know", i+1, f.Kind)
		}
		if !slices.Contains(verdicts, f.Verdict) {
			return nil, fmt.Errorf("finding %d has the verdict %q, which this racepred does not know", i+1, f.Verdict)
		}
		if f.Fingerprint == "" {
			return nil, fmt.Errorf("finding %d has no fingerprint", i+1)
		}
	}
	return &r, nil
}
