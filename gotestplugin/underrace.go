package gotestplugin

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/racepred/racepred/internal/report"
)

// (Y4) A package that pins goroutines to processors, and has files for -race, is compiled as under
// -race: goroutines that use one after the other what belongs to a processor have an order that no
// detector sees, not even in what they hand on by it. With -tags race all packages with such files
// are, unless these call what package runtime has under -race only. They are not recorded unless
// they are named, and then they are compiled as usual.

// differsUnderRace reports whether -race would add a file to p, and whether such a file calls what
// package runtime has under -race only.
func (p *goPackage) differsUnderRace() (differs, calls bool) {
	files, calls := p.raceFiles()
	return len(files) > 0, calls
}

// raceFiles are the files that -race would add to p, and whether one of them calls what package
// runtime has under -race only.
func (p *goPackage) raceFiles() (names []string, calls bool) {
	for _, name := range p.IgnoredGoFiles {
		path := filepath.Join(p.Dir, name)
		if turnConstraint(beginning(path)) == nil {
			continue
		}
		src, err := os.ReadFile(path)
		names, calls = append(names, name), calls || err != nil || bytes.Contains(src, []byte("runtime.Race"))
	}
	return names, calls
}

// madeForRace says which packages have races and files, other than tests, that are compiled under
// -race only. These often do without the race, which then is one that -race does not show.
func (j *job) madeForRace(findings []report.Finding) (lines []string) {
	if j.args.race {
		return nil
	}
	for _, p := range j.graph.packages {
		inside := func(a report.Access) bool { return strings.HasPrefix(a.Func, p.ImportPath+".") }
		if p.ForTest != "" || !slices.ContainsFunc(findings, func(f report.Finding) bool {
			return f.Kind == report.Race && f.Waived == "" && slices.ContainsFunc(f.Accesses, inside)
		}) {
			continue
		}
		names, calls := p.raceFiles()
		names = slices.DeleteFunc(names, func(name string) bool { return strings.HasSuffix(name, "_test.go") })
		if len(names) > 0 && !calls {
			lines = append(lines, fmt.Sprintf("%s has races, and other files for -race (%s): -tags race compiles these", p.ImportPath, names[0]))
		}
	}
	return lines
}

// beginning is so much of a file that a constraint is in it, if there is one.
func beginning(name string) []byte {
	f, err := os.Open(name)
	if err != nil {
		return nil // the go command says so if it needs the file
	}
	defer f.Close()
	head, _ := io.ReadAll(io.LimitReader(f, 1<<14))
	return head
}

// pinning reports whether p, or a dependency that it imports, pins goroutines to processors.
func (gr *graph) pinning(p *goPackage) bool {
	return p.pins() || slices.ContainsFunc(gr.packages, func(q *goPackage) bool {
		return q.dependency() && q.ForTest == "" && slices.Contains(p.Imports, q.ImportPath) && q.pins()
	})
}

// pins reports whether a file of p names the function of the runtime for that.
func (p *goPackage) pins() bool {
	return slices.ContainsFunc(p.GoFiles, func(name string) bool {
		src, err := os.ReadFile(filepath.Join(p.Dir, name))
		return err == nil && bytes.Contains(src, []byte("procPin"))
	})
}

// asUnderRace sets gr.underRace and returns the packages of (Y4).
func (j *job) asUnderRace(named map[string]bool) (paths map[string]bool, err error) {
	paths = map[string]bool{}
	t := turner{files: sourceCache{filepath.Join(j.cache, "tags")}, overlay: map[string]string{}, turned: map[string]bool{}}
	for _, p := range j.graph.packages {
		if !p.dependency() || named[p.flagsPath()] {
			continue
		}
		if differs, calls := p.differsUnderRace(); !differs || calls || !j.args.race && !j.graph.pinning(p) {
			continue
		}
		if err := t.directory(p.Dir); err != nil {
			return nil, err
		}
		paths[p.flagsPath()] = true
	}
	j.graph.underRace = t.overlay
	return paths, t.files.trim(time.Now())
}
