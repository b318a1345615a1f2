package waive

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/report"
)

func race() *report.Finding {
	access := func(file string, line int) report.Access {
		return report.Access{File: file, Line: line, Stack: []report.Frame{{Func: "ex.com/m.(*Cache).Put", File: file, Line: line}, {Func: "ex.com/m.TestPut", File: "/m/m_test.go", Line: 9}}}
	}
	return &report.Finding{Fingerprint: "f1", Kind: report.Race, Verdict: report.Predicted, Accesses: []report.Access{access("/m/a.go", 10), access("/m/b.go", 20)}}
}

func TestOf(t *testing.T) {
	pattern := func(s string) []Pattern {
		p, ok := ParsePattern(s)
		require.True(t, ok)
		return []Pattern{p}
	}
	for name, c := range map[string]struct {
		rules  Rules
		why    string
		silent bool
	}{
		"nothing":              {rules: Rules{}},
		"another fingerprint":  {rules: Rules{Known: map[string]bool{"f2": true}}},
		"known":                {Rules{Known: map[string]bool{"f1": true}}, ByBaseline, true},
		"ignored":              {Rules{Ignored: []Lines{{"/m/b.go", 18, 20, "benign"}}}, "ignored: benign", true},
		"another line":         {rules: Rules{Ignored: []Lines{{"/m/b.go", 21, 22, "benign"}}}},
		"another file":         {rules: Rules{Ignored: []Lines{{"/m/c.go", 20, 20, "benign"}}}},
		"suppressed":           {Rules{Patterns: pattern("race:Cache")}, "suppressed: race:Cache", true},
		"suppressed by caller": {Rules{Patterns: pattern("race:^ex.com/m.Test*")}, "suppressed: race:^ex.com/m.Test*", true},
		"suppressed by file":   {Rules{Patterns: pattern("race:b.go$")}, "suppressed: race:b.go$", true},
		"top only":             {rules: Rules{Patterns: pattern("race_top:TestPut")}},
		"another kind":         {rules: Rules{Patterns: pattern("deadlock:Cache")}},
		"fail on predicted":    {rules: Rules{Least: report.Predicted}},
		"fail on observed":     {Rules{Least: report.Observed}, "-fail-on observed", false},
		"fail on nothing":      {Rules{Least: None}, "-fail-on none", false},
		"fail on this kind":    {rules: Rules{Kinds: []report.Kind{report.Race}}},
		"fail on another kind": {Rules{Kinds: []report.Kind{report.Deadlock}}, "-fail-on leaves out this kind", false},
		"on a new line":        {rules: Rules{Since: "main", Changed: []Lines{{File: "/m/a.go", First: 1, Last: 2}, {File: "/m/b.go", First: 19, Last: 20}}}},
		"on no new line":       {Rules{Since: "main", Changed: []Lines{{File: "/m/a.go", First: 11, Last: 30}}}, "-new-from main: no access is on a line that changed", false},
		"nothing is new":       {Rules{Since: "main"}, "-new-from main: no access is on a line that changed", false},
		"a new baseline":       {Rules{All: true}, ByNewBaseline, false},
	} {
		t.Run(name, func(t *testing.T) {
			why := c.rules.Of(race())
			require.Equal(t, c.why, why)
			require.Equal(t, c.silent, Silent(why))
		})
	}
	require.Empty(t, (*Rules)(nil).Of(race()))
}

func TestPattern(t *testing.T) {
	for _, c := range []struct {
		glob, name string
		want       bool
	}{
		{"put", "m.put", true}, {"put", "m.Put", false}, {"^m.", "m.put", true}, {"^put", "m.put", false}, {"put$", "m.put", true},
		{"put$", "m.put2", false}, {"^m.put$", "m.put", true}, {"^m.put$", "am.put", false}, {"m.*t", "m.put", true}, {"^m*2$", "m.put2", true},
		{"a*b*c", "xaxbxcx", true}, {"a*c*b", "xaxbxcx", false}, {"*", "", true}, {"ab*ba$", "aba", false},
	} {
		p, ok := ParsePattern("race:" + c.glob)
		require.True(t, ok)
		require.Equal(t, c.want, p.in(c.name), "%s in %s", c.glob, c.name)
	}
	for _, line := range []string{"", "race:", "race", "thread:x", "signal:y", "Cache"} {
		_, ok := ParsePattern(line)
		require.False(t, ok, line)
	}
}

func TestEncode(t *testing.T) {
	p, _ := ParsePattern("race:a b*c")
	tab, _ := ParsePattern("race:a\tb")
	r := &Rules{
		Known: map[string]bool{"f1": true, "f0": true}, All: true, Ignored: []Lines{{"/m/a \t\"b.go", 3, 4, "why, not"}}, Patterns: []Pattern{p, tab},
		Since: "v1.0", Changed: []Lines{{File: "/m/a b.go", First: 3, Last: 4}},
		Least: report.Observed, Kinds: []report.Kind{report.Race, report.Leak},
	}
	back, err := Parse(r.Encode())
	require.NoError(t, err)
	require.Equal(t, r, back)
	empty, err := Parse((&Rules{}).Encode())
	require.NoError(t, err)
	require.Equal(t, &Rules{Known: map[string]bool{}}, empty)
	for _, bad := range []string{"nonsense\n", "known\n", "ignore\ta\tx\t2\tr\n", "suppress\tthread:x\n", "known\ta\tb\n", "least\n", "since\n", "changed\ta\t1\n", "changed\ta\t1\tx\n"} {
		parts := strings.Split(strings.TrimSuffix(bad, "\n"), "\t")
		_, err := Parse([]byte("\"all\"\n" + bad))
		require.ErrorContains(t, err, "line 2", "not quoted")
		_, err = Parse([]byte("\"all\"\n\"" + strings.Join(parts, "\"\t\"") + "\"\n"))
		require.ErrorContains(t, err, "line 2", bad)
	}
}
