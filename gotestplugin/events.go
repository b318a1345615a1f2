package gotestplugin

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/report/collect"
	"github.com/racepred/racepred/internal/waive"
)

// events puts what racepred has to say into the stream of go test -json:
//
// (J1) a finding is output of the test that it was made in, before the event that says that this
// test, or one around it, failed. Test processes print none;
// (J2) what was not covered of a package is output of the package, before the event that it ended;
// (J3) what is known only later is output of the same package after its end, or of no package if it
// belongs to none. It is not output of the test: readers take a test with output after its end for
// one that never ends.
type events struct {
	job    *job
	w      *watcher
	follow *collect.Follow

	outcome *outcome                   // of the processes so far
	waiting []report.Finding           // for the end of their test
	printer map[string]*report.Printer // by package
	over    map[[2]string]bool         // packages and tests that ended
	said    map[report.Uncovered]bool
	at      string // the time of the event that is held
}

// testEvent is a line of go test -json, as far as racepred writes it.
type testEvent struct {
	Time    string // as go test has it
	Action  string
	Package string `json:",omitempty"`
	Test    string `json:",omitempty"`
	Output  string
}

func (j *job) newEvents(w *watcher, runDir string) *events {
	e := &events{
		job: j, w: w, follow: collect.NewFollow(runDir, j.states), outcome: j.outcome(&collect.Run{}), said: map[report.Uncovered]bool{},
		printer: map[string]*report.Printer{}, over: map[[2]string]bool{},
	}
	w.before = e.before
	return e
}

// before is called before an event of go test is handed on.
func (e *events) before(at, action, pkg, test string) {
	e.at = at
	if action == "fail" || test == "" && (action == "pass" || action == "skip") {
		e.next()
		e.findings(func(f *report.Finding) bool {
			return e.packageOf(f) == pkg && (test == "" || f.Test == test || strings.HasPrefix(f.Test, test+"/"))
		})
	}
	switch {
	case test != "":
		e.over[[2]string{pkg, test}] = action != "run"
	case action != "run":
		e.uncovered(e.ofPackage(pkg))
	}
}

// next reads what the test processes have found since the last call.
func (e *events) next() {
	for _, f := range e.follow.Next() {
		if (f.Verdict.Fails() || e.job.args.possible) && !waive.Silent(f.Waived) {
			e.waiting = append(e.waiting, f)
		}
	}
}

// findings prints the waiting findings for which want holds.
func (e *events) findings(want func(f *report.Finding) bool) {
	e.waiting = slices.DeleteFunc(e.waiting, func(f report.Finding) bool {
		if !want(&f) {
			return false
		}
		e.finding(&f)
		return true
	})
}

func (e *events) finding(f *report.Finding) {
	pkg := e.packageOf(f)
	p := e.printer[pkg]
	if p == nil {
		p = &report.Printer{Root: e.job.goEnv.root(e.job.dir)}
		e.printer[pkg] = p
	}
	test := f.Test
	if e.over[[2]string{pkg, test}] { // (J3)
		test = ""
	}
	e.print(pkg, test, p.Append(nil, f))
}

// packageOf is the package under test that f is in, "" for none.
func (e *events) packageOf(f *report.Finding) string { return e.job.graph.tested(f.Package) }

// ofPackage is what was not covered of a package.
func (e *events) ofPackage(pkg string) (list []report.Uncovered) {
	o := e.outcome
	o.run.Processes = e.follow.Processes()
	for _, u := range slices.Concat(withoutUnbuilt(e.job.uncovered, e.w), o.uncovered(), o.cutShort(e.w.ends)) {
		if e.job.graph.tested(u.Package) == pkg {
			list = append(list, u)
		}
	}
	return list
}

// uncovered prints those that were not printed yet.
func (e *events) uncovered(list []report.Uncovered) {
	for _, u := range list {
		if pkg := e.job.graph.tested(u.Package); pkg != "" && !e.said[u] && !slices.Contains(e.job.details, u) {
			e.said[u] = true
			e.print(pkg, "", []byte("racepred: not covered: "+u.String()+"\n"))
		}
	}
}

// end prints what is left when go test is over, and later, the findings of deferred searches. What
// belongs to no package is on stderr: readers of events take an event without a package for one of
// a package without a name.
func (e *events) end(rep *report.Report, later []report.Finding) {
	e.at = time.Now().Format(time.RFC3339Nano)
	e.next()
	e.waiting = append(e.waiting, later...)
	e.findings(func(*report.Finding) bool { return true })
	e.uncovered(rep.Uncovered)
}

func (e *events) print(pkg, test string, text []byte) {
	for line := range bytes.Lines(text) {
		data, err := json.Marshal(testEvent{e.at, "output", pkg, test, string(line)})
		if err == nil {
			_, _ = e.w.to.Write(append(data, '\n'))
		}
	}
}
