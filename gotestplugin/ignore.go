package gotestplugin

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/waive"
)

// ignoreComment is followed by a reason. It is about its line, about the next one if it has a line to itself, or about a function whose comment it is in.
const ignoreComment = "//racepred:ignore"

// ignore is one such comment.
type ignore struct {
	line  int
	lines []waive.Lines // the same ones under each name that stacks may have for the file
}

// used reports whether a finding was waived for it.
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

// ignores are the comments in the named packages. One without a reason is an error.
func (g *graph) ignores() ([]ignore, error) {
	var all []ignore
	var bad []error
	for _, p := range g.named {
		for _, list := range []struct {
			files []string
			path  string
		}{{p.GoFiles, p.ImportPath}, {p.CgoFiles, p.ImportPath}, {p.TestGoFiles, p.ImportPath}, {p.XTestGoFiles, p.ImportPath + "_test"}} {
			for _, name := range list.files {
				file := name
				if !filepath.IsAbs(file) {
					file = filepath.Join(p.Dir, name)
				}
				some, err := ignoresOf(file, list.path+"/"+filepath.Base(name))
				all = append(all, some...)
				bad = append(bad, err)
			}
		}
	}
	return all, errors.Join(bad...)
}

// ignoresOf are those of a file, which goes by the name trimmed in builds with -trimpath. A file that does not parse has none: the build says what is wrong with it.
func ignoresOf(file, trimmed string) (all []ignore, err error) {
	src, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // it is in an overlay only
	}
	if err != nil || !bytes.Contains(src, []byte(ignoreComment)) {
		return nil, err
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, nil
	}
	functions := map[*ast.CommentGroup]*ast.FuncDecl{}
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Doc != nil {
			functions[fn.Doc] = fn
		}
	}
	lines := strings.Split(string(src), "\n")
	for _, group := range f.Comments {
		for _, c := range group.List {
			reason, ok := strings.CutPrefix(c.Text, ignoreComment)
			if !ok || reason != "" && reason[0] != ' ' && reason[0] != '\t' {
				continue
			}
			at := fset.PositionFor(c.Pos(), false)
			if reason = strings.TrimSpace(reason); reason == "" {
				return nil, fmt.Errorf("%s:%d: %s needs a reason behind it", file, at.Line, ignoreComment)
			}
			first, last := at.Line, at.Line
			if fn := functions[group]; fn != nil {
				first, last = fset.PositionFor(fn.Pos(), false).Line, fset.PositionFor(fn.End(), false).Line
			} else if strings.TrimSpace(lines[at.Line-1][:at.Column-1]) == "" {
				first = fset.PositionFor(group.End(), false).Line + 1
				last = first
			}
			i := ignore{line: at.Line}
			for _, name := range []string{file, trimmed} {
				i.lines = append(i.lines, waive.Lines{File: name, First: first, Last: last, Reason: reason})
			}
			all = append(all, i)
		}
	}
	return all, nil
}
