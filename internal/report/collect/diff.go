package collect

import (
	"cmp"
	"slices"

	"github.com/racepred/racepred/internal/report"
)

// Diff is the difference between two reports.
type Diff struct {
	New     []report.Finding `json:"new"`
	Changed []Change         `json:"changed"`
	Gone    []report.Finding `json:"gone"`
	Unseen  []report.Finding `json:"unseen"` // gone, but of packages that the new report is not about
	Same    int              `json:"same"`
	Fails   bool             `json:"fails"` // something fails in the new report that did not in the old one
}

// Change is a finding that is surer, less sure, waived, or waived no more.
type Change struct {
	Old report.Finding `json:"old"`
	New report.Finding `json:"new"`
}

// Compare compares two reports:
//
// (K1) findings with one fingerprint are the same, even if their lines moved; if a report has
// several with one fingerprint, first those at the same positions are paired, then the others in
// order;
// (K2) a finding changed if its verdict did, or whether it fails;
// (K3) a finding that is gone but is of a package that was not tested counts as unseen; a report
// without a list of packages is about all of them.
func Compare(old, now *report.Report) *Diff {
	d := &Diff{}
	unmatched := map[string][]*report.Finding{}
	for i := range old.Findings {
		f := &old.Findings[i]
		unmatched[f.Fingerprint] = append(unmatched[f.Fingerprint], f)
	}
	partner := make([]*report.Finding, len(now.Findings))
	for _, same := range []func(f, g *report.Finding) bool{
		func(f, g *report.Finding) bool { return positions(f) == positions(g) },
		func(f, g *report.Finding) bool { return true },
	} { // (K1)
		for i := range now.Findings {
			f := &now.Findings[i]
			left := unmatched[f.Fingerprint]
			at := slices.IndexFunc(left, func(g *report.Finding) bool { return same(f, g) })
			if partner[i] == nil && at >= 0 {
				partner[i] = left[at]
				unmatched[f.Fingerprint] = slices.Delete(left, at, at+1)
			}
		}
	}
	for i := range now.Findings {
		f, was := now.Findings[i], partner[i]
		switch {
		case was == nil:
			d.New = append(d.New, f)
			d.Fails = d.Fails || now.Fails(&f)
		case was.Verdict != f.Verdict || old.Fails(was) != now.Fails(&f): // (K2)
			d.Changed = append(d.Changed, Change{*was, f})
			d.Fails = d.Fails || now.Fails(&f) && !old.Fails(was)
		default:
			d.Same++
		}
	}
	for i := range old.Findings {
		f := &old.Findings[i]
		if !slices.Contains(unmatched[f.Fingerprint], f) {
			continue
		}
		if tested(now, f.Package) { // (K3)
			d.Gone = append(d.Gone, *f)
		} else {
			d.Unseen = append(d.Unseen, *f)
		}
	}
	return d
}

func tested(r *report.Report, pkg string) bool {
	if len(r.Packages) == 0 || pkg == "" {
		return true
	}
	_, found := slices.BinarySearchFunc(r.Packages, pkg, func(p report.PackageStats, pkg string) int { return cmp.Compare(p.Package, pkg) })
	return found
}
