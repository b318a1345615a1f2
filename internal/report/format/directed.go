package format

import (
	"fmt"
	"strings"

	"github.com/racepred/racepred/internal/report"
)

// Directed is a line for each pair that is worth a directed run, the most promising first, after
// one that says what they are. It is empty if there are none.
func Directed(r *report.Report) string {
	if len(r.Directed) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "worth a directed run, no findings (%d):\n", len(r.Directed))
	for i := range r.Directed {
		f := &r.Directed[i]
		var at []string
		for j := range f.Accesses {
			a := &f.Accesses[j]
			at = append(at, fmt.Sprintf("%s at %s:%d", a.Op, a.File, a.Line))
		}
		fmt.Fprintf(&b, "  %s %s", f.ID, strings.Join(at, ", "))
		if f.Variable != "" {
			fmt.Fprintf(&b, " (%s)", f.Variable)
		}
		if f.Test != "" {
			fmt.Fprintf(&b, ", %s", f.Test)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
