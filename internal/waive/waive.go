// Package waive decides which findings fail nothing: those that a baseline knows, that a comment in
// the source says to ignore, that a suppression matches, or that -fail-on does not ask for. The
// command writes the rules to a file, and each test process reads them, so that it fails its tests
// for the others only.
//
//	(V1) baseline: the finding's fingerprint is known.
//	(V2) ignore: the position of one of its accesses is one of the lines.
//	(V3) suppression: a function or a file on the stack of one of its accesses matches, as
//	     ThreadSanitizer matches them.
//	(V4) new-from: none of its accesses is on a line that changed since a revision.
//	(V5) fail-on: its verdict is less sure than the least sure one that fails, or its kind is not
//	     among those that do.
//
// What (V1) to (V3) waive is not printed, what (V4) and (V5) do is.
package waive

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/racepred/racepred/internal/report"
)

// Rules are what is waived. The zero value waives nothing.
type Rules struct {
	Known    map[string]bool // (V1) fingerprints
	All      bool            // (V1) whatever would fail: the baseline is being made
	Leaks    bool            // (V1) with All: leaks would fail
	Ignored  []Lines         // (V2)
	Patterns []Pattern       // (V3)
	Since    string          // (V4) the revision; "" is none
	Changed  []Lines         // (V4)
	Least    report.Verdict  // (V5) Observed, Predicted or, for nothing at all, None; "" is Predicted
	Kinds    []report.Kind   // (V5) nil are all
}

// None is the verdict of Rules.Least that no finding has.
const None report.Verdict = "none"

// Lines are those that a comment is about.
type Lines struct {
	File        string // as stacks name it
	First, Last int
	Reason      string
}

// About reports whether an access is on one of the lines.
func (l *Lines) About(a *report.Access) bool {
	return l.File == a.File && l.First <= a.Line && a.Line <= l.Last
}

// What a waived finding says of its reason begins with one of these.
const (
	ByBaseline    = "the baseline knows it"
	ByNewBaseline = "it goes into the baseline"
	ByIgnore      = "ignored: "
	BySuppression = "suppressed: "
	ByFailOn      = "-fail-on "
	ByNewFrom     = "-new-from "
)

// Silent reports whether what is waived for this reason is not even printed.
func Silent(why string) bool {
	return why == ByBaseline || strings.HasPrefix(why, ByIgnore) || strings.HasPrefix(why, BySuppression)
}

// Of says why f fails nothing, "" if it does. Leaks fail nothing by themselves, which is not for
// here to say.
func (r *Rules) Of(f *report.Finding) string {
	if r == nil {
		return ""
	}
	if r.Known[f.Fingerprint] {
		return ByBaseline
	}
	for i := range f.Accesses {
		for j := range r.Ignored {
			if l := &r.Ignored[j]; l.About(&f.Accesses[i]) {
				return ByIgnore + l.Reason
			}
		}
	}
	for _, p := range r.Patterns {
		if p.matches(f) {
			return BySuppression + p.Text
		}
	}
	if r.Since != "" && f.Verdict.Fails() && !anyOn(f, r.Changed) {
		return ByNewFrom + r.Since + ": no access is on a line that changed"
	}
	switch {
	case f.Kind != report.Leak && r.Kinds != nil && !slices.Contains(r.Kinds, f.Kind):
		return ByFailOn + "leaves out this kind"
	case r.Least == None || r.Least != "" && r.Least.Surer(f.Verdict) && f.Verdict != report.Possible:
		return ByFailOn + string(r.Least)
	case r.All && f.Verdict != report.Possible && (f.Kind != report.Leak || r.Leaks):
		return ByNewBaseline
	}
	return ""
}

// anyOn reports whether an access of f is on one of the lines.
func anyOn(f *report.Finding, lines []Lines) bool {
	for i := range f.Accesses {
		for j := range lines {
			if lines[j].About(&f.Accesses[i]) {
				return true
			}
		}
	}
	return false
}

// Encode is r as Parse reads it: a rule a line, with tabs between its parts, which are quoted.
func (r *Rules) Encode() []byte {
	var b strings.Builder
	line := func(parts ...string) {
		for i, part := range parts {
			parts[i] = strconv.Quote(part)
		}
		b.WriteString(strings.Join(parts, "\t") + "\n")
	}
	var known []string
	for f := range r.Known {
		known = append(known, f)
	}
	slices.Sort(known)
	for _, f := range known {
		line("known", f)
	}
	if r.All {
		line("all")
	}
	if r.Leaks {
		line("leaks")
	}
	for _, l := range r.Ignored {
		line("ignore", l.File, strconv.Itoa(l.First), strconv.Itoa(l.Last), strings.Join(strings.Fields(l.Reason), " "))
	}
	for _, p := range r.Patterns {
		line("suppress", p.Text)
	}
	if r.Since != "" {
		line("since", r.Since)
	}
	for _, l := range r.Changed {
		line("changed", l.File, strconv.Itoa(l.First), strconv.Itoa(l.Last))
	}
	if r.Least != "" {
		line("least", string(r.Least))
	}
	if r.Kinds != nil {
		parts := []string{"kinds"}
		for _, k := range r.Kinds {
			parts = append(parts, string(k))
		}
		line(parts...)
	}
	return []byte(b.String())
}

// Parse reads what Encode wrote.
func Parse(data []byte) (*Rules, error) {
	r := &Rules{Known: map[string]bool{}}
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		parts := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		for i, part := range parts {
			var err error
			if parts[i], err = strconv.Unquote(part); err != nil {
				return nil, fmt.Errorf("line %d: %w", n, errRule)
			}
		}
		if err := r.line(parts); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	return r, nil
}

var errRule = errors.New("this is no rule")

func (r *Rules) line(parts []string) error {
	args := parts[1:]
	switch parts[0] {
	case "known":
		if len(args) != 1 {
			return errRule
		}
		r.Known[args[0]] = true
	case "all":
		r.All = true
	case "leaks":
		r.Leaks = true
	case "ignore":
		if len(args) != 4 {
			return errRule
		}
		l, err := parseLines(args)
		if err != nil {
			return err
		}
		l.Reason = args[3]
		r.Ignored = append(r.Ignored, l)
	case "suppress":
		if len(args) != 1 {
			return errRule
		}
		p, ok := ParsePattern(args[0])
		if !ok {
			return errRule
		}
		r.Patterns = append(r.Patterns, p)
	case "since":
		if len(args) != 1 {
			return errRule
		}
		r.Since = args[0]
	case "changed":
		if len(args) != 3 {
			return errRule
		}
		l, err := parseLines(args)
		if err != nil {
			return err
		}
		r.Changed = append(r.Changed, l)
	case "least":
		if len(args) != 1 {
			return errRule
		}
		r.Least = report.Verdict(args[0])
	case "kinds":
		r.Kinds = []report.Kind{}
		for _, k := range args {
			r.Kinds = append(r.Kinds, report.Kind(k))
		}
	default:
		return errRule
	}
	return nil
}

// parseLines reads a file and its first and last line.
func parseLines(args []string) (Lines, error) {
	first, err := strconv.Atoi(args[1])
	last, err2 := strconv.Atoi(args[2])
	if err != nil || err2 != nil {
		return Lines{}, errRule
	}
	return Lines{File: args[0], First: first, Last: last}, nil
}
