package report

import (
	"slices"
	"strconv"
	"strings"
)

// Printer prints the findings of one test process, or of one package, as they come:
//
// (R1) the first one about a variable between two functions (Finding) is in full, and the others
// are a line each, maxBrief of a test at most;
// (R2) so are all but the first maxFull. Before the first such line it is said where all are in
// full.
type Printer struct {
	Root string // as of AppendText

	full int
	said bool
	seen map[string]printed // by Subject
}

type printed struct {
	verdict Verdict // of the last one
	test    string  // likewise
	brief   int     // lines in a row about this test
}

const (
	maxFull  = 500
	maxBrief = 5
)

// Append appends f as a reader is to see it, which may be nothing.
func (p *Printer) Append(b []byte, f *Finding) []byte {
	if p.seen == nil {
		p.seen = make(map[string]printed)
	}
	key := f.Subject()
	old, again := p.seen[key]
	again = again && key != "" && (old.verdict.Fails() || !f.Verdict.Fails())
	if !again && p.full < maxFull {
		p.full++
		p.seen[key] = printed{verdict: f.Verdict, test: f.Test}
		return AppendText(b, f, p.Root)
	}
	switch {
	case again && f.Test == old.test:
		old.brief++
	case again: // it fails, too, and its reader wants to know why
		old.brief = 1
	}
	p.seen[key] = printed{f.Verdict, f.Test, old.brief}
	if old.brief > maxBrief {
		return b
	}
	if !again && !p.said {
		p.said = true
		b = append(b, "racepred: "+strconv.Itoa(maxFull)+" findings were printed in full; from here on each is a line. The file of -report FILE has all in full.\n"...)
	}
	return AppendBrief(b, f, p.Root)
}

// Subject is what findings of one variable between the same functions have in common, within a
// report: their fingerprints, which take all literals of a function for one, and the functions. It
// is "" for accesses without a name, of which it is not known whether they are of one variable.
// Atomic accesses never have a name: they are of the variable of an access that has one.
func (f *Finding) Subject() string {
	if !f.Kind.OfVariable() {
		return ""
	}
	functions, named := make([]string, len(f.Accesses)), false
	for i := range f.Accesses {
		a := &f.Accesses[i]
		if a.Expr == "" && !strings.HasPrefix(a.Op, "atomic ") {
			return ""
		}
		named = named || a.Expr != ""
		functions[i] = a.File + ":" + a.Func
	}
	if !named {
		return ""
	}
	slices.Sort(functions)
	return f.Fingerprint + "|" + strings.Join(functions, "|")
}

// AppendBrief appends f as a line: "WARNING: DATA RACE on c.n in TestPut (predicted by wcp): read
// at cache.go:9, previous write at cache.go:7".
func AppendBrief(b []byte, f *Finding, root string) []byte {
	t := text{b: b, root: root}
	t.add("WARNING: ", kinds[f.Kind].title)
	if f.Variable != "" {
		t.add(" on ", f.Variable)
	}
	if f.Test != "" {
		t.add(" in ", f.Test)
	}
	t.add(" (", string(f.Verdict))
	for i, by := range f.By {
		t.add([]string{" by ", ", "}[min(i, 1)], by)
	}
	t.add("): ")
	places := make([]Place, len(f.Accesses))
	for i := range f.Accesses {
		a := &f.Accesses[i]
		places[i] = Place{Op: a.Op, File: a.File, Line: a.Line}
	}
	t.places(f.Kind, places)
	t.add("\n")
	return t.b
}

// maxAlso is how many of a finding's Places are listed.
const maxAlso = 8

// also lists the other places of a finding.
func (t *text) also(f *Finding) {
	if len(f.Also) == 0 {
		return
	}
	t.add("\nThe same is found ", f.Elsewhere())
	if f.Kind.OfVariable() {
		t.add(" of these functions")
	}
	t.add(":\n")
	for i := range f.Also {
		if i == maxAlso {
			t.add("  and at ", strconv.Itoa(len(f.Also)-i), " more\n")
			return
		}
		t.add("  ")
		if p := &f.Also[i]; f.Kind.OfVariable() {
			t.places(f.Kind, p.Accesses)
		} else if t.add(p.Package); p.Test != "" {
			t.add(", in ", p.Test)
		}
		if v := f.Also[i].Verdict; v != f.Verdict {
			t.add(" (", string(v), ")")
		}
		t.add("\n")
	}
}

// places writes the operations and their positions, in the order of AppendText.
func (t *text) places(k Kind, list []Place) {
	for n := range list {
		i := n
		if kinds[k].backwards {
			i = len(list) - 1 - n
		}
		p := &list[i]
		if n > 0 {
			t.add(", ", kinds[k].further)
		}
		t.add(p.Op)
		if p.Expr != "" {
			t.add(" of ", p.Expr)
		}
		t.add(" at ", t.rel(p.File), ":", strconv.Itoa(p.Line))
	}
}
