package format

import (
	"fmt"
	"strings"

	"github.com/racepred/racepred/internal/report"
)

// Summary counts findings by verdict, surest first: "3 races: 1 observed, 2 predicted".
func Summary(findings []report.Finding) string {
	if len(findings) == 0 {
		return "no race"
	}
	count := map[report.Verdict]int{}
	for i := range findings {
		count[findings[i].Verdict]++
	}
	var parts []string
	for _, v := range []report.Verdict{report.Confirmed, report.Observed, report.Predicted, report.Possible} {
		if n := count[v]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	noun := "races"
	if len(findings) == 1 {
		noun = "race"
	}
	return fmt.Sprintf("%d %s: %s", len(findings), noun, strings.Join(parts, ", "))
}
