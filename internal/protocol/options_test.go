package protocol

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/racepred/racepred/internal/predictors"
)

func TestParseOptions(t *testing.T) {
	for text, want := range map[string]Options{
		"":                          {},
		"window=5":                  {Window: 5},
		",memory=9, states=7,":      {Memory: 9, States: 7},
		"sample=off,sample=20":      {Sample: 20}, // the last one holds
		"sample=off":                {Sample: SampleOff},
		"predict=none,filter=off":   {RecordOnly: true, Unfiltered: true},
		"check=on,flip=on,drain=12": {Check: true, Flip: true, Drain: 12},
		"alone=off":                 {Alone: AloneNever},
		"alone=timers":              {Alone: AloneTimers},
		"engines=syncp+hb,states=2": {Engines: []string{"syncp", "hb"}, States: 2},
	} {
		o, err := ParseOptions(text)
		require.NoError(t, err, text)
		require.Equal(t, want, o, text)
	}
}

func TestBadOptions(t *testing.T) {
	const all = " the options are memory, window, states, sample, engines, predict, leaks, schedule, filter, check, flip, alone, drain"
	for text, want := range map[string]string{
		"smaple=5":                    `unknown option "smaple", did you mean sample?` + all,
		"Window=5":                    `unknown option "Window", did you mean window?` + all,
		"colour=1":                    `unknown option "colour";` + all,
		"=1":                          `unknown option "";` + all,
		"window":                      `invalid value "" of option window: it is a number, at least 1`,
		"window=5 MB":                 `invalid value "5 MB" of option window: it is a number, at least 1`,
		"check=on,memory=0":           `invalid value "0" of option memory: it is a number, at least 1`,
		"sample=0":                    `invalid value "0" of option sample: it is off or a number of events`,
		"engines=hb+magic":            `invalid value "hb+magic" of option engines: there is no predictor "magic"; they are ` + strings.Join(predictors.Names(), ", "),
		"predict=all":                 `invalid value "all" of option predict: it is none, or not given`,
		"check":                       `invalid value "" of option check: it is on, or not given`,
		"memory=99999999999999999999": `invalid value "99999999999999999999" of option memory: it is a number, at least 1`,
	} {
		_, err := ParseOptions(text)
		require.EqualError(t, err, want, text)
	}
}

func TestOptionsAsText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		count := rapid.IntRange(0, 1<<40)
		engines := rapid.SampledFrom([][]string{nil, {"hb"}, {"wcp", "syncp"}})
		o := Options{
			Memory: count.Draw(t, "memory"), Window: count.Draw(t, "window"), States: count.Draw(t, "states"),
			Engines:    engines.Draw(t, "engines"),
			Sample:     Sample(rapid.IntRange(-1, 1<<40).Draw(t, "sample")),
			RecordOnly: rapid.Bool().Draw(t, "record"), Unfiltered: rapid.Bool().Draw(t, "unfiltered"),
			Alone: Alone(rapid.IntRange(0, int(AloneTimers)).Draw(t, "alone")),
			Check: rapid.Bool().Draw(t, "check"), Flip: rapid.Bool().Draw(t, "flip"), Drain: count.Draw(t, "drain"),
		}
		back, err := ParseOptions(o.String())
		require.NoError(t, err)
		require.Equal(t, o, back)
	})
}

func TestEveryOptionHasHelp(t *testing.T) {
	for _, h := range OptionsHelp() {
		name, value, _ := strings.Cut(h[0], "=")
		require.NotEmpty(t, name)
		require.NotEmpty(t, value, name)
		require.NotEmpty(t, h[1], name)
	}
}

func TestSample(t *testing.T) {
	require.Equal(t, 7, SampleDefault.Allowance(7))
	require.Equal(t, 0, SampleOff.Allowance(7))
	require.Equal(t, 9, Sample(9).Allowance(7))
}

func TestCopied(t *testing.T) {
	c := Copied{Original: "/go", Copy: "/cache/go"}
	for in, want := range map[string]string{"/cache/go/src/a.go": "/go/src/a.go", "/cache/go2/src/a.go": "/cache/go2/src/a.go", "/cache/go": "/cache/go", "": ""} {
		require.Equal(t, want, c.Name(in))
	}
	require.Equal(t, "/x.go", Copied{}.Name("/x.go"))
}

func TestSettings(t *testing.T) {
	s := Settings{Dir: "/d", State: "/s", Trace: "/t", Root: "/r", Possible: true, Seen: true, GOROOT: Copied{Original: "/go", Copy: "/cache/go"}, Options: Options{Window: 5}}
	for _, want := range []Settings{s, {Options: Options{Sample: SampleOff}}, {}} {
		env := map[string]string{}
		for _, e := range want.Environ() {
			name, value, _ := strings.Cut(e, "=")
			env[name] = value
		}
		got, err := ReadSettings(func(name string) string { return env[name] })
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	_, err := ReadSettings(func(name string) string { return map[string]string{EnvOpts: "windows=1"}[name] })
	require.ErrorContains(t, err, `RACEPRED_OPTS: unknown option "windows", did you mean window?`)
}
