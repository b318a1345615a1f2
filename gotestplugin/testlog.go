package gotestplugin

import (
	"bytes"
	"encoding/json"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/racepred/racepred/internal/report"
)

// testLog reads the events of go test -json for the reports that list tests, and prints:
//
// (L1) with -json, the events as they are;
// (L2) otherwise the text that go test would have printed, package by package: with -v all of it,
// without it what the tests that fail have printed, and the line that sums up the package. What
// passing tests print is left out, since the events do not say what of it is from t.Log;
// (L3) the go command's messages about the build, on stderr, as without -json.
type testLog struct {
	to, err io.Writer
	json    bool
	verbose bool // -v, or whatever else makes go test print all
	benches bool // -bench without -v
	single  bool // no package is named: go test prints all of the one that there is

	closed   bool
	line     []byte
	packages map[string]*packageLog
	build    map[string]*strings.Builder // what was said of packages that do not build
}

// packageLog is what is known of a package.
type packageLog struct {
	report.PackageTests                    // without outputs
	running             map[string]int     // tests, by name: places in Tests
	output              strings.Builder    // of no test
	outputs             []*strings.Builder // of the Tests
	lines               []logLine
	ended               bool
}

// logLine is a line of output, and the run of the test that it is of: a place in Tests, -1 for
// none.
type logLine struct {
	test int
	text string
}

// goEvent is a line of go test -json.
type goEvent struct {
	Time, Action, Package, Test, Output, FailedBuild, ImportPath string
	Elapsed                                                      float64
}

func newTestLog(out, err io.Writer, json, verbose, single bool) *testLog {
	return &testLog{to: out, err: err, json: json, verbose: verbose, single: single, packages: map[string]*packageLog{}, build: map[string]*strings.Builder{}}
}

func (l *testLog) Write(p []byte) (int, error) {
	if l.json { // (L1)
		if _, err := l.to.Write(p); err != nil {
			return 0, err
		}
	}
	for line := range bytes.Lines(p) {
		l.line = append(l.line, line...)
		if line[len(line)-1] == '\n' {
			l.end()
		}
	}
	return len(p), nil
}

// end reads a complete line. A line that is no event is printed as it is.
func (l *testLog) end() {
	defer func() { l.line = l.line[:0] }()
	var e goEvent
	if !bytes.HasPrefix(l.line, []byte("{")) || json.Unmarshal(l.line, &e) != nil || e.Action == "" {
		l.print(string(l.line))
		return
	}
	switch e.Action {
	case "build-output":
		said := l.build[e.ImportPath]
		if said == nil {
			said = &strings.Builder{}
			l.build[e.ImportPath] = said
		}
		said.WriteString(e.Output)
		if !l.json { // (L3)
			_, _ = io.WriteString(l.err, e.Output)
		}
		return
	case "build-fail":
		return
	}
	if e.Package == "" {
		l.later(e.Output)
		return
	}
	p := l.packages[e.Package]
	if p == nil {
		p = &packageLog{PackageTests: report.PackageTests{Package: e.Package}, running: map[string]int{}}
		l.packages[e.Package] = p
	}
	l.event(p, &e)
}

func (l *testLog) event(p *packageLog, e *goEvent) {
	switch e.Action {
	case "start":
		p.Started = e.Time
	case "run":
		p.begin(e.Test)
	case "output":
		p.add(e)
		switch {
		case p.ended:
			p.lines = nil
			l.later(e.Output)
		case l.single:
			l.flush(p)
		}
	case "pass", "fail", "skip":
		if e.Test != "" {
			t := p.test(e.Test)
			p.Tests[t].Result, p.Tests[t].Seconds = report.Result(e.Action), e.Elapsed
			break
		}
		p.ended = true
		p.Seconds, p.Failed = e.Elapsed, e.Action == "fail"
		if said := l.build[e.FailedBuild]; said != nil {
			p.output.WriteString(said.String())
		}
		l.flush(p)
	}
}

// test is the place of the test's current or last run. It adds one for a test without a "run"
// event, as benchmarks are.
func (p *packageLog) test(name string) int {
	i, ok := p.running[name]
	if !ok {
		i = p.begin(name)
	}
	return i
}

// begin adds a run of a test.
func (p *packageLog) begin(name string) int {
	i := len(p.Tests)
	p.running[name] = i
	p.Tests = append(p.Tests, report.TestResult{Name: name})
	p.outputs = append(p.outputs, &strings.Builder{})
	return i
}

// add takes in a line of output.
func (p *packageLog) add(e *goEvent) {
	t, to := -1, &p.output
	if e.Test != "" {
		t = p.test(e.Test)
		to = p.outputs[t]
	}
	to.WriteString(e.Output)
	p.lines = append(p.lines, logLine{t, e.Output})
}

// results are the package's tests with what they printed.
func (p *packageLog) results() report.PackageTests {
	all := p.PackageTests
	all.Output = p.output.String()
	all.Tests = slices.Clone(p.Tests)
	for i := range all.Tests {
		all.Tests[i].Output = p.outputs[i].String()
	}
	if !p.ended {
		all.Failed = true
	}
	return all
}

// flush prints what is to be printed of the lines so far. (L2)
func (l *testLog) flush(p *packageLog) {
	if l.json {
		p.lines = nil
		return
	}
	lines := p.lines
	p.lines = nil
	switch {
	case !l.verbose && !l.single:
		lines = p.brief(lines)
	case l.benches:
		lines = p.benches(lines)
	}
	for _, line := range lines {
		if line.test < 0 {
			l.later(line.text)
		} else {
			l.print(line.text)
		}
	}
}

// later prints output that belongs to no test or comes after the end of its package, but not
// racepred's own lines, which are on stderr.
func (l *testLog) later(text string) {
	if !strings.HasPrefix(text, "racepred: ") {
		l.print(text)
	}
}

// brief is what go test prints without -v: of tests that failed or did not end, their result first,
// and of a package that passed its last line.
func (p *packageLog) brief(lines []logLine) (some []logLine) {
	shown := func(t int) bool { return p.Tests[t].Result == report.Failed || p.Tests[t].Result == report.Broken }
	var rest []logLine
	for _, line := range lines {
		switch {
		case line.test >= 0 && (!shown(line.test) || isFrame(line.text)):
		case line.test < 0 && !p.Failed && p.ended && !isLast(line.text):
		default:
			rest = append(rest, line)
		}
	}
	rest = resultsFirst(rest)
	for i := range rest { // go test -json does not set subtests off
		if t := rest[i].test; t >= 0 && (isResult(rest[i].text) || logged.MatchString(rest[i].text)) {
			rest[i].text = strings.Repeat("    ", strings.Count(p.Tests[t].Name, "/")) + rest[i].text
		}
	}
	return rest
}

// resultsFirst puts the result of each test before what the test printed.
func resultsFirst(lines []logLine) []logLine {
	results := map[int]int{} // test -> the last line that looks like its result: it may have printed others
	for i, line := range lines {
		if line.test >= 0 && isResult(line.text) {
			results[line.test] = i
		}
	}
	ordered := make([]logLine, 0, len(lines))
	moved := map[int]bool{} // lines
	for i, line := range lines {
		if at, ok := results[line.test]; ok && at > i && !moved[at] {
			moved[at] = true
			ordered = append(ordered, lines[at])
		}
		if !moved[i] {
			ordered = append(ordered, line)
		}
	}
	return ordered
}

// benches is what go test prints without -v while benchmarks run: not that one begins.
func (p *packageLog) benches(lines []logLine) (some []logLine) {
	for _, line := range lines {
		if t := line.test; t < 0 || !isFrame(line.text) && line.text != p.Tests[t].Name+"\n" {
			some = append(some, line)
		}
	}
	return some
}

// logged matches the first line of what t.Log prints.
var logged = regexp.MustCompile(`^    [^ ]+\.go:\d+: `)

// isFrame reports whether a line only says that a test goes on.
func isFrame(line string) bool {
	for _, word := range []string{"RUN", "PAUSE", "CONT", "NAME"} {
		if strings.HasPrefix(line, "=== "+word) {
			return true
		}
	}
	return false
}

func isResult(line string) bool { return strings.HasPrefix(strings.TrimLeft(line, " "), "--- ") }

// isLast reports whether a line is the one that sums up a package that did not fail.
func isLast(line string) bool {
	return strings.HasPrefix(line, "ok  \t") || strings.HasPrefix(line, "?   \t") || strings.HasPrefix(line, "\t")
}

func (l *testLog) print(text string) {
	if !l.json {
		_, _ = io.WriteString(l.to, text)
	}
}

// close prints, when go test is over, what is left of packages that did not end.
func (l *testLog) close() {
	if l.closed {
		return
	}
	l.closed = true
	if len(l.line) > 0 {
		l.line = append(l.line, '\n')
		l.end()
	}
	failed := len(l.build) > 0
	for _, p := range l.sorted() {
		l.flush(p)
		failed = failed || p.Failed
	}
	if failed && !l.single {
		l.print("FAIL\n")
	}
}

// results are the packages, by import path.
func (l *testLog) results() (all []report.PackageTests) {
	for _, p := range l.sorted() {
		all = append(all, p.results())
	}
	return all
}

func (l *testLog) sorted() (all []*packageLog) {
	for _, p := range l.packages {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b *packageLog) int { return strings.Compare(a.Package, b.Package) })
	return all
}

// logTests has the events of go test taken in, if a report is asked for that lists tests.
func (j *job) logTests() {
	if !slices.ContainsFunc(j.report, func(f reportFile) bool { return f.format.Tests }) {
		return
	}
	a := j.args
	verbose := a.on("v")
	for _, name := range []string{"list", "bench", "fuzz"} {
		_, given := a.set[name]
		verbose = verbose || given
	}
	j.tests = newTestLog(j.out, j.err, a.on("json"), verbose, len(a.packages) == 0)
	_, benches := a.set["bench"]
	j.tests.benches = benches && !a.on("v")
	if !a.on("json") {
		a.set["json"] = "true"
		a.rest = append([]argument{{text: "-json"}}, a.rest...)
	}
	with := *j.call
	with.out = j.tests
	j.call = &with
}

// printsEvents reports whether the user asked for events.
func (j *job) printsEvents() bool { return j.args.on("json") && (j.tests == nil || j.tests.json) }

// testsOver is called when go test is.
func (j *job) testsOver() {
	if j.tests != nil {
		j.tests.close()
	}
}
