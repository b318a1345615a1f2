package gotestplugin

import (
	"bytes"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"slices"

	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/waive"
	comments "github.com/racepred/racepred/internal/waive/ignore"
)

// ignore is a comment of package internal/waive/ignore.
type ignore struct {
	line  int
	named bool          // it is in a package that is tested
	lines []waive.Lines // the same ones under each name that stacks may have for the file
}

// used reports whether the comment waived one of the findings.
func (i *ignore) used(found []report.Finding) bool {
	for f := range found {
		for a := range found[f].Accesses {
			if slices.ContainsFunc(i.lines, func(l waive.Lines) bool { return l.About(&found[f].Accesses[a]) }) {
				return true
			}
		}
	}
	return false
}

// ignores are the comments in the packages that are recorded, and in the tests of the named ones. A
// comment without a reason is an error, which names files relative to root.
func (g *graph) ignores(root string) ([]ignore, error) {
	var all []ignore
	var bad []error
	for _, f := range g.sources() {
		some, err := ignoresOf(f.name, f.trimmed, root)
		for i := range some {
			some[i].named = f.tested
		}
		all = append(all, some...)
		bad = append(bad, err)
	}
	return all, errors.Join(bad...)
}

// ignoresOf are the comments of a file, whose name is trimmed in builds with -trimpath. A file that
// does not parse has none: the build says what is wrong with it.
func ignoresOf(file, trimmed, root string) (all []ignore, err error) {
	src, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // it is in an overlay only
	}
	if err != nil || !bytes.Contains(src, []byte(comments.Prefix)) {
		return nil, err
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, nil
	}
	for _, c := range comments.In(fset, f, src) {
		if c.Reason == "" {
			return nil, fmt.Errorf("%s:%d: %s needs a reason behind it", report.Rel(root, file), c.Line, comments.Prefix)
		}
		i := ignore{line: c.Line}
		for _, name := range []string{file, trimmed} {
			i.lines = append(i.lines, waive.Lines{File: name, First: c.First, Last: c.Last, Reason: c.Reason})
		}
		all = append(all, i)
	}
	return all, nil
}
