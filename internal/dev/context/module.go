package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/racepred/racepred/internal/conformance/examples"
)

const (
	modulePath = "contexts"
	helpers    = "examples/internal"                     // what the examples import
	guarded    = "internal/conformance/testdata/guarded" // an example, too, but for its races
	loadsDir   = "internal/dev/context/testdata/loads"
	aloneName  = "alone" // the name of no load at all
)

// module is a temporary module with the packages examples/LOAD/EXAMPLE, in each of which the
// example's tests and the load's are.
type module struct {
	root  string // of racepred's module
	dir   string
	tests []examples.Test // those to be judged, with directories in racepred's module
}

// load is a directory of testdata/loads.
type load struct {
	Name string
	Doc  string
	dir  string // "" for no load
}

// newModule begins the module with what all of its packages import.
func newModule(root, dir string, match *regexp.Regexp, alsoGuarded bool) (*module, error) {
	m := &module{root: root, dir: dir}
	from := []string{"examples"}
	if alsoGuarded {
		from = append(from, guarded)
	}
	for _, f := range from {
		found, err := examples.Find(root, f)
		if err != nil {
			return nil, err
		}
		m.tests = append(m.tests, found...)
	}
	m.tests = slices.DeleteFunc(m.tests, func(t examples.Test) bool {
		return !match.MatchString(short(&t)) || t.Dir == guarded && t.Want() != examples.NoRace
	})
	if len(m.tests) == 0 {
		return nil, fmt.Errorf("no test matches %v", match)
	}
	if err := os.RemoveAll(dir); err != nil {
		return nil, err
	}
	if err := os.CopyFS(filepath.Join(dir, helpers), os.DirFS(filepath.Join(root, helpers))); err != nil {
		return nil, err
	}
	if err := slower(filepath.Join(dir, helpers, "sched", "sched.go")); err != nil {
		return nil, err
	}
	gomod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return nil, err
	}
	return m, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module "+modulePath+"\n\n"+goLine.FindString(string(gomod))+"\n"), 0o666)
}

// slower gives each goroutine of an example more time for itself. With a load beside it, the usual
// schedule needs that; in another schedule, a program without an observed race may have one.
func slower(file string) error {
	src, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if !turn.Match(src) {
		return fmt.Errorf("%s: no turn", file)
	}
	return os.WriteFile(file, turn.ReplaceAll(src, []byte("const Turn = 60 * time.Millisecond")), 0o666)
}

var turn = regexp.MustCompile(`(?m)^const Turn = .*$`)

var goLine = regexp.MustCompile(`(?m)^go .*$`)

// loads lists the loads whose names match.
func (m *module) loads(match *regexp.Regexp) ([]load, error) {
	entries, err := os.ReadDir(filepath.Join(m.root, loadsDir))
	if err != nil {
		return nil, err
	}
	var loads []load
	for _, e := range entries {
		if !match.MatchString(e.Name()) {
			continue
		}
		l := load{Name: e.Name(), dir: filepath.Join(m.root, loadsDir, e.Name())}
		tests, err := examples.Find(m.root, path.Join(loadsDir, l.Name))
		if err != nil {
			return nil, err
		}
		for _, t := range tests {
			l.Doc = t.PackageDoc
		}
		if l.Doc == "" {
			return nil, fmt.Errorf("%s: the package has no comment, or no test", l.dir)
		}
		loads = append(loads, l)
	}
	if len(loads) == 0 {
		return nil, errors.New("no load matches")
	}
	return loads, nil
}

// lay makes the packages of a load and returns their tests, the load's among them.
func (m *module) lay(l load) ([]examples.Test, error) {
	done := make(map[string]bool)
	var chosen []examples.Test
	for _, t := range m.tests {
		to := path.Join("examples", l.Name, path.Base(t.Dir))
		if !done[to] {
			done[to] = true
			if err := m.copy(filepath.Join(m.root, t.Dir), to, path.Base(t.Dir)); err != nil {
				return nil, err
			}
			if err := m.copy(l.dir, to, path.Base(t.Dir)); err != nil {
				return nil, err
			}
		}
		t.Dir, t.File = to, path.Join(to, path.Base(t.File))
		chosen = append(chosen, t)
	}
	all, err := examples.Find(m.dir, path.Join("examples", l.Name))
	for _, t := range all {
		if isLoad(&t) {
			chosen = append(chosen, t)
		}
	}
	return chosen, err
}

var (
	packageClause = regexp.MustCompile(`(?m)^package load$`)
	exampleImport = []byte(`"github.com/racepred/racepred/examples/`)
)

// copy copies the Go files of a directory into the package at to, without moving any line.
func (m *module) copy(from, to, name string) error {
	if from == "" {
		return nil
	}
	files, err := filepath.Glob(filepath.Join(from, "*.go"))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(m.dir, to), 0o777); err != nil {
		return err
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		src = bytes.ReplaceAll(src, exampleImport, []byte(`"`+modulePath+`/examples/`))
		src = packageClause.ReplaceAll(src, []byte("package "+name))
		if err := os.WriteFile(filepath.Join(m.dir, to, filepath.Base(file)), src, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// isLoad tells whether the test is the load's and not the example's.
func isLoad(t *examples.Test) bool {
	return strings.HasSuffix(t.File, loadSuffix)
}

// loadSuffix ends the names of the loads' files: aa_load_test.go is what comes first in a package,
// zz_load_test.go what comes last.
const loadSuffix = "_load_test.go"

// counts tells whether the test has a race of an example.
func counts(t *examples.Test) bool { return !isLoad(t) && t.Want() != examples.NoRace }

// short is the test's name in the table.
func short(t *examples.Test) string { return path.Base(t.Dir) + "." + t.Name }
