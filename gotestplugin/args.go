package gotestplugin

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/racepred/racepred/internal/protocol"
)

// args is a command line of `racepred test`, taken apart.
type args struct {
	dir            string   // -C
	report         []string // -report
	trace          string   // -trace of racepred
	deps           []string // -deps, each pattern by itself
	instrument     instrumentMode
	possible       bool
	randomSchedule *bool     // nil: not said
	memory         byteCount // 0: not said
	engines        engines
	sample         protocol.Sample
	searchTime     *time.Duration // nil: not given
	leaks          string         // leaksReport and those beside it, "" when it is not given
	keep           bool
	atomicity      bool

	baseline       string // -baseline
	updateBaseline bool
	failOn         failOn
	suppressions   []string // files
	newFrom        string   // a revision
	config         string   // a file, configOff, or "" for the one that is found
	exclude        []string // patterns
	shard          shard
	shardTimes     []string // files

	// rest is what go test is to be run with, in the order given: everything
	// but racepred's own flags and those that are merged with ours (-C, -vet,
	// -overlay, -gcflags, -toolexec, -pgo).
	rest []argument
	// packages are the patterns among them; none means the package in dir.
	packages []string

	vet     *string // -vet; nil when not given
	overlay string  // -overlay, "" when not given
	gcflags []string

	race     bool     // -tags has race (racetag.go)
	turned   string   // the overlay that makes of it and of -overlay, "" for none
	toolexec string   // -toolexec, "" when not given
	pgo      *string  // -pgo, nil when not given
	load     []string // the flags go list needs too, -overlay included
	set      map[string]string
	given    map[string]bool // racepred's own flags that are on the command line
}

// argument is one word of go test's command line.
type argument struct {
	text    string
	pattern bool // a package pattern
}

// instrumentMode is the value of -instrument.
type instrumentMode string

const (
	instrumentAuto     instrumentMode = "auto"
	instrumentAll      instrumentMode = "all"
	instrumentCompiler instrumentMode = "compiler"
)

// usageError says what is wrong with a command line.
type usageError struct{ text string }

func (e usageError) Error() string { return e.text }

func usagef(format string, a ...any) error { return usageError{fmt.Sprintf(format, a...)} }

// parseArgs takes a command line apart, by the rules of the go command
// (cmd/go/internal/test, testFlags):
//
// (A1) known flags are recognized before and after the package list;
// (A2) the package list is the first run of words that are no flags; a flag
// that is not known ends it, even before it began, since the next word may be the flag's value;
// (A3) after the list, a word that is no flag and does not follow an unknown
// flag without a value ends our reading; so do -args and "--".
func parseArgs(argv []string) (*args, error) {
	a := &args{instrument: instrumentAuto, set: map[string]string{}, given: map[string]bool{}}
	listOver, inList, afterUnknown := false, false, false
	first := true
	for len(argv) > 0 {
		word := argv[0]
		if word == "--" || word == "-args" || word == "--args" { // (A3)
			break
		}
		name, value, hasValue, isFlag := splitFlag(word)
		if !isFlag {
			first = false
			if listOver && !afterUnknown { // (A3)
				break
			}
			if listOver {
				a.keepWords(word)
			} else { // (A2)
				inList = true
				a.packages = append(a.packages, word)
				a.rest = append(a.rest, argument{word, true})
			}
			afterUnknown = false
			argv = argv[1:]
			continue
		}
		if inList {
			inList, listOver = false, true
		}
		afterUnknown = false
		spec, known := lookupFlag(name)
		if !known {
			if name == "h" || name == "help" {
				return nil, errHelp
			}
			listOver, afterUnknown = true, !hasValue // (A2)
			a.keepWords(word)
			argv = argv[1:]
			first = false
			continue
		}
		used := 1
		if !hasValue {
			if spec.boolean {
				value = "true"
			} else if len(argv) < 2 {
				return nil, usagef("flag needs an argument: -%s", name)
			} else {
				value, used = argv[1], 2
			}
		}
		if spec.name == "C" && !first {
			return nil, usagef("-C must come before go test's other flags and the packages")
		}
		if spec.owner != ownRacepred {
			first = false
		}
		if err := a.flag(spec, value, argv[:used]); err != nil {
			return nil, err
		}
		argv = argv[used:]
	}
	a.keepWords(argv...)
	return a, nil
}

func (a *args) keepWords(words ...string) {
	for _, w := range words {
		a.rest = append(a.rest, argument{text: w})
	}
}

// splitFlag takes one word apart: -name, --name, -name=value.
func splitFlag(word string) (name, value string, hasValue, isFlag bool) {
	if len(word) < 2 || word[0] != '-' {
		return "", "", false, false
	}
	name = strings.TrimPrefix(word[1:], "-")
	name, value, hasValue = strings.Cut(name, "=")
	return name, value, hasValue, name != ""
}

// refuseTags is about build tags that the library takes for a detector of the toolchain's.
func refuseTags(list string) error {
	for _, tag := range []string{"msan", "asan"} {
		if _, found := takeTag(list, tag); found {
			return usagef("-tags %s cannot be used: the library takes the tag for go test -%[1]s, and does not build. To leave out what tests leave out there, "+
				"give files a tag of their own (//go:build %[1]s || racepred) and use -tags racepred", tag)
		}
	}
	return nil
}

// flag notes one flag, given as words.
func (a *args) flag(f flagSpec, value string, words []string) error {
	if f.refuse != "" && !isFalse(f, value) {
		return usagef("-%s cannot be used: %s", f.name, f.refuse)
	}
	if f.name == "tags" {
		if err := refuseTags(value); err != nil {
			return err
		}
		if value, a.race = takeTag(value, raceTag); a.race { // the last -tags counts
			words = []string{"-tags=" + value}
		}
	}
	if f.owner != ownRacepred {
		a.set[f.name] = value
		if f.load {
			a.load = append(a.load, "-"+f.name+"="+value)
		}
	}
	if f.owner == ownBinary {
		a.keepWords(words...)
		return nil
	}
	if f.owner == ownRacepred && a.given != nil {
		a.given[f.name] = true
	}
	var err error
	switch f.name {
	case "report":
		a.report = append(a.report, value)
	case "trace":
		a.trace = value
	case "deps":
		a.deps = append(a.deps, splitList(value)...)
	case "exclude":
		a.exclude = append(a.exclude, splitList(value)...)
	case "config":
		a.config = value
	case "instrument":
		a.instrument = instrumentMode(value)
		if !slices.Contains([]instrumentMode{instrumentAuto, instrumentAll, instrumentCompiler}, a.instrument) {
			err = usagef("invalid value %q for flag -instrument: it is auto, all or compiler", value)
		}
	case "engines":
		if e := a.engines.Set(value); e != nil {
			err = usagef("invalid value %q for flag -engines: %v", value, e)
		}
	case "memory":
		if e := a.memory.Set(value); e != nil {
			err = usagef("invalid value %q for flag -memory: %v", value, e)
		}
	case "leaks":
		if a.leaks = value; !slices.Contains(leakModes, value) {
			err = usagef("invalid value %q for flag -leaks: it is %s", value, strings.Join(leakModes, ", "))
		}
	case "sample":
		if a.sample, err = protocol.ParseSample(value); err != nil {
			err = usagef("invalid value %q for flag -sample: %v", value, err)
		}
	case "search-time":
		var d time.Duration
		d, err = time.ParseDuration(value)
		if a.searchTime = &d; err != nil || d < 0 {
			err = usagef("invalid value %q for flag -search-time: it is a duration, as in 1m30s", value)
		}
	case "random-schedule":
		var random bool
		random, err = parseBool(f, value)
		a.randomSchedule = &random
	case "possible":
		a.possible, err = parseBool(f, value)
	case "baseline":
		a.baseline = value
	case "baseline-update":
		a.updateBaseline, err = parseBool(f, value)
	case "suppressions":
		a.suppressions = append(a.suppressions, value)
	case "new-from":
		if a.newFrom = value; strings.HasPrefix(value, "-") || value == "" || value == "..." {
			err = usagef("invalid value %q for flag -new-from: it is a revision of git", value)
		}
	case "shard":
		if a.shard, err = parseShard(value); err != nil {
			err = usagef("invalid value %q for flag -shard: %v", value, err)
		}
	case "shard-times":
		a.shardTimes = append(a.shardTimes, value)
	case "fail-on":
		if a.failOn, err = parseFailOn(value); err != nil {
			err = usagef("invalid value %q for flag -fail-on: %v", value, err)
		}
	case "atomicity":
		a.atomicity, err = parseBool(f, value)
	case "keep":
		a.keep, err = parseBool(f, value)
	case "C":
		a.dir = value
	case "vet":
		a.vet = &value
	case "overlay":
		a.overlay = value
	case "gcflags":
		a.gcflags = append(a.gcflags, value)
	case "toolexec":
		a.toolexec = value
	case "pgo":
		a.pgo = &value
	case modFlag: // modules has it
	default:
		a.keepWords(words...)
	}
	return err
}

// splitList are the words between commas.
func splitList(value string) (words []string) {
	for w := range strings.SplitSeq(value, ",") {
		if w = strings.TrimSpace(w); w != "" {
			words = append(words, w)
		}
	}
	return words
}

func isFalse(f flagSpec, value string) bool {
	on, err := strconv.ParseBool(value)
	return f.boolean && err == nil && !on
}

func parseBool(f flagSpec, value string) (bool, error) {
	on, err := strconv.ParseBool(value)
	if err != nil {
		return false, usagef("invalid boolean value %q for -%s", value, f.name)
	}
	return on, nil
}

// withGOFLAGS adds the flags of GOFLAGS that the command line does not have. The
// words themselves stay in the environment, where the go command reads them.
func (a *args) withGOFLAGS(goflags string) error {
	words, err := splitQuoted(goflags)
	if err != nil {
		return fmt.Errorf("GOFLAGS: %w", err)
	}
	var env args
	env.set = map[string]string{}
	for _, w := range words {
		name, value, hasValue, ok := splitFlag(w)
		spec, known := lookupFlag(name)
		if !ok || !known || spec.owner == ownRacepred || spec.name == "C" {
			continue // the go command judges those
		}
		if !hasValue {
			value = "true"
		}
		if err := env.flag(spec, value, nil); err != nil {
			return fmt.Errorf("GOFLAGS: %w", err)
		}
	}
	if _, given := a.set["tags"]; env.race && !given {
		return usagef("GOFLAGS: -tags race cannot be used there, where the go command reads it: the library takes the tag for go test -race, and does not build. Give it to racepred test")
	}
	if _, given := a.set["toolexec"]; !given {
		a.toolexec = env.toolexec
	}
	for name, value := range env.set {
		if _, given := a.set[name]; given {
			continue
		}
		a.set[name] = value
		if name == modfileFlag {
			a.load = append(a.load, "-"+name+"="+value)
		}
	}
	if a.vet == nil {
		a.vet = env.vet
	}
	if a.overlay == "" {
		a.overlay = env.overlay
	}
	a.gcflags = append(env.gcflags, a.gcflags...) // in the order the go command reads them
	return nil
}

// loadingOnly is GOFLAGS without what go test alone is meant to obey. Where racepred reads the
// answer of a go command, that would change it: -json its form, -cover the files that packages
// have, -c what go vet prints. -modfile is given by the command line, since the loader of packages
// also runs go commands outside of modules. It is never empty: then the go command would take what
// go env -w has set.
func loadingOnly(goflags string) (string, error) {
	words, err := splitQuoted(goflags)
	if err != nil {
		return "", err
	}
	load, err := joinQuoted(slices.DeleteFunc(words, func(w string) bool {
		name, _, _, ok := splitFlag(w)
		spec, known := lookupFlag(name)
		return ok && known && !spec.load && name != "buildvcs" || name == modfileFlag
	}))
	return load + " ", err
}

const modfileFlag = "modfile"

const modFlag = "mod"

// modules is the flag -mod, if there is one.
func (a *args) modules() []string {
	if v, given := a.set[modFlag]; given {
		return []string{"-" + modFlag + "=" + v}
	}
	return nil
}

// keepingModules is modules for a go command that compiles rewritten files. They may import packages
// of modules that go.mod calls indirect, for which -mod=mod would change go.mod. What the user's
// files need, it has since their packages were listed.
func (a *args) keepingModules() []string {
	if a.set[modFlag] == "mod" {
		return []string{"-" + modFlag + "=readonly"}
	}
	return a.modules()
}

// on reports whether a boolean flag of go test is set.
func (a *args) on(name string) bool {
	v, given := a.set[name]
	on, err := strconv.ParseBool(v)
	return given && (err != nil || on)
}

// covering reports whether the run measures coverage.
func (a *args) covering() bool {
	return slices.ContainsFunc(coverFlags, func(name string) bool {
		v, given := a.set[name]
		return given && (name != "cover" || v != "false") && v != ""
	})
}

// words is the rest of the command line. If packages is not nil, they replace
// the package patterns.
func (a *args) words(packages []string) []string {
	var out []string
	replaced := false
	for _, r := range a.rest {
		switch {
		case !r.pattern || packages == nil:
			out = append(out, r.text)
		case !replaced:
			out, replaced = append(out, packages...), true
		}
	}
	return out
}

// noProfile is how the recording build is listed, loaded, vetted and made. With a profile, which go
// test takes from default.pgo beside a main package, the compiler calls a method that an interface
// mostly holds past the tables of methods (instrument/R5), and each package that is built for the
// tests is listed as one of their own.
const noProfile = "-pgo=off"

// loading are the flags for go list, go vet and the loader of packages.
func (a *args) loading() []string { return append(a.load[:len(a.load):len(a.load)], noProfile) }

// plainTest is the command line of the go test that the user would run. With packages not nil, of
// those only.
func (a *args) plainTest(packages []string) []string {
	words := []string{"test"}
	if a.vet != nil {
		words = append(words, "-vet="+*a.vet)
	}
	if overlay := a.overlaid(); overlay != "" {
		words = append(words, "-overlay="+overlay)
	}
	for _, v := range a.gcflags {
		words = append(words, "-gcflags="+v)
	}
	if a.toolexec != "" {
		words = append(words, "-toolexec="+a.toolexec)
	}
	if _, given := a.set["count"]; !given {
		words = append(words, "-count=1") // no result comes from the cache
	}
	return slices.Concat(words, a.modules(), a.profile(), a.words(packages))
}

// overlaid is the overlay that the go command is to be given, "" for none.
func (a *args) overlaid() string {
	if a.turned != "" {
		return a.turned
	}
	return a.overlay
}

// profile is the user's -pgo, for what go test is run with that does not record.
func (a *args) profile() []string {
	if a.pgo == nil {
		return nil
	}
	return []string{"-pgo=" + *a.pgo}
}

// inDir is the path of a name on the command line: names there are relative to dir.
func inDir(dir, path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}
