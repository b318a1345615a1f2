package format

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/racepred/racepred/internal/report"
)

// How many findings are printed in full. The others are a line each, and beyond that a number.
const (
	fullFindings = 20  // all of so many
	fullGroups   = 100 // or one of each of so many groups
	groupLines   = 10
)

// encodeText has the findings as the tests print them, then what was not covered, and the number of
// findings by verdict:
//
//	(X1) findings about one variable come together, the surest first; the variable with the surest
//	     finding comes first;
//	(X2) of more than fullFindings, one about each variable is in full, and the others are a line
//	     each.
func encodeText(r *report.Report) ([]byte, error) {
	var b []byte
	findings := shown(r.Findings)
	all := len(findings) <= fullFindings
	for i, g := range groups(findings) {
		for n, f := range g {
			switch {
			case all || n == 0 && i < fullGroups:
				b = report.AppendText(b, f, "")
			case n < groupLines:
				b = append(b, oneOfMany(f)+"\n"...)
			case n == groupLines:
				b = append(b, fmt.Sprintf("and %d more about it\n", len(g)-n)...)
			}
		}
		if !all {
			b = append(b, '\n')
		}
	}
	for _, u := range r.Uncovered {
		b = append(b, "not covered: "+u.String()+"\n"...)
	}
	return append(b, Summary(r.Findings)+"\n"...), nil
}

// groups are the findings by (X1). A finding without a variable is a group by itself.
func groups(findings []report.Finding) (list [][]*report.Finding) {
	at := map[string]int{}
	for i := range findings {
		f := &findings[i]
		key := fmt.Sprintf("%s\x00%s\x00%s", f.Kind, f.Package, f.Variable)
		n, ok := at[key]
		if !ok || f.Variable == "" {
			n = len(list)
			at[key] = n
			list = append(list, nil)
		}
		list[n] = append(list[n], f)
	}
	surest := func(f, g *report.Finding) int {
		return cmp.Or(-compareBool(f.Fails(), g.Fails()), compareBool(g.Verdict.Surer(f.Verdict), f.Verdict.Surer(g.Verdict)))
	}
	for _, g := range list {
		slices.SortStableFunc(g, surest)
	}
	slices.SortStableFunc(list, func(a, b []*report.Finding) int { return surest(a[0], b[0]) })
	return list
}

// compareBool has false before true.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// oneOfMany is a finding in a line of (X2): "R7 predicted data race on c.n: write cache.go:7, read
// cache.go:9, in TestPut".
func oneOfMany(f *report.Finding) string {
	s := fmt.Sprintf("%s %s %s", f.ID, f.Verdict, strings.ToLower(ruleOf(f.Kind).title))
	if f.Variable != "" {
		s += " on " + f.Variable
	}
	for i := range f.Accesses {
		a := &f.Accesses[i]
		s += fmt.Sprintf("%s %s %s:%d", map[bool]string{true: ":", false: ","}[i == 0], a.Op, a.File, a.Line)
	}
	if f.Test != "" {
		s += ", in " + f.Test
	}
	if n := len(f.Also); n > 0 {
		s += fmt.Sprintf(", and %s: %d", f.Elsewhere(), n)
	}
	return s
}
