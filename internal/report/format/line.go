package format

import (
	"fmt"
	"strings"

	"github.com/racepred/racepred/internal/report"
)

// Line is a finding in one line: "Data race on c.n in TestPut, predicted by wcp: write cache.go:7,
// read cache.go:9 [00ff]". The last part is its fingerprint.
func Line(f *report.Finding) string {
	var at []string
	for i := range f.Accesses {
		a := &f.Accesses[i]
		at = append(at, fmt.Sprintf("%s %s:%d", a.Op, a.File, a.Line))
	}
	if n := len(f.Also); n > 0 {
		at = append(at, fmt.Sprintf("%d more", n))
	}
	return fmt.Sprintf("%s: %s [%s]", headline(f), strings.Join(at, ", "), f.Fingerprint)
}
