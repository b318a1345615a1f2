package gotestplugin

import (
	"context"
	"fmt"
	"time"

	"github.com/racepred/racepred/internal/offline"
	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/report/collect"
	"github.com/racepred/racepred/internal/waive"
)

// defaultSettle is the time of -settle when it is not given.
const defaultSettle = 30 * time.Second

// settle looks, for the time of -settle, for schedules of the goals that the test processes gave up on, and prints what it finds.
func (j *job) settle(ctx context.Context, runDir string, run *collect.Run) {
	if j.args.settle <= 0 {
		return
	}
	start := time.Now()
	line := statusLine{call: j.call}
	defer line.clear()
	cfg := offline.Config{Waived: &j.waived.rules, Stop: func() error {
		if took := time.Since(start); took > time.Second && line.due() {
			line.show("looking for schedules that the tests had no time for, %d s", int(took.Seconds()))
		}
		if time.Since(start) > j.args.settle {
			return context.DeadlineExceeded
		}
		return ctx.Err()
	}}
	found := cfg.Settle(runDir, run, func(err error) {
		j.uncovered = append(j.uncovered, report.Uncovered{Reason: "what the tests left to settle stays possible: " + err.Error()})
	})
	line.clear()
	for i := range found {
		if waive.Silent(found[i].Waived) {
			continue
		}
		fmt.Fprintf(j.err, "%s", report.AppendText(nil, &found[i], j.goEnv.root(j.dir)))
	}
}
