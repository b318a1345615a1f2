package gotestplugin

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/report"
)

func TestParseArgs(t *testing.T) {
	off := "off"
	for name, c := range map[string]struct {
		in   []string
		want func(*args)
		rest []string
	}{
		"nothing": {},
		"ours are taken out": {
			in: []string{"-report", "r.json", "--possible", "-v", "./...", "-deps=a/...,b", "-deps", "c", "-keep=false", "-instrument=all"},
			want: func(a *args) {
				a.report, a.possible, a.deps, a.instrument = []string{"r.json"}, true, []string{"a/...", "b", "c"}, instrumentAll
				a.packages = []string{"./..."}
			},
			rest: []string{"-v", "./..."},
		},
		"(A1) flags on both sides of the packages": {
			in:   []string{"-run", "X", "a", "b", "-count=2", "-short"},
			want: func(a *args) { a.packages = []string{"a", "b"} },
			rest: []string{"-run", "X", "a", "b", "-count=2", "-short"},
		},
		"(A2) an unknown flag ends the package list before it began": {
			in:   []string{"-myflag", "a", "-v"},
			rest: []string{"-myflag", "a", "-v"},
		},
		"(A2) also with a value of its own, then nothing after it is read": {
			in:   []string{"-myflag=1", "a", "-report=x.json"},
			rest: []string{"-myflag=1", "a", "-report=x.json"},
		},
		"(A3) a positional argument after the list": {
			in:   []string{"a", "-v", "b", "-possible"},
			want: func(a *args) { a.packages = []string{"a"} },
			rest: []string{"a", "-v", "b", "-possible"},
		},
		"(A3) -args": {
			in:   []string{"-possible", "a", "-args", "-report", "x", "-v"},
			want: func(a *args) { a.possible, a.packages = true, []string{"a"} },
			rest: []string{"a", "-args", "-report", "x", "-v"},
		},
		"(A3) --": {
			in:   []string{"a", "--", "-possible"},
			want: func(a *args) { a.packages = []string{"a"} },
			rest: []string{"a", "--", "-possible"},
		},
		"test. prefix": {
			in:   []string{"-test.run", "X", "-test.v", "a"},
			want: func(a *args) { a.packages = []string{"a"} },
			rest: []string{"-test.run", "X", "-test.v", "a"},
		},
		"merged flags are taken out": {
			in: []string{"-C", "sub", "-vet=off", "-overlay", "o.json", "-gcflags=-N", "-gcflags", "all=-l", "-tags=x"},
			want: func(a *args) {
				a.dir, a.vet, a.overlay, a.gcflags = "sub", &off, "o.json", []string{"-N", "all=-l"}
				a.load = []string{"-overlay=o.json", "-tags=x"}
			},
			rest: []string{"-tags=x"},
		},
		"racepred flags may come before -C": {
			in:   []string{"-possible", "-C=sub"},
			want: func(a *args) { a.possible, a.dir = true, "sub" },
		},
		"a sanitizer that is switched off": {
			in:   []string{"-race=false"},
			rest: []string{"-race=false"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := parseArgs(c.in)
			require.NoError(t, err)
			require.Equal(t, c.rest, got.words(nil))
			want := &args{instrument: instrumentAuto}
			if c.want != nil {
				c.want(want)
			}
			got.rest, got.set, got.given = nil, nil, nil
			require.Equal(t, want, got)
		})
	}
}

func TestParseArgsRefuses(t *testing.T) {
	for in, want := range map[string]string{
		"-race":            "-race cannot be used: ",
		"-msan=true":       "-msan cannot be used: ",
		"-tags=slow,msan":  "-tags msan cannot be used: ",
		"-tags=x asan":     "-tags asan cannot be used: ",
		"-asan":            "-asan cannot be used: ",
		"-compiler=gccgo":  "-compiler cannot be used: ",
		"-instrument=no":   `invalid value "no" for flag -instrument`,
		"-search-time=-1s": `invalid value "-1s" for flag -search-time`,
		"-possible=7up":    `invalid boolean value "7up" for -possible`,
		"-report":          "flag needs an argument: -report",
	} {
		_, err := parseArgs([]string{in})
		require.ErrorAs(t, err, new(usageError), in)
		require.ErrorContains(t, err, want)
	}
	_, err := parseArgs([]string{"-v", "-C", "x"})
	require.ErrorContains(t, err, "-C must come before")
	_, err = parseArgs([]string{"./...", "-C", "x"})
	require.ErrorContains(t, err, "-C must come before")
	_, err = parseArgs([]string{"-v", "-help"})
	require.ErrorIs(t, err, errHelp)
}

// TestParseFailOn: a list may have spaces, as all lists.
func TestParseFailOn(t *testing.T) {
	for in, want := range map[string]failOn{
		"observed":                   {least: report.Observed},
		"predicted,race":             {least: report.Predicted, kinds: []report.Kind{report.Race}},
		" predicted, race, deadlock": {least: report.Predicted, kinds: []report.Kind{report.Race, report.Deadlock}},
	} {
		got, err := parseFailOn(in)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	for in, want := range map[string]string{
		"": "it is none, observed or predicted", "race": "it is none, observed or predicted", "predicted,rice": `"rice" is no kind of finding`,
	} {
		_, err := parseFailOn(in)
		require.ErrorContains(t, err, want)
	}
}

func TestWordsWithOtherPackages(t *testing.T) {
	a, err := parseArgs([]string{"-v", "a", "b", "-run=X", "-args", "c"})
	require.NoError(t, err)
	require.Equal(t, []string{"-v", "p", "-run=X", "-args", "c"}, a.words([]string{"p"}))
}

func TestTraceIsOurs(t *testing.T) {
	a, err := parseArgs([]string{"-trace", "dir", "-test.trace=t.out", "./..."})
	require.NoError(t, err)
	require.Equal(t, "dir", a.trace)
	require.Equal(t, []string{"-test.trace=t.out", "./..."}, a.words(nil))
	require.Equal(t, []string{"./..."}, a.packages)

	a, err = parseArgs([]string{"-test.trace", "t.out", "./..."})
	require.NoError(t, err)
	require.Equal(t, "", a.trace)
	require.Equal(t, []string{"./..."}, a.packages, "the flag takes a value")
}

func TestGOFLAGS(t *testing.T) {
	a, err := parseArgs([]string{"-gcflags=-N", "-vet=printf"})
	require.NoError(t, err)
	require.NoError(t, a.withGOFLAGS(`-gcflags=all=-l '-tags=a b' -vet=off -count=3 -cover -unheardof=1 -overlay=o.json`))
	require.Equal(t, []string{"all=-l", "-N"}, a.gcflags, "in the order the go command reads them")
	require.Equal(t, "printf", *a.vet, "the command line wins")
	require.Equal(t, "3", a.set["count"])
	require.Equal(t, "o.json", a.overlay)
	require.True(t, a.covering())
	require.Empty(t, a.load, "the environment carries GOFLAGS to go list")

	a, err = parseArgs(nil)
	require.NoError(t, err)
	require.ErrorContains(t, a.withGOFLAGS("-race"), "GOFLAGS: -race cannot be used")
	require.ErrorContains(t, a.withGOFLAGS(`"-tags=x`), `unterminated " string`)
}

func TestCovering(t *testing.T) {
	for in, want := range map[string]bool{
		"-cover": true, "-cover=false": false, "-coverprofile=c.out": true, "-covermode=set": true, "-coverpkg=./...": true, "-v": false,
	} {
		a, err := parseArgs([]string{in})
		require.NoError(t, err)
		require.Equal(t, want, a.covering(), in)
	}
}

func TestQuoted(t *testing.T) {
	for in, want := range map[string][]string{
		"":               nil,
		"  ":             nil,
		"-a -b=c":        {"-a", "-b=c"},
		`'-a b' "-c'd" `: {"-a b", "-c'd"},
		`-d='x'`:         {"-d='x'"},
	} {
		got, err := splitQuoted(in)
		require.NoError(t, err)
		require.Equal(t, want, got, in)
		joined, err := joinQuoted(got)
		require.NoError(t, err)
		back, err := splitQuoted(joined)
		require.NoError(t, err)
		require.Equal(t, got, back)
	}
	_, err := joinQuoted([]string{`a '"`})
	require.Error(t, err)
}
