package format

import (
	"bytes"
	"fmt"
	"path"
	"strings"

	"github.com/racepred/racepred/internal/report"
)

// maxAnnotations is how many of a level GitHub shows for a step of a job.
const maxAnnotations = 10

// Annotations are workflow commands for GitHub Actions, which shows them beside the lines that they
// name: one for each finding, those that fail first, and at most maxAnnotations of a level.
func Annotations(r *report.Report) []byte {
	var b bytes.Buffer
	findings := shown(r.Findings)
	for _, command := range []string{"error", "warning", "notice"} {
		n := 0
		for i := range findings {
			f := &findings[i]
			if commandOf(f) != command || len(f.Accesses) == 0 {
				continue
			}
			if n++; n > maxAnnotations {
				continue
			}
			annotate(&b, command, r.Dir, f)
		}
	}
	return b.Bytes()
}

// commandOf is GitHub's word for a finding's level.
func commandOf(f *report.Finding) string {
	if l := level(f); l != "note" {
		return l
	}
	return "notice"
}

func annotate(b *bytes.Buffer, command, dir string, f *report.Finding) {
	first := primary(f)
	var others []string
	for i := range f.Accesses {
		if a := &f.Accesses[i]; i != first {
			others = append(others, fmt.Sprintf("%s, %s:%d", describe(a), inRepository(dir, a.File), a.Line))
		}
	}
	a := &f.Accesses[first]
	fmt.Fprintf(b, "::%s ", command)
	if !path.IsAbs(a.File) {
		fmt.Fprintf(b, "file=%s,line=%d,", inProperty(inRepository(dir, a.File)), max(a.Line, 1))
		if a.Column > 0 {
			fmt.Fprintf(b, "col=%d,", a.Column)
		}
	}
	fmt.Fprintf(b, "title=%s::%s\n", inProperty(ruleOf(f.Kind).title), inMessage(message(f, first, others, func(s string) string { return s })))
}

// inRepository is how GitHub names a file of the report.
func inRepository(dir, file string) string {
	if path.IsAbs(file) {
		return file
	}
	return path.Join(dir, file)
}

// inMessage and inProperty escape what would end a workflow command's message or property.
func inMessage(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func inProperty(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(inMessage(s))
}
