package collect

import (
	"slices"

	"github.com/racepred/racepred/internal/report"
)

// Predict turns the possible finding of process pid at f's positions into a predicted one, with f's
// schedule, and returns it. Its accesses stay as the process described them.
func (run *Run) Predict(pid int, f report.Finding) report.Finding {
	i := run.possible(&f)
	if i < 0 { // the process was killed before it had written it
		run.Findings = append(run.Findings, f)
		return f
	}
	old := &run.Findings[i]
	old.Verdict, old.Note, old.Witness, old.Run = f.Verdict, "", f.Witness, f.Run
	run.resolved(pid, 0)
	return *old
}

// Drop removes the possible finding of process pid at f's positions.
func (run *Run) Drop(pid int, f report.Finding) {
	if i := run.possible(&f); i >= 0 {
		run.Findings = slices.Delete(run.Findings, i, i+1)
		run.resolved(pid, 1)
	}
}

func (run *Run) possible(f *report.Finding) int {
	key := positions(f)
	return slices.IndexFunc(run.Findings, func(old report.Finding) bool {
		return old.Verdict == report.Possible && old.Package == f.Package && positions(&old) == key
	})
}

// resolved counts one unknown pair less, and so many infeasible ones more.
func (run *Run) resolved(pid int, infeasible uint64) {
	for i := range run.Processes {
		if p := &run.Processes[i]; p.PID == pid && p.Stats.Unknown > 0 {
			p.Stats.Unknown--
			p.Stats.Infeasible += infeasible
		}
	}
}
