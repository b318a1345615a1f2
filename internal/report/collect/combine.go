package collect

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/racepred/racepred/internal/protocol"
	"github.com/racepred/racepred/internal/report"
)

// Combine makes one report of several: the report that one run of all their packages would have
// made:
//
// (C1) findings, pairs worth a directed run, what is not covered and totals are merged by the rules
// of Merge;
// (C2) reports of different modules of a repository have their files relative to the repository's
// root;
// (C3) shards must be of one division, each there once at most; one that is missing is not covered,
// and makes the report incomplete;
// (C4) different versions of racepred or of Go are in the list of what was not covered;
// (C5) their fingerprints are of one version, which the caller has looked at.
func Combine(all []*report.Report) (rep *report.Report, complete bool, err error) {
	missing, err := missingShards(all)
	if err != nil {
		return nil, false, err
	}
	run := &Run{}
	dir, sameDir := all[0].Dir, true
	for _, r := range all {
		sameDir = sameDir && r.Dir == dir
	}
	if !sameDir { // (C2)
		dir = ""
	}
	var packages []report.PackageStats
	leaksFail, fingerprints := false, report.FingerprintVersion
	for _, r := range all {
		below := ""
		if !sameDir {
			below = r.Dir
		}
		if len(r.Findings) > 0 { // (C5)
			fingerprints = r.Fingerprints
		}
		for _, f := range r.Findings {
			run.Findings = append(run.Findings, moved(f, below))
		}
		for _, f := range r.Directed {
			run.Directed = append(run.Directed, moved(f, below))
		}
		run.Processes = append(run.Processes, protocol.Process{Stats: r.Stats, Uncovered: r.Uncovered})
		for _, p := range r.Packages {
			packages = addPackage(packages, p.Package, &p.Stats)
		}
		leaksFail = leaksFail || r.LeaksFail
	}
	rep = Merge(run, append(missing, otherTools(all)...), Options{Tool: all[0].Tool, Possible: true})
	rep.Fingerprints = fingerprints
	rep.Dir, rep.Packages, rep.LeaksFail = dir, packages, leaksFail
	return rep, len(missing) == 0, nil
}

// moved is f with files that are relative to the parent of dir instead of dir.
func moved(f report.Finding, dir string) report.Finding {
	if dir == "" {
		return f
	}
	return renamed(f, func(file string) string {
		if file == "" || path.IsAbs(file) || strings.Contains(file, ":") {
			return file
		}
		return path.Join(dir, file)
	})
}

// otherTools is (C4).
func otherTools(all []*report.Report) (list []report.Uncovered) {
	for _, r := range all[1:] {
		if t := all[0].Tool; r.Tool != t {
			list = append(list, report.Uncovered{Reason: fmt.Sprintf("these reports are of %s %s on %s and of %s %s on %s, which may find different things",
				t.Name, t.Version, t.Go, r.Tool.Name, r.Tool.Version, r.Tool.Go)})
		}
	}
	return list
}

// missingShards is (C3).
func missingShards(all []*report.Report) (missing []report.Uncovered, err error) {
	var of *report.Shard
	seen := map[int]bool{}
	for _, r := range all {
		s := r.Shard
		switch {
		case s == nil:
			continue
		case of == nil:
			of = s
		case s.Of != of.Of:
			return nil, fmt.Errorf("shard %s and shard %s are of different divisions", of, s)
		case s.Deal != of.Deal:
			return nil, fmt.Errorf("shard %s and shard %s have divided the packages differently: they were not run with the same packages and the same -shard-times", of, s)
		}
		if s.Index < 1 || s.Index > s.Of {
			return nil, errors.New("there is no shard " + s.String())
		}
		if seen[s.Index] {
			return nil, fmt.Errorf("shard %s is there twice", s)
		}
		seen[s.Index] = true
	}
	if of == nil {
		return nil, nil
	}
	for i := range of.Of {
		if !seen[i+1] {
			missing = append(missing, report.Uncovered{Reason: fmt.Sprintf("shard %d/%d: its report is missing", i+1, of.Of)})
		}
	}
	return slices.Clip(missing), nil
}
