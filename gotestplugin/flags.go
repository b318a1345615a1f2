package gotestplugin

import (
	"strconv"
	"strings"

	"github.com/racepred/racepred/internal/engine"
	"github.com/racepred/racepred/internal/predictors"
	"github.com/racepred/racepred/internal/report/format"
)

// A flagSpec is one flag of `racepred test`. The table is the only place that
// knows flags: parser, help and the test against the toolchain's own help walk it.
type flagSpec struct {
	name  string
	owner owner
	// boolean flags take no value from the next argument.
	boolean bool
	// load marks build flags that decide which files belong to a package or
	// where they come from: go list, go vet and the rewriter need them too.
	load bool
	// refuse is why the flag cannot be used together with racepred.
	refuse string
	// help of racepred's own flags: the value's name and a sentence.
	value, help string
	config      inConfig // whether and how the file of -config may have it
	by          actor
}

// actor is where one of racepred's flags acts.
type actor uint8

const (
	byBuild   actor = iota // when the recording binary is built, or packages are chosen
	byProcess              // in the test process, which is told by its environment
	byCommand              // in the command that runs the tests
)

type owner uint8

const (
	ownRacepred owner = iota // racepred's own, never handed on
	ownBuild                 // a build flag (go help build)
	ownTest                  // a flag of the go test command itself
	ownBinary                // handed on to the test binary (go help testflag)
)

const refuseSanitizer = "racepred records through the hooks that -race, -msan and -asan use; leave the flag out"

// flagTable lists every flag by owner, sorted by name.
var flagTable = []flagSpec{
	{name: "atomicity", owner: ownRacepred, config: valueInConfig, boolean: true,
		help: "Also take two consecutive sections of one lock in one function for one step, where the second acts on what the first read: report accesses of other goroutines that may come between. Functions marked //racepred:atomic are looked at without it."},
	{name: "baseline", owner: ownRacepred, by: byCommand, config: fileInConfig, value: "file",
		help: "Findings that are in this file are known: they fail no test and are not printed. Those that did not turn up are said. 'racepred baseline write' writes such a file, too."},
	{name: "baseline-update", owner: ownRacepred, by: byCommand, boolean: true,
		help: "Add what would have failed a test to the file of -baseline, instead of failing for it."},
	{name: "config", owner: ownRacepred, value: "file|off",
		help: "Take settings from this file, for flags that are not given; off: from none. The default is .racepred.yaml in the root of the module, or in a directory above it up to the root of the repository. docs/config.md has the settings."},
	{name: "deps", owner: ownRacepred, config: listInConfig, value: "auto|off|all|pattern[,...]",
		help: "Which dependencies are recorded. auto, the default: those that import sync or sync/atomic, and what they need of their own module, so that their locks do not hide races of yours. all: each of them. A pattern: those whose import path matches, beside those of auto; a package of the library, too. off: none, or, before patterns, these alone. May be repeated."},
	{name: "engines", owner: ownRacepred, by: byProcess, config: wordsInConfig, value: "list",
		help: strings.ReplaceAll(enginesHelp(), "`", "") + " The default is " + strings.Join(predictors.Default(), ",") + "; the others cost more."},
	{name: "exclude", owner: ownRacepred, config: listInConfig, value: "pattern[,pattern]",
		help: "Leave packages that match out of those that a pattern with \"...\" names. They are recorded where the others need them. May be repeated."},
	{name: "fail-on", owner: ownRacepred, by: byCommand, config: wordsInConfig, value: "level[,kind...]",
		help: "What fails tests: findings that are observed, those that are at least predicted, or none. With kinds, of " + kindNames() + ", only these; a leak does so if it is named. The others are reported all the same. The default is predicted."},
	{name: "instrument", owner: ownRacepred, config: valueInConfig, value: "auto|all|compiler",
		help: "Who records the named packages. auto: the rewriter, without accesses that provably stay within one goroutine or repeat one that is recorded, and the compiler for packages that cannot be rewritten. all: as auto, but without leaving anything out. compiler: the compiler's hooks only."},
	{name: "keep", owner: ownRacepred, boolean: true,
		help: "Keep the work directory (overlay, rewritten files, raw findings) and print its name."},
	{name: "leaks", owner: ownRacepred, by: byProcess, config: valueInConfig, value: "report|fail|off",
		help: "What to make of goroutines that wait at the end of a test process and that nothing can wake any more, as the garbage collector finds them (Go 1.26 and newer), or that hang when -timeout or a signal ends a process in which nothing can run any more. report: report them, which fails nothing. fail: they count as races do. off: do not look. The default is report."},
	{name: "memory", owner: ownRacepred, by: byProcess, config: valueInConfig, value: "size", help: strings.ReplaceAll(memoryHelp, "`", "") + " The default is 1GiB."},
	{name: "new-from", owner: ownRacepred, by: byCommand, config: valueInConfig, value: "revision",
		help: "Only findings with an access on a line that is new or changed since this revision of git fail tests; the others are reported all the same. With \"...\" behind it, as in main..., since HEAD left that branch."},
	{name: "possible", owner: ownRacepred, by: byProcess, config: valueInConfig, boolean: true,
		help: "Also report findings for which no schedule was found. They never fail a test."},
	{name: "random-schedule", owner: ownRacepred, by: byProcess, config: valueInConfig, boolean: true,
		help: "Let goroutines go on in a random order, as the runtime of -race does: code is reached that the usual order never comes to. With -count each run has another one. This is the default; with -random-schedule=false they go on in the order of go test without -race, for tests that rely on it."},
	{name: "report", owner: ownRacepred, by: byCommand, config: filesInConfig, value: "file",
		help: "Write all findings of the run to a file. The format follows from its suffix: " + format.Suffixes() + ". May be repeated."},
	{name: "sample", owner: ownRacepred, by: byProcess, config: valueInConfig, value: "off|events",
		help: "How much is recorded of busy code: a position makes as many records in each test as a 1024th of this, and later on some now and then; off: all there are. At how many positions something was left out is reported. The default is " + strconv.Itoa(engine.DefaultSample) + "."},
	{name: "search-time", owner: ownRacepred, by: byCommand, config: valueInConfig, value: "duration",
		help: "How long to look, when the tests are over, for schedules that a test process gave up on; 0: not at all. The default is as long as go test took, but at least " + leastSearchTime.String() + " and at most " + defaultSearchTime.String() + "."},
	{name: "shard", owner: ownRacepred, value: "i/n",
		help: "Test the i-th of n parts of the packages only. Each package is in one part, the same one on every machine. 'racepred merge' makes one report of those of all parts."},
	{name: "shard-times", owner: ownRacepred, value: "file",
		help: "Make the parts of -shard take equally long, by this report in JSON of an earlier run, or by what an earlier 'go test -json' printed. All parts need the same one. May be repeated."},
	{name: "suppressions", owner: ownRacepred, by: byCommand, config: filesInConfig, value: "file",
		help: "Waive the races and deadlocks that this suppression file of ThreadSanitizer matches (race:, race_top:, deadlock:), as GORACE=suppressions=file does. May be repeated."},
	{name: "trace", owner: ownRacepred, by: byProcess, value: "dir",
		help: "Write what each test process recorded to a file dir/PACKAGE-PID-N.rptrace, for 'racepred analyze' and 'racepred trace'. Go test's own -trace, the execution trace, is -test.trace here."},

	{name: "C", owner: ownBuild},
	{name: "a", owner: ownBuild, boolean: true},
	{name: "asan", owner: ownBuild, boolean: true, refuse: refuseSanitizer},
	{name: "asmflags", owner: ownBuild},
	{name: "buildmode", owner: ownBuild, load: true},
	{name: "buildvcs", owner: ownBuild, boolean: true},
	{name: "compiler", owner: ownBuild, refuse: "only the gc compiler has the hooks racepred records through"},
	{name: "cover", owner: ownBuild, boolean: true},
	{name: "covermode", owner: ownBuild},
	{name: "coverpkg", owner: ownBuild},
	{name: "debug-actiongraph", owner: ownBuild},
	{name: "debug-runtime-trace", owner: ownBuild},
	{name: "debug-trace", owner: ownBuild},
	{name: "gccgoflags", owner: ownBuild},
	{name: "gcflags", owner: ownBuild},
	{name: "installsuffix", owner: ownBuild, load: true},
	{name: "json", owner: ownBuild, boolean: true},
	{name: "ldflags", owner: ownBuild},
	{name: "linkshared", owner: ownBuild, boolean: true, refuse: "the recording build is always static"},
	{name: "mod", owner: ownBuild, load: true},
	{name: "modcacherw", owner: ownBuild, boolean: true, load: true},
	{name: "modfile", owner: ownBuild, load: true},
	{name: "msan", owner: ownBuild, boolean: true, refuse: refuseSanitizer},
	{name: "n", owner: ownBuild, boolean: true},
	{name: "overlay", owner: ownBuild, load: true},
	{name: "p", owner: ownBuild},
	{name: "pgo", owner: ownBuild},
	{name: "pkgdir", owner: ownBuild, refuse: "the recording build needs packages of its own"},
	{name: "race", owner: ownBuild, boolean: true, refuse: refuseSanitizer},
	{name: "tags", owner: ownBuild, load: true},
	{name: "toolexec", owner: ownBuild},
	{name: "trimpath", owner: ownBuild, boolean: true},
	{name: "v", owner: ownBuild, boolean: true},
	{name: "work", owner: ownBuild, boolean: true},
	{name: "x", owner: ownBuild, boolean: true},

	{name: "c", owner: ownTest, boolean: true},
	{name: "exec", owner: ownTest},
	{name: "o", owner: ownTest},
	{name: "vet", owner: ownTest},

	{name: "artifacts", owner: ownBinary, boolean: true},
	{name: "bench", owner: ownBinary},
	{name: "benchmem", owner: ownBinary, boolean: true},
	{name: "benchtime", owner: ownBinary},
	{name: "blockprofile", owner: ownBinary},
	{name: "blockprofilerate", owner: ownBinary},
	{name: "count", owner: ownBinary},
	{name: "coverprofile", owner: ownBinary},
	{name: "cpu", owner: ownBinary},
	{name: "cpuprofile", owner: ownBinary},
	{name: "failfast", owner: ownBinary, boolean: true},
	{name: "fullpath", owner: ownBinary, boolean: true},
	{name: "fuzz", owner: ownBinary},
	{name: "fuzzminimizetime", owner: ownBinary},
	{name: "fuzztime", owner: ownBinary},
	{name: "list", owner: ownBinary},
	{name: "memprofile", owner: ownBinary},
	{name: "memprofilerate", owner: ownBinary},
	{name: "mutexprofile", owner: ownBinary},
	{name: "mutexprofilefraction", owner: ownBinary},
	{name: "outputdir", owner: ownBinary},
	{name: "parallel", owner: ownBinary},
	{name: "run", owner: ownBinary},
	{name: "short", owner: ownBinary, boolean: true},
	{name: "shuffle", owner: ownBinary},
	{name: "skip", owner: ownBinary},
	{name: "timeout", owner: ownBinary},
	{name: "trace", owner: ownBinary},
}

// lookupFlag finds a flag by name, "test." prefix of the test binary's flags included; -v is both a
// build flag and the binary's. Where racepred has a flag of the binary's name, only the prefixed
// name is the binary's.
func lookupFlag(name string) (flagSpec, bool) {
	short, prefixed := strings.CutPrefix(name, "test.")
	for _, f := range flagTable {
		if f.name == short && (!prefixed || f.owner == ownBinary || f.name == "v") {
			return f, true
		}
	}
	return flagSpec{}, false
}

// shadowed reports whether a flag of the test binary needs its prefix, since racepred has one of
// that name.
func (f *flagSpec) shadowed() bool {
	g, _ := lookupFlag(f.name)
	return f.owner == ownBinary && g.owner == ownRacepred
}

// coverFlags turn on coverage, each by itself.
var coverFlags = []string{"cover", "covermode", "coverpkg", "coverprofile"}
