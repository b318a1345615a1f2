package gotestplugin

import (
	"context"
	"path/filepath"
	"regexp"

	"github.com/racepred/racepred/internal/funcname"
	"github.com/racepred/racepred/internal/waive"
)

// findChanges finds the lines that are new for -new-from, once the packages are known:
//
// (N1) a line counts as changed if git diff has it as added or changed since the revision;
// (N2) so do all lines of a function in which a line that synchronized was removed or changed: it
// may have kept the function's other lines apart.
func (j *job) findChanges(ctx context.Context) error {
	rev := j.args.newFrom
	if rev == "" {
		return nil
	}
	changes, err := j.changes(ctx, rev)
	if err != nil {
		return inputf("-new-from %s: %w", rev, err)
	}
	rules := &j.waived.rules
	rules.Since = rev
	for _, f := range j.graph.sources() {
		hunks := changes[f.name]
		if real, err := filepath.EvalSymlinks(f.name); err == nil && hunks == nil {
			hunks = changes[real]
		}
		for _, l := range changedLines(f.name, hunks) {
			for _, name := range []string{f.name, f.trimmed} {
				l.File = name
				rules.Changed = append(rules.Changed, l)
			}
		}
	}
	return nil
}

// changedLines are (N1) and (N2) for a file.
func changedLines(file string, hunks []hunk) (lines []waive.Lines) {
	var functions []funcname.Lines
	for _, h := range hunks {
		if h.count > 0 {
			lines = append(lines, waive.Lines{First: h.first, Last: h.first + h.count - 1})
		}
		for _, text := range h.removed {
			if !synchronizes.MatchString(text) {
				continue
			}
			if functions == nil {
				functions = funcname.LinesOf(file)
			}
			for _, fn := range functions {
				if l := (waive.Lines{First: fn.First, Last: fn.Last}); inside(h, l) {
					lines = append(lines, l)
				}
			}
			break
		}
	}
	return lines
}

// inside reports whether one of the hunk's lines is among the lines. Of a hunk that only removes,
// it reports whether its place is between two of them.
func inside(h hunk, l waive.Lines) bool {
	if h.count == 0 {
		return l.First <= h.first && h.first < l.Last
	}
	return l.First <= h.first+h.count-1 && h.first <= l.Last
}

// synchronizes matches lines that may keep others apart.
var synchronizes = regexp.MustCompile(`[Ll]ock\(|<-|\bclose\(|\bWait\(|\bDo\(|\bDone\(|\batomic\.|\.(?:Load|Store|Swap|CompareAndSwap|Add)\(|\bselect\b`)

// source is a file that is recorded, with the name that it has in builds with -trimpath.
type source struct {
	name, trimmed string
	tested        bool // it is of a package that is tested
}

// sources are the files of the packages that are recorded, and of the tests of those that are
// named.
func (gr *graph) sources() (all []source) {
	for _, p := range gr.own {
		type files struct {
			names []string
			path  string
		}
		lists := []files{{p.GoFiles, p.ImportPath}, {p.CgoFiles, p.ImportPath}}
		if !p.DepOnly {
			lists = append(lists, files{p.TestGoFiles, p.ImportPath}, files{p.XTestGoFiles, p.ImportPath + "_test"})
		}
		for _, list := range lists {
			for _, name := range list.names {
				s := source{name, list.path + "/" + filepath.Base(name), !p.DepOnly}
				if !filepath.IsAbs(name) {
					s.name = filepath.Join(p.Dir, name)
				}
				all = append(all, s)
			}
		}
	}
	return all
}
