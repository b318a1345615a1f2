package format

import (
	"bytes"
	"encoding/json"

	"github.com/racepred/racepred/internal/report"
)

// encodeJSON is the report as one JSON object. Lists are never null.
func encodeJSON(r *report.Report) ([]byte, error) {
	out := *r
	out.Findings, out.Directed = full(r.Findings), full(r.Directed)
	out.Uncovered = orEmpty(r.Uncovered)
	return Indented(&out)
}

// Indented is v in JSON, as in all files of racepred: indented, and "<" in a name stays a "<".
func Indented(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return b.Bytes(), err
}

// full are the findings with lists that are not null.
func full(findings []report.Finding) []report.Finding {
	list := make([]report.Finding, len(findings))
	for i, f := range findings {
		f.By = orEmpty(f.By)
		f.Accesses = append([]report.Access{}, f.Accesses...)
		for j := range f.Accesses {
			a := &f.Accesses[j]
			a.Stack, a.Created, a.Locks = orEmpty(a.Stack), orEmpty(a.Created), orEmpty(a.Locks)
		}
		if f.Witness != nil {
			f.Witness = &report.Witness{Events: f.Witness.Events, Steps: orEmpty(f.Witness.Steps)}
		}
		if f.Run != nil {
			f.Run = &report.Run{Steps: orEmpty(f.Run.Steps)}
		}
		list[i] = f
	}
	return list
}

func orEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
