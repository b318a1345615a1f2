package config

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

var keys = []Key{{Name: "fail-on"}, {Name: "memory"}, {Name: "report", List: true}, {Name: "possible", Bool: true}}

func TestParse(t *testing.T) {
	got, err := Parse("f", []byte(`# comment
fail-on: observed
memory: 1073741824
report:
  - a.json # one
  - "b c.md"
possible: yes it is
`), keys)
	require.ErrorContains(t, err, `f:7: possible is true or false, and not "yes it is"`)
	require.Nil(t, got)
	got, err = Parse("f", []byte("fail-on: observed\nmemory: 1073741824\nreport: [&a a.json, 'b c.md', *a]\npossible: true\n"), keys)
	require.NoError(t, err)
	require.Equal(t, []Setting{
		{"fail-on", []string{"observed"}, 1}, {"memory", []string{"1073741824"}, 2}, {"report", []string{"a.json", "b c.md", "a.json"}, 3}, {"possible", []string{"true"}, 4},
	}, got)
	got, err = Parse("f", []byte("report: a.json"), keys)
	require.NoError(t, err)
	require.Equal(t, []Setting{{"report", []string{"a.json"}, 1}}, got)
	for _, empty := range []string{"", "\n", "# nothing\n", "---\n", "---\n# nothing\n"} {
		got, err = Parse("f", []byte(empty), keys)
		require.NoError(t, err, "%q", empty)
		require.Empty(t, got)
	}
}

func TestParseErrors(t *testing.T) {
	const all = " the keys are fail-on, memory, report, possible"
	for text, want := range map[string]string{
		"\nfailon: x":                `f:2: unknown key "failon", did you mean fail-on?` + all,
		"Memory: 1GiB":               `f:1: unknown key "Memory", did you mean memory?` + all,
		"colour: red":                `f:1: unknown key "colour";` + all,
		"memory: 1\n\nmemory: 2":     "f:3: memory is there already, in line 1",
		"memory:":                    "f:1: memory has no value",
		"memory: [1, 2]":             "f:1: memory has one value",
		"memory: {a: 1}":             "f:1: memory has one value",
		"report: {a: 1}":             "f:1: report is a word or a list of words",
		"report:\n- a\n- [b]":        "f:3: report is a list of words",
		"report:\n- a\n-":            "f:3: report is a list of words",
		"- a":                        "f:1: it is no list of settings",
		"just text":                  "f:1: it is no list of settings",
		"memory: 1\n---\nmemory: 1":  "f:2: there is a second document",
		"memory: [1":                 "f:1: did not find expected ',' or ']'",
		"memory: 1\n  report: a":     "f:2: mapping values are not allowed in this context",
		"memory: *x":                 "f: unknown anchor 'x' referenced",
		"\tmemory: 1":                "f: found character that cannot start any token",
		"memory: \x01":               "f: control characters are not allowed",
		"[a]: 1":                     `f:1: unknown key ""`,
		"&x memory: 1\nreport: [*x]": "",
	} {
		_, err := Parse("f", []byte(text), keys)
		if want == "" {
			require.NoError(t, err, text)
			continue
		}
		require.ErrorContains(t, err, want, text)
	}
}

func TestFind(t *testing.T) {
	top := t.TempDir()
	put := func(names ...string) {
		for _, n := range names {
			n = filepath.Join(top, n)
			require.NoError(t, os.MkdirAll(filepath.Dir(n), 0o777))
			require.NoError(t, os.WriteFile(n, nil, 0o666))
		}
	}
	find := func(dir string) string {
		name, err := filepath.Rel(top, Find(filepath.Join(top, dir)))
		if Find(filepath.Join(top, dir)) == "" {
			return ""
		}
		require.NoError(t, err)
		return filepath.ToSlash(name)
	}
	put("r/.git/HEAD", "r/m/go.mod", "r/m/p/q/x.go", "outside/go.mod", Name, "none/x.go", "r/work/go.work", "r/work/z/z.go")
	require.Empty(t, find("r/m/p/q"))
	require.Empty(t, find("outside"), "in no repository, only the module's root")
	require.Empty(t, find("none"), "in no module")
	put("r/" + Name)
	require.Equal(t, "r/"+Name, find("r/m/p/q"))
	require.Equal(t, "r/"+Name, find("r/work/z"))
	put("r/m/" + Name)
	require.Equal(t, "r/m/"+Name, find("r/m/p/q"))
	put("r/m/p/" + Name)
	require.Equal(t, "r/m/"+Name, find("r/m/p/q"), "below the root it counts for nothing")
	put("outside/" + Name)
	require.Equal(t, "outside/"+Name, find("outside"))
}
