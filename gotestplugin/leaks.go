package gotestplugin

import (
	"fmt"
	"slices"

	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/waive"
)

// leaksFail reports whether leaks fail the run, as -leaks says.
func (a *args) leaksFail() bool {
	return a.leaks == leaksFail || slices.Contains(a.failOn.kinds, report.Leak)
}

// fails reports whether f makes the exit code 66. A leak does only with -leaks=fail.
func (o *outcome) fails(f *report.Finding) bool {
	return f.Fails() || o.leaksFail && f.Kind == report.Leak && f.Waived == ""
}

// hidden reports whether f is a leak in output that go test does not show: that of packages that
// pass, when packages are named, and without -v.
func (j *job) hidden(o *outcome, f *report.Finding) bool {
	return f.Kind == report.Leak && !o.failed[f.Package] && len(j.args.packages) > 0 && !j.args.on("v") && !j.printsEvents()
}

// printLeaks prints the leaks that fail the run, if go test does not.
func (j *job) printLeaks(o *outcome) {
	p := report.Printer{Root: j.goEnv.root(j.dir)}
	for i := range o.run.Findings {
		if f := &o.run.Findings[i]; j.hidden(o, f) && o.fails(f) {
			fmt.Fprintf(j.err, "%s", p.Append(nil, f))
		}
	}
}

// countHidden is how many findings fail nothing, and are shown with -v only.
func (j *job) countHidden(o *outcome, findings []report.Finding) (n int) {
	for i := range findings {
		if f := &findings[i]; j.hidden(o, f) && !o.fails(f) && !waive.Silent(f.Waived) {
			n++
		}
	}
	return n
}
