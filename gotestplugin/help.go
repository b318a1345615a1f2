package gotestplugin

import (
	"fmt"
	"strings"

	"github.com/racepred/racepred/internal/protocol"
)

// overview lists the subcommands.
func overview() string {
	var b strings.Builder
	b.WriteString("racepred predicts data races in Go programs from one run of their tests.\n\nusage: racepred <subcommand> [arguments]\n\n")
	for _, s := range subcommands() {
		fmt.Fprintf(&b, "  %-8s  %s\n", s.name, s.short)
	}
	b.WriteString("\nRun 'racepred help <subcommand>' for more.\n")
	return b.String()
}

// testHelp is the help of racepred test. The flags come from the table.
func testHelp() string {
	var b strings.Builder
	b.WriteString(`usage: racepred test [racepred flags] [go test flags] [packages] [-args arguments]

Test runs 'go test' on a build that records what the packages' goroutines do,
and reports the data races, deadlocks and atomicity violations of the run, and
those that another schedule of the same run would have had. They fail the tests
they are found in, as -fail-on says. Flags, packages and output are those of
'go test'. Test results never come from the cache.

Flags of racepred:

`)
	for _, f := range flagTable {
		if f.owner != ownRacepred {
			continue
		}
		fmt.Fprintf(&b, "  %s\n", strings.TrimSpace("-"+f.name+" "+f.value))
		for _, line := range wrap(f.help, 72) {
			fmt.Fprintf(&b, "      %s\n", line)
		}
	}
	b.WriteString("\nFlags of 'go test' that are understood (see 'go help test', 'go help testflag', 'go help build'):\n\n")
	for _, line := range wrap(strings.Join(flagNames(func(f flagSpec) bool { return f.owner != ownRacepred && f.refuse == "" }), " "), 76) {
		fmt.Fprintf(&b, "  %s\n", line)
	}
	b.WriteString("\nFlags that are refused:\n\n")
	for _, line := range wrap(strings.Join(flagNames(func(f flagSpec) bool { return f.refuse != "" }), " "), 76) {
		fmt.Fprintf(&b, "  %s\n", line)
	}
	fmt.Fprintf(&b, `
Any other flag is handed to the test binary, as 'go test' does it. A flag of
the test binary that has the name of one of racepred's goes after -args.

Exit codes:

  %-3d every test passed, and no finding fails
  %-3d a test failed for another reason, or crashed, or something did not build
  %-3d wrong usage, or a file is not what it should be
  %-3d findings are the only failures

Supported Go releases for the tested module: %s.

Environment:

  RACEPRED_CACHE
      Directory for the recording toolchain and for rewritten files
      (default: racepred in the user's cache directory).
  RACEPRED_OPTS
      Settings for the test processes, name=value with commas between:
`, exitClean, exitFailed, exitUsage, exitRaces, releases("and"))
	for _, o := range protocol.OptionsHelp() {
		for i, line := range wrap(o[1]+".", 52) {
			fmt.Fprintf(&b, "      %-14s  %s\n", map[bool]string{true: o[0]}[i == 0], line)
		}
	}
	return b.String()
}

func flagNames(keep func(flagSpec) bool) []string {
	var names []string
	for _, f := range flagTable {
		switch {
		case !keep(f):
		case f.shadowed():
			names = append(names, "-test."+f.name)
		default:
			names = append(names, "-"+f.name)
		}
	}
	return names
}

// wrap breaks a text into lines of at most width bytes.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}
