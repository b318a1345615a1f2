package gotestplugin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/report/collect"
)

// reportUnrecorded writes the reports of a job that err ended before any test ran. So no report of
// an earlier run stays in their place, and no report says that nothing was found. After wrong usage
// it writes none.
func (j *job) reportUnrecorded(err error) error {
	var usage usageError
	var input inputError
	if j.reported || len(j.report) == 0 || errors.As(err, &usage) || errors.As(err, &input) {
		return nil
	}
	var exit exitError
	list := slices.Concat(j.uncovered, j.details)
	if err != nil && !errors.As(err, &exit) {
		list = append(list, report.Uncovered{Reason: "no test ran: " + strings.Join(strings.Fields(err.Error()), " ")})
	}
	return j.report.write(j.newReport(&collect.Run{}, list))
}

// unbuilt notes, for the reports, the packages whose tests did not run: those that go test did not
// build, as w knows, and those that fail because of what vet found. On the terminal go test itself
// says so.
func (j *job) unbuilt(w *watcher, vetted []string) {
	for _, path := range vetted {
		j.details = append(j.details, report.Uncovered{Package: path, Reason: "its tests did not run: go vet has something against it"})
	}
	if w == nil {
		return
	}
	var paths []string
	for path := range w.unbuilt {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	for _, path := range paths {
		j.details = append(j.details, report.Uncovered{Package: path, Reason: "its tests did not run: it does not build"})
	}
}

// stopped is what is not covered because a signal ended the run.
func (j *job) stopped(ctx context.Context, w *watcher) report.Uncovered {
	left := -w.count()
	for _, p := range j.graph.named {
		if len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 {
			left++
		}
	}
	reason := fmt.Sprintf("the run was %v", context.Cause(ctx))
	if left > 0 {
		reason += fmt.Sprintf("; packages without a result: %d", left)
	}
	return report.Uncovered{Reason: reason}
}
