package waive

import (
	"strings"

	"github.com/racepred/racepred/internal/report"
)

// Pattern is a line of a suppression file of ThreadSanitizer, "race:(*Cache).Put". Its text matches
// a function's name or a file's if it is a part of it; "*" matches anything, "^" the
// beginning and "$" the end.
type Pattern struct {
	Text string // the line
	kind report.Kind
	top  bool // the innermost frame alone is looked at
	glob string
}

var patternKinds = map[string]Pattern{
	"race":     {kind: report.Race},
	"race_top": {kind: report.Race, top: true},
	"deadlock": {kind: report.Deadlock},
}

// ParsePattern reads a line. Not ok: it is of no kind that racepred has findings of, or of no kind
// at all.
func ParsePattern(line string) (p Pattern, ok bool) {
	kind, glob, _ := strings.Cut(line, ":")
	if p, ok = patternKinds[kind]; !ok || glob == "" {
		return Pattern{}, false
	}
	p.Text, p.glob = line, glob
	return p, true
}

func (p *Pattern) matches(f *report.Finding) bool {
	if f.Kind != p.kind {
		return false
	}
	for i := range f.Accesses {
		stack := f.Accesses[i].Stack
		if p.top {
			stack = stack[:min(1, len(stack))]
		}
		for _, fr := range stack {
			if p.in(fr.Func) || p.in(fr.File) {
				return true
			}
		}
	}
	return false
}

// in reports whether the pattern is in a name.
func (p *Pattern) in(name string) bool {
	glob, first := strings.CutPrefix(p.glob, "^")
	glob, last := strings.CutSuffix(glob, "$")
	parts := strings.Split(glob, "*")
	for i, part := range parts {
		switch {
		case i == len(parts)-1 && last:
			if i == 0 && first && name != part {
				return false
			}
			return strings.HasSuffix(name, part)
		case i == 0 && first:
			if !strings.HasPrefix(name, part) {
				return false
			}
			name = name[len(part):]
		default:
			at := strings.Index(name, part)
			if at < 0 {
				return false
			}
			name = name[at+len(part):]
		}
	}
	return true
}
