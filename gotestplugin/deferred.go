package gotestplugin

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/racepred/racepred/internal/offline"
	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/report/collect"
	"github.com/racepred/racepred/internal/waive"
)

// defaultSearchTime is the most that -search-time is when it is not given, and leastSearchTime the
// least: who waited little for the tests is not to wait much longer for this.
const (
	defaultSearchTime = 30 * time.Second
	leastSearchTime   = 10 * time.Second
)

// searchDeferred searches schedules of the goals that the test processes gave up on, for at most
// the time of -search-time, and prints what it finds. took is how long go test took.
func (j *job) searchDeferred(ctx context.Context, runDir string, run *collect.Run, took time.Duration) {
	most := min(max(took, leastSearchTime), defaultSearchTime)
	if given := j.args.searchTime; given != nil {
		most = *given
	}
	if most <= 0 {
		return
	}
	start := time.Now()
	line := statusLine{call: j.call}
	defer line.clear()
	cfg := offline.Config{Waived: &j.waived.rules, Stop: func() error {
		if took := time.Since(start); took > time.Second && line.due() {
			line.show("looking for schedules that the tests had no time for, %d s", int(took.Seconds()))
		}
		if time.Since(start) > most {
			return context.DeadlineExceeded
		}
		return ctx.Err()
	}}
	found := cfg.SearchDeferred(runDir, run, func(err error) {
		j.uncovered = append(j.uncovered, report.Uncovered{Reason: "what the tests left to be searched for stays possible: " + err.Error()})
	})
	line.clear()
	j.later = slices.DeleteFunc(found, func(f report.Finding) bool { return waive.Silent(f.Waived) })
	if j.events != nil {
		return
	}
	p := report.Printer{Root: j.goEnv.root(j.dir)}
	for i := range j.later {
		fmt.Fprintf(j.err, "%s", p.Append(nil, &j.later[i]))
	}
}
