package collect

import (
	"cmp"
	"slices"

	"github.com/racepred/racepred/internal/report"
)

// addStats adds the totals of more to those of to. (M5)
func addStats(to *report.Stats, more *report.Stats) {
	to.Events += more.Events
	to.Filtered += more.Filtered
	to.BusyPositions += more.BusyPositions
	to.Candidates += more.Candidates
	to.Infeasible += more.Infeasible
	to.Unknown += more.Unknown
	to.Evicted += more.Evicted
	to.Seconds += more.Seconds
	to.Rules = report.AddRules(to.Rules, more.Rules)
}

// addPackage adds the totals of a package to those in list, which is sorted. Rules are in the
// totals of the run only.
func addPackage(list []report.PackageStats, pkg string, s *report.Stats) []report.PackageStats {
	if pkg == "" {
		return list
	}
	i, found := slices.BinarySearchFunc(list, pkg, func(p report.PackageStats, pkg string) int { return cmp.Compare(p.Package, pkg) })
	if !found {
		list = slices.Insert(list, i, report.PackageStats{Package: pkg})
	}
	more := *s
	more.Rules = nil
	addStats(&list[i].Stats, &more)
	return list
}
