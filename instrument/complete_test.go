package instrument_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/instrument"
	"github.com/racepred/racepred/internal/dev/fake"
)

// unrecorded are the reasons why a line may have accesses that only the compiler
// sees. Line 1 is code that the compiler made up.
var unrecorded = []string{
	"new variable",     // its first value, before anybody else can know it
	"initializer",      // the first value of a package variable, which the compiler makes data if it can
	"map element",      // the runtime records the map
	"read of results",  // a return loads shared results once more, after it has set them
	"constant data",    // type descriptors and small integers of the runtime
	"iterator's state", // of a range over a function
	"not shared",       // used by deferred literals only, which run on the same goroutine
	"other line",       // recorded, but the compiler names another line of the statement
	"turn not begun",   // what a range assigns is recorded at the beginning of its body
	"several lines",    // WhyMultiline
	"type parameter",   // WhyTypeParam
	"order of panics",  // WhyPanicOrder
	"late operand",     // WhyLateOperand
	"wrapper",          // recorded at the line of the type (R5), where the compiler knows what an interface holds
}

// explained reports whether the first of these lines ends in a comment "//! reason" with one of the
// reasons, or, where it ends in a raw string, the next one.
func explained(lines, reasons []string) bool {
	if _, why, ok := strings.Cut(lines[0], "//! "); ok {
		return slices.Contains(reasons, why)
	}
	return strings.Count(lines[0], "`")%2 == 1 && explained(lines[1:], reasons)
}

var access = regexp.MustCompile(`^@(read|write) (\d+).* in \S*main\.go$`)

// accesses runs a program that logs, and returns which kinds of access happened at which lines.
func accesses(t *testing.T, bin string) map[string]bool {
	t.Helper()
	var stderr bytes.Buffer
	cmd := exec.Command(bin)
	cmd.Stderr = &stderr
	_ = cmd.Run() // some panic
	set := map[string]bool{}
	for line := range strings.Lines(stderr.String()) {
		if m := access.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			set[fmt.Sprintf("%s %s", m[2], m[1])] = true
		}
	}
	return set
}

// TestComplete compares what the rewriter records with what the compiler's own
// instrumentation for -race sees: the same program, the same run, every line.
func TestComplete(t *testing.T) {
	patterns := []string{"testdata/order/*.go.txt"} // which have every form of access
	if *long {
		patterns = append(patterns, "testdata/run/*.go.txt")
	}
	for _, pattern := range patterns {
		dir, names := programs(t, pattern)
		res, err := instrument.Rewrite(instrument.Config{Dir: dir, Patterns: []string{"./..."}, Options: instrument.Options{All: true}})
		require.NoError(t, err)
		overlay, err := fake.Overlay(t.TempDir(), res.Files, fake.Once)
		require.NoError(t, err)
		build(t, dir, "rewritten", "-overlay="+overlay)
		overlay, err = fake.Overlay(t.TempDir(), nil, fake.Once)
		require.NoError(t, err)
		build(t, dir, "compiled", "-overlay="+overlay, "-gcflags=-race -l")
		for _, name := range names {
			t.Run(name, func(t *testing.T) {
				src, err := os.ReadFile(filepath.Join(dir, name, "main.go"))
				require.NoError(t, err)
				lines := strings.Split(string(src), "\n")
				got := accesses(t, filepath.Join(dir, "bin", "rewritten", name))
				for a := range accesses(t, filepath.Join(dir, "bin", "compiled", name)) {
					n, kind, _ := strings.Cut(a, " ")
					line, err := strconv.Atoi(n)
					require.NoError(t, err)
					if !got[a] && line > 1 && !explained(lines[line-1:], unrecorded) {
						assert.Fail(t, "not recorded", "%s at line %d: %s", kind, line, strings.TrimSpace(lines[line-1]))
					}
				}
			})
		}
	}
}
