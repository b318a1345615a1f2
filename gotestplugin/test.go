package gotestplugin

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/racepred/racepred/internal/protocol"
	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/report/collect"
	"github.com/racepred/racepred/internal/report/format"
)

// test is the subcommand: the steps in order.
func (c *call) test(ctx context.Context, argv []string) error {
	a, err := parseArgs(argv)
	if err != nil {
		return err
	}
	j := &job{call: c, args: a, dir: inDir(c.dir, a.dir)}
	if a.dir == "" {
		j.dir = c.dir
	}
	if err := j.applyConfig(); err != nil {
		return err
	}
	if j.report, err = newReportFiles(j.dir, a.report); err != nil {
		return err
	}
	err = j.test(ctx)
	unwritten := j.reportUnrecorded(err)
	if unwritten == nil {
		return err
	}
	var exit exitError
	if err != nil && !errors.As(err, &exit) {
		c.report("test", err)
	}
	return unwritten
}

// test runs the job, after its report files are known.
func (j *job) test(ctx context.Context) (err error) {
	a := j.args
	if err := j.setWaived(); err != nil {
		return err
	}
	if err := j.readOptions(); err != nil {
		return err
	}
	defer func() { j.guard.end(ctx.Err() != nil) }()
	if err := j.findToolchain(ctx); err != nil {
		return cancelled(ctx, err)
	}
	if j.graph, err = j.list(ctx, a.packages); err != nil {
		return cancelled(ctx, err)
	}
	if done, err := j.choosePackages(ctx); done || err != nil {
		return err
	}
	if err := j.checkCover(); err != nil {
		return err
	}
	j.logTests()
	if !j.graph.testable() { // go test knows how to say that
		return j.goTest(ctx)
	}
	if err := j.findIgnores(); err != nil {
		return err
	}
	if err := j.findChanges(ctx); err != nil {
		return cancelled(ctx, err)
	}
	if err := j.makeWorkDir(); err != nil {
		return err
	}
	defer j.removeWorkDir()
	if err := j.report.clear(); err != nil {
		return err
	}
	if j.goEnv.GOTMPDIR == "" && !a.on("work") {
		// Killed by a signal, the go command leaves its temporary files behind.
		j.goCmd.env = append(slices.Clip(j.goCmd.env), "GOTMPDIR="+filepath.Join(j.work, "go"))
	}
	j.begun = time.Now()
	preparing, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	shown := j.startProgress(func() string { return "rewriting the packages" })
	j.vetting = j.startVet(ctx, stop)
	b, err := j.build(preparing)
	failing, vetErr := j.vetting.wait(j.plain())
	shown.stop()
	if vetErr == nil && errors.Is(context.Cause(preparing), errNothingBuilds) {
		return j.goTest(ctx)
	}
	if err := errors.Join(err, vetErr); err != nil {
		return cancelled(ctx, err)
	}
	code, err := j.runAll(ctx, b, failing)
	if err != nil {
		return cancelled(ctx, err)
	}
	if code != exitClean {
		return exitError(code)
	}
	return nil
}

// errNothingBuilds is why a recording build is not prepared to the end: no package under test
// compiles.
var errNothingBuilds = errors.New("no package under test compiles")

// goTest runs plain go test, which says what is wrong with packages that it cannot build. If it
// does build one, that one was not recorded.
func (j *job) goTest(ctx context.Context) error {
	w := newWatcher(j.out, j.args.on("json"))
	r, err := j.goCmd.stream(ctx, streams{j.in, w, j.err}, j.args.plainTest(nil)...)
	w.flush()
	j.testsOver()
	if err != nil {
		return err
	}
	j.unbuilt(w, nil)
	if !j.printsEvents() && r.exit != exitUsage && len(w.failed) > 0 {
		for _, p := range j.graph.named {
			if !w.failed[p.ImportPath] && len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 {
				j.uncovered = append(j.uncovered, report.Uncovered{Package: p.ImportPath, Reason: "racepred took it for one that does not build"})
				fmt.Fprintf(j.err, "racepred: not covered: %s\n", j.uncovered[len(j.uncovered)-1])
			}
		}
	}
	if r.exit != 0 {
		return exitError(r.exit)
	}
	return nil
}

// runAll runs plain go test on the packages that fail vet, so that it says what is wrong, and
// the recording tests of the others.
func (j *job) runAll(ctx context.Context, b *recording, failing []string) (int, error) {
	if len(failing) == 0 {
		return j.record(ctx, b, nil)
	}
	if code, err := j.runFailing(ctx, failing); err != nil || code == exitUsage {
		return code, err
	}
	rest := j.without(failing)
	j.unbuilt(nil, failing)
	if len(rest) == 0 {
		j.testsOver()
		return exitFailed, nil
	}
	code, err := j.record(ctx, b, rest)
	if code != exitUsage {
		code = exitFailed
	}
	return code, err
}

// runFailing runs plain go test on the failing packages: it prints what vet found, and
// does not run their tests.
func (j *job) runFailing(ctx context.Context, failing []string) (int, error) {
	if len(j.args.packages) == 0 {
		failing = nil // the package in dir, in go test's other mode
	}
	r, err := j.goCmd.stream(ctx, j.streams, j.args.plainTest(failing)...)
	if err == nil && r.interrupted {
		err = exitError(exitFailed)
	}
	return r.exit, err
}

// without lists the named packages that are not among the failing ones.
func (j *job) without(failing []string) []string {
	var rest []string
	for _, p := range j.graph.named {
		if !slices.Contains(failing, p.ImportPath) && len(j.args.packages) > 0 {
			rest = append(rest, p.ImportPath)
		}
	}
	return rest
}

// record runs the tests so that they record, and reports. With packages not
// nil, only theirs.
func (j *job) record(ctx context.Context, b *recording, packages []string) (int, error) {
	words := append([]string{"test", "-vet=off", noProfile, "-overlay=" + b.overlay}, b.gcflags...)
	if b.toolexec != "" {
		words = append(words, "-toolexec="+b.toolexec)
	}
	if _, given := j.args.set["count"]; !given {
		words = append(words, "-count=1")
	}
	words = slices.Concat(words, j.args.keepingModules(), j.args.words(packages))

	runDir := filepath.Join(j.work, "run")
	goCmd := b.goCmd
	settings := protocol.Settings{
		Dir: runDir, State: j.states, Root: j.goEnv.root(j.dir), Trace: j.traceDir(),
		Possible: j.args.possible, Seen: b.seen, GOROOT: b.copied, Options: j.options, Silent: j.args.on("json"),
	}
	var err error
	if settings.Waived, err = j.waivedFile(); err != nil {
		return 0, err
	}
	goCmd.env = append(slices.Clip(goCmd.env), settings.Environ()...)
	w := newWatcher(j.out, j.args.on("json"))
	if j.args.on("json") {
		j.events = j.newEvents(w, runDir)
	}
	shown := j.startProgress(j.testing(runDir, w))
	w.to = shown.beneath(w.to)
	var named *originals
	if b.copied != (protocol.Copied{}) {
		named = newOriginals(w.to, b.copied, w.json)
		w.to = named
	}
	errs := &crashFinder{to: shown.beneath(j.err)}
	if j.tests != nil {
		j.tests.err = errs
	}
	start := time.Now()
	r, err := goCmd.stream(ctx, streams{j.in, w, errs}, words...)
	took := time.Since(start)
	w.flush()
	if named != nil {
		named.flush()
	}
	j.testsOver()
	shown.stop()
	if err != nil {
		return 0, err
	}
	if errs.crashed || w.crashed {
		fmt.Fprintln(j.err, crashHint(j.args.instrument))
	}
	b.done()
	run, err := collect.Read(runDir, j.states)
	if err != nil {
		return 0, fmt.Errorf("reading what the tests recorded: %w", err)
	}
	if !r.interrupted {
		j.searchDeferred(ctx, runDir, run, took)
	}
	o := j.outcome(run)
	o.goExit, o.interrupted, o.failed, o.built, o.goPID = r.exit, r.interrupted, w.failed, w.built, r.pid
	if _, given := j.args.set["exec"]; given {
		o.goPID = 0
	}
	j.printLeaks(o)
	if r.interrupted && j.events == nil {
		j.printKept(run.Findings, func(pkg string) bool { return !r.killed && (w.over[pkg] || j.args.streams(len(j.graph.named))) })
	}
	j.uncovered = append(withoutUnbuilt(j.uncovered, w), o.cutShort(w.ends)...)
	j.unbuilt(w, nil)
	if r.interrupted {
		j.uncovered = append(j.uncovered, j.stopped(ctx, w))
	}
	if !findsBlocked(j.goEnv.GOVERSION) {
		j.details = append(j.details, report.Uncovered{Reason: "goroutines that nobody can wake, and cycles of locks that happen: they are found with Go 1.26 and newer"})
	}
	if err := errors.Join(j.writeReport(ctx, o), j.concludeWaived(run.Findings, w.built && !r.interrupted && j.whole())); err != nil {
		return 0, err
	}
	if r.exit == 0 {
		j.sayBuilt(&settings)
	}
	code := o.exitCode()
	if code == exitRaces && r.exit == 0 {
		j.sayPassed()
	}
	return code, nil
}

// newReport is the report of a run.
func (j *job) newReport(run *collect.Run, uncovered []report.Uncovered) *report.Report {
	root := j.goEnv.root(j.dir)
	rep := collect.Merge(run, uncovered, collect.Options{Tool: j.tool(), Root: root, Possible: j.args.possible})
	rep.Dir, rep.LeaksFail, rep.Shard = inRepository(root), j.args.leaksFail(), j.shard
	if j.tests != nil {
		rep.Tests = j.tests.results()
	}
	return rep
}

// writeReport writes the files of -report, and prints what was found and what was not looked at to
// stderr, with -json what belongs to a package as output events, too.
func (j *job) writeReport(ctx context.Context, o *outcome) error {
	rep := j.newReport(o.run, slices.Concat(j.uncovered, j.details))
	if ctx.Err() == nil {
		j.markVetted(ctx, rep.Findings)
	}
	said := slices.DeleteFunc(slices.Clone(rep.Uncovered), func(u report.Uncovered) bool { return slices.Contains(j.details, u) })
	for _, u := range collect.Brief(said) {
		fmt.Fprintf(j.err, "racepred: not covered: %s\n", u)
	}
	j.summary(rep, o)
	if list := format.Directed(rep); j.args.on("v") && list != "" {
		fmt.Fprintf(j.err, "racepred: %s", list)
	}
	if j.events != nil {
		j.events.end(rep, j.later)
	}
	j.gitHub(rep, j.printsEvents())
	j.reported = true
	return j.report.write(rep)
}

// withoutUnbuilt leaves out that a package does not compile: go test says that itself.
func withoutUnbuilt(list []report.Uncovered, w *watcher) []report.Uncovered {
	return slices.DeleteFunc(slices.Clone(list), func(u report.Uncovered) bool {
		return w.unbuilt[u.Package] || !w.built && strings.HasPrefix(u.Reason, doesNotCompile)
	})
}

// candidates says how many proposed pairs have no schedule, and why.
func candidates(s *report.Stats) string {
	if s.Infeasible+s.Unknown == 0 {
		return ""
	}
	return fmt.Sprintf("; candidates: %d, of them %d infeasible, %d unknown", s.Candidates, s.Infeasible, s.Unknown)
}
