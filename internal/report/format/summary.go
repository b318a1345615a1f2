package format

import (
	"fmt"
	"strings"

	"github.com/racepred/racepred/internal/report"
)

// Summary counts findings by kind and verdict, surest first: "3 races: 1 observed, 2 predicted".
// Silently waived ones are counted separately.
func Summary(findings []report.Finding) string {
	count := map[report.Kind]map[report.Verdict]int{}
	list := shown(findings)
	for i := range list {
		f := &list[i]
		if count[f.Kind] == nil {
			count[f.Kind] = map[report.Verdict]int{}
		}
		count[f.Kind][f.Verdict]++
	}
	var all []string
	for _, k := range report.Kinds {
		total, parts := 0, []string(nil)
		for _, v := range []report.Verdict{report.Confirmed, report.Observed, report.Predicted, report.Possible, report.Static} {
			if n := count[k][v]; n > 0 {
				total += n
				parts = append(parts, fmt.Sprintf("%d %s", n, v))
			}
		}
		if total > 0 {
			all = append(all, k.Count(total)+": "+strings.Join(parts, ", "))
		}
	}
	if len(all) == 0 {
		all = append(all, "no race")
	}
	if waived := len(findings) - len(list); waived > 0 {
		all = append(all, fmt.Sprintf("%d waived", waived))
	}
	return strings.Join(all, "; ")
}
