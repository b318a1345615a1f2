package gotestplugin

import (
	"go/build/constraint"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestTakeTag(t *testing.T) {
	for _, c := range []struct {
		list, rest string
		found      bool
	}{
		{"", "", false}, {"race", "", true}, {"a,race,b", "a,b", true}, {"a race", "a", true}, {"'race'", "", true}, {"trace,race_", "trace,race_", false}, {"a,,b", "a,,b", false},
	} {
		rest, found := takeTag(c.list, raceTag)
		require.Equal(t, c.rest, rest, c.list)
		require.Equal(t, c.found, found, c.list)
	}
}

func TestTurnConstraint(t *testing.T) {
	for in, want := range map[string]string{
		"//go:build race\n\npackage p\n":                          "//go:build !rp_\n\npackage p\n",
		"\uFEFF//go:build !race\r\n\r\npackage p\r\n":             "\uFEFF//go:build rp___\r\n\r\npackage p\r\n",
		"// +build linux,!race race\n// +build race\n\npackage p": "// +build linux,rp___ !rp_\n// +build !rp_\n\npackage p",
		"/* a */ /*\n*/ //\n//go:build !( race && x)\npackage p":  "/* a */ /*\n*/ //\n//go:build !( !rp_ && x)\npackage p",
		"//go:build trace && race_ && !race.x\n\npackage p":       "",
		"package p\n\n//go:build race\n":                          "",
		"package p; const x = `\n//go:build race\n`":              "",
		"// It is about race.\n\npackage p":                       "",
		"/*\n*/ package p\n//go:build race\n":                     "",
	} {
		require.Equal(t, want, string(turnConstraint([]byte(in))), in)
	}
}

// TestTurnRandomConstraints: what a constraint says of a run without the tag, when it is turned, is
// what it said of one with the tag.
func TestTurnRandomConstraints(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var text func(depth int) string
		text = func(depth int) string {
			switch k := rapid.IntRange(0, 5).Draw(t, "kind"); {
			case k < 2 || depth == 0:
				return rapid.SampledFrom([]string{"race", "linux", "trace", "race_x", "a.b", "éa"}).Draw(t, "tag")
			case k == 2:
				x := text(depth - 1)
				if strings.HasPrefix(x, "!") {
					x = "(" + x + ")"
				}
				return "!" + strings.Repeat(" ", rapid.IntRange(0, 1).Draw(t, "space")) + x
			case k == 3:
				return "(" + text(depth-1) + " && " + text(depth-1) + ")"
			case k == 4:
				return "(" + text(depth-1) + "||" + text(depth-1) + ")"
			}
			return "( " + text(depth-1) + " )"
		}
		line := "//go:build " + text(4)
		was, err := constraint.Parse(line)
		require.NoError(t, err, line)
		turned := turnConstraint([]byte(line + "\n\npackage p\n"))
		if turned == nil {
			was.Eval(func(tag string) bool {
				require.NotEqual(t, raceTag, tag, line)
				return false
			})
			return
		}
		require.Len(t, turned, len(line)+len("\n\npackage p\n"))
		now, _, _ := strings.Cut(string(turned), "\n")
		is, err := constraint.Parse(now)
		require.NoError(t, err, "%s: %s", line, now)
		others := rapid.MapOf(rapid.SampledFrom([]string{"linux", "trace", "race_x", "a.b", "éa"}), rapid.Bool()).Draw(t, "others")
		require.Equal(t, was.Eval(func(tag string) bool { return tag == raceTag || others[tag] }), is.Eval(func(tag string) bool { return others[tag] }), "%s: %s", line, now)
	})
}
