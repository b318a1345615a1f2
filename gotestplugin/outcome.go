package gotestplugin

import (
	"strings"

	"github.com/racepred/racepred/internal/protocol"
	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/report/collect"
)

// Exit codes. 66 is what -race exits with.
const (
	exitClean  = 0
	exitFailed = 1  // tests or build failed
	exitUsage  = 2  // the command line cannot be meant
	exitRaces  = 66 // findings are the only failures
)

// outcome is what is known after go test ended.
type outcome struct {
	goExit      int
	interrupted bool
	failed      map[string]bool // packages go test says failed
	built       bool            // everything built
	run         *collect.Run
	dirs        map[string]string // directory -> import path of the named packages
	leaksFail   bool              // -leaks=fail
	goPID       int               // the go command's; 0 when test binaries are not its children (-exec)
}

// What -leaks can be.
const (
	leaksReport = "report"
	leaksFail   = "fail"
	leaksOff    = "off"
)

var leakModes = []string{leaksReport, leaksFail, leaksOff}

// exitCode:
//
// (X1) when go test passed: 0, or 66 if a finding that fails a test was made
// where no test could fail for it (in a child process, say);
// (X2) go's own "wrong usage" stays that;
// (X3) when go test failed: 66 if everything was built and each package that
// failed did so because of its races alone, as its own test process says;
// (X4) 1 otherwise: also when a process that failed did not end in order, as a crashed or killed
// one.
func (o *outcome) exitCode() int {
	switch {
	case o.interrupted:
		return exitFailed
	case o.goExit == 0: // (X1)
		for i := range o.run.Findings {
			if o.fails(&o.run.Findings[i]) {
				return exitRaces
			}
		}
		return exitClean
	case o.goExit == 2: // (X2)
		return exitUsage
	}
	failures := 0
	for pkg := range o.failed {
		if !o.exists(pkg) {
			continue // output of a test that looks like go test's
		}
		failures++
		if !o.racesAlone(pkg) {
			return exitFailed
		}
	}
	if failures > 0 && o.built { // (X3)
		return exitRaces
	}
	return exitFailed // (X4)
}

// outcome is the outcome of the processes of run, before the end of go test is known.
func (j *job) outcome(run *collect.Run) *outcome {
	return &outcome{run: run, dirs: j.graph.byDir(), leaksFail: j.args.leaksFail()}
}

// uncovered is what the processes could not look at, as they say.
func (o *outcome) uncovered() (list []report.Uncovered) {
	for i := range o.run.Processes {
		list = append(list, o.run.Processes[i].Uncovered...)
	}
	return list
}

func (o *outcome) exists(pkg string) bool {
	for _, path := range o.dirs {
		if path == pkg {
			return true
		}
	}
	return false
}

// racesAlone reports whether the package's test process says that it failed,
// and because of nothing but races.
func (o *outcome) racesAlone(pkg string) bool {
	ok := false
	for i := range o.run.Processes {
		p := &o.run.Processes[i]
		if !o.started(p) || o.packageOf(p) != pkg || p.Exit == 0 && p.Races == 0 {
			continue // a process with races fails, even when it says 0 at the end
		}
		if p.Failures > 0 || p.Races == 0 && p.Workers == 0 || p.Workers > 0 && !o.workersRaceAlone(p) {
			return false
		}
		ok = true
	}
	return ok
}

// workersRaceAlone is racesAlone for the fuzz workers that p started. Their coordinator stops those
// that are not done.
func (o *outcome) workersRaceAlone(coordinator *protocol.Process) bool {
	ok := false
	for i := range o.run.Processes {
		p := &o.run.Processes[i]
		if p.PPID != coordinator.PID {
			continue
		}
		if p.Failures > 0 {
			return false
		}
		ok = ok || p.Races > 0
	}
	return ok
}

// started reports whether p is a test binary that go test started, and not a
// process that a test started.
func (o *outcome) started(p *protocol.Process) bool {
	if o.goPID != 0 && p.PPID != 0 {
		return p.PPID == o.goPID
	}
	for i := range o.run.Processes {
		if o.run.Processes[i].PID == p.PPID {
			return false
		}
	}
	return true
}

func (o *outcome) packageOf(p *protocol.Process) string {
	if o.exists(p.Package) {
		return p.Package
	}
	if base := strings.TrimSuffix(p.Package, "_test"); o.exists(base) {
		return base
	}
	return o.dirs[p.Dir]
}
