package gotestplugin

import (
	"fmt"

	"github.com/racepred/racepred/internal/report"
)

// maxListed is how many known findings are listed one by one.
const maxListed = 10

// sayMissing prints which findings of the baseline did not turn up: a line each after a run of all
// tests, and their number after any other. It counts those of packages that were not tested
// separately.
func (j *job) sayMissing(found []report.Finding, whole bool) {
	b := j.waived.baseline
	tested := map[string]bool{"": true}
	for _, p := range j.graph.named {
		tested[p.ImportPath] = true
	}
	gone, others := b.missing(found, func(pkg string) bool { return tested[pkg] })
	if len(gone) > 0 {
		fmt.Fprintf(j.err, "racepred: baseline: %d of its %d findings did not turn up in this run\n", len(gone), len(b.Findings))
	}
	if others > 0 {
		fmt.Fprintf(j.err, "racepred: baseline: %d of its %d findings are of packages that were not tested\n", others, len(b.Findings))
	}
	if whole {
		j.listKnown("did not turn up", gone)
	}
}

// listKnown lists entries of a baseline, a line each.
func (c *call) listKnown(what string, list []knownFindings) {
	for i := range list[:min(len(list), maxListed)] {
		fmt.Fprintf(c.err, "racepred: baseline: %s: %s\n", what, &list[i])
	}
	if more := len(list) - maxListed; more > 0 {
		fmt.Fprintf(c.err, "racepred: baseline: %s: %d more\n", what, more)
	}
}
