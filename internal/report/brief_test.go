package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// about is a finding about a variable at a line.
func about(variable string, line int, v Verdict) *Finding {
	f := cacheRace()
	f.Verdict, f.Variable, f.Fingerprint, f.Witness = v, variable, variable, nil
	f.Accesses[0].Line = line
	return &f
}

// TestPrinter: what a reader sees of many findings. (R1, R2)
func TestPrinter(t *testing.T) {
	var p Printer
	print := func(f *Finding) string { return string(p.Append(nil, f)) }
	require.Contains(t, print(about("n", 1, Possible)), ruler)
	require.Contains(t, print(about("n", 2, Predicted)), ruler, "it fails, and the one before did not")
	for i := range maxBrief {
		text := print(about("n", 3+i, Predicted))
		require.Equal(t, 1, strings.Count(text, "\n"))
		require.Contains(t, text, "WARNING: DATA RACE on n in TestCache (predicted by wcp): ")
		require.Contains(t, text, fmt.Sprintf("cache.go:%d", 3+i))
	}
	require.Empty(t, print(about("n", 90, Predicted)))
	other := about("n", 91, Predicted)
	other.Test = "TestOther"
	require.Contains(t, print(other), "in TestOther (")
	literal := about("n", 92, Predicted)
	literal.Accesses[0].Func += ".func2"
	require.Contains(t, print(literal), ruler, "another literal's variable")
	unnamed := about("", 5, Predicted)
	unnamed.Accesses[0].Expr = ""
	for i := 3; i < maxFull; i++ {
		require.Contains(t, print(unnamed), ruler, "who knows whether they are the same")
	}
	require.Equal(t, 2, strings.Count(print(about("k", 1, Observed)), "\n"), "that it begins is said")
	require.Equal(t, "WARNING: DATA RACE on l in TestCache (observed by wcp): read at /src/m/cache/cache.go:50, previous write at /src/m/cache/cache.go:1\n", print(about("l", 1, Observed)))
}

func TestAlsoIsListed(t *testing.T) {
	f := about("n", 1, Predicted)
	for i := range maxAlso + 2 {
		f.Also = append(f.Also, Places{Verdict: Predicted, Accesses: []Place{{Op: "write", File: "/m/a.go", Line: i, Expr: "n"}, {Op: "read", File: "/m/b.go", Line: 7, Expr: "n[i]"}}})
	}
	f.Also[0].Verdict = Possible
	text := string(AppendText(nil, f, "/m"))
	require.Contains(t, text, "\nThe same is found at other places of these functions:\n  read of n[i] at b.go:7, previous write of n at a.go:0 (possible)\n"+
		"  read of n[i] at b.go:7, previous write of n at a.go:1\n")
	require.Contains(t, text, "  and at 2 more\n==")
	require.Len(t, f.Each(), maxAlso+3)
	require.Equal(t, Possible, f.Each()[1].Verdict)
	require.Equal(t, 7, f.Each()[1].Accesses[1].Line)
}
