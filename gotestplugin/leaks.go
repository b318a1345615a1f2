package gotestplugin

import (
	"fmt"
	"slices"

	"github.com/racepred/racepred/internal/report"
)

// leaksFail reports whether leaks fail the run, as -leaks says.
func (a *args) leaksFail() bool {
	return a.leaks == leaksFail || slices.Contains(a.failOn.kinds, report.Leak)
}

// fails reports whether f makes the exit code 66. A leak does only with -leaks=fail.
func (o *outcome) fails(f *report.Finding) bool {
	return f.Fails() || o.leaksFail && f.Kind == report.Leak && f.Waived == ""
}

// printLeaks prints the leaks that fail the run, if go test does not print the output of packages that pass: when packages are named, and without -v.
func (j *job) printLeaks(o *outcome) {
	if !o.leaksFail || j.args.on("json") || j.args.on("v") || len(j.args.packages) == 0 {
		return
	}
	p := report.Printer{Root: j.goEnv.root(j.dir)}
	for i := range o.run.Findings {
		f := &o.run.Findings[i]
		if f.Kind != report.Leak || !o.fails(f) || o.failed[f.Package] {
			continue
		}
		fmt.Fprintf(j.err, "%s", p.Append(nil, f))
	}
}
