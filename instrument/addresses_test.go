package instrument_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/instrument"
	"github.com/racepred/racepred/internal/dev/fake"
)

var address = regexp.MustCompile(`^([@#])(read|write) (\d+) (\d+) (\d+).* in \S*main\.go$`)

// unannounced are the reasons why a line may have accesses of bytes that are not announced.
var unannounced = append([]string{
	"first value",      // of a new object, or of a variable in a turn of a loop
	"element of a map", // the runtime records the map
}, unrecorded...)

// touched is an access: its kind, its line and a byte.
type touched struct {
	kind string
	line int
	at   uint64
}

// logLine is a line of a program's log: bytes that rewritten code announces, or an access that the
// compiler sees.
type logLine struct {
	touched
	size      uint64
	announced bool
}

// buildBoth builds the programs in dir so that both rewritten code and the compiler's hooks log.
func buildBoth(t *testing.T, dir string) {
	t.Helper()
	res, err := instrument.Rewrite(instrument.Config{Dir: dir, Patterns: []string{"./..."}, Options: instrument.Options{All: true}})
	require.NoError(t, err)
	overlay, err := fake.Overlay(t.TempDir(), res.Files, fake.Addresses)
	require.NoError(t, err)
	build(t, dir, "both", "-overlay="+overlay, "-gcflags=-race -l")
}

// runBoth runs a program that buildBoth has built, and returns the lines of its source and its log.
func runBoth(t *testing.T, dir, name string) (lines []string, all []logLine) {
	t.Helper()
	src, err := os.ReadFile(filepath.Join(dir, name, "main.go"))
	require.NoError(t, err)
	var stderr bytes.Buffer
	cmd := exec.Command(filepath.Join(dir, "bin", "both", name))
	cmd.Env = append(os.Environ(), "GOGC=off") // an address is that of one object
	cmd.Stderr = &stderr
	_ = cmd.Run() // some panic
	for line := range strings.Lines(stderr.String()) {
		m := address.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		at, _ := strconv.ParseUint(m[3], 10, 64)
		size, _ := strconv.ParseUint(m[4], 10, 64)
		n, _ := strconv.Atoi(m[5])
		all = append(all, logLine{touched{m[2], n, at}, size, m[1] == "@"})
	}
	require.NotEmpty(t, all)
	return strings.Split(string(src), "\n"), all
}

// unseen returns the accesses that rewritten code did not announce.
func unseen(all []logLine) (missing []logLine) {
	announced := map[touched]bool{}
	for _, a := range all {
		for i := range a.size {
			if b := a.touched; a.announced {
				b.at += i
				announced[b] = true
			}
		}
	}
	for _, a := range all {
		if !a.announced && !announced[a.touched] {
			missing = append(missing, a)
		}
	}
	return missing
}

// TestAddresses: rewritten code that the compiler instruments, too, announces the very bytes that
// it accesses. A copy of an operand, evaluated before or after the operand itself, might name
// others.
func TestAddresses(t *testing.T) {
	dir, names := programs(t, "testdata/order/*.go.txt") // those of run make too many new objects
	buildBoth(t, dir)
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			lines, all := runBoth(t, dir, name)
			for _, a := range unseen(all) {
				if a.line > 1 && a.line <= len(lines) && !explained(lines[a.line-1:], unannounced) {
					assert.Fail(t, "not announced", "%s of %#x at line %d: %s", a.kind, a.at, a.line, strings.TrimSpace(lines[a.line-1]))
				}
			}
		})
	}
}

// makesOwn matches what a random line may write to that is its own, the runtime's or, in a select,
// announced as opaque.
var makesOwn = regexp.MustCompile(`map\[|s\.m\b|\w\{|count\(|select|func|append`)

// TestRandomAddresses: random programs announce the bytes that they write. A line that evaluates an
// operand and then panics is opaque; so this is about writes.
func TestRandomAddresses(t *testing.T) {
	dir := t.TempDir()
	names := writePrograms(t, dir, randomProgram)
	buildBoth(t, dir)
	first := strings.Count(prelude, "\n")
	checked := 0
	for _, name := range names {
		lines, all := runBoth(t, dir, name)
		known := map[uint64]bool{} // bytes of objects that other lines have used
		old := map[touched]bool{}
		for _, a := range all {
			if !a.announced && known[a.at] {
				old[a.touched] = true
			}
			known[a.at] = true
			if a.kind == "write" && a.announced && a.line > first {
				checked++
			}
		}
		for _, a := range unseen(all) {
			if a.kind == "write" && old[a.touched] && a.line > first && a.line <= len(lines) && !makesOwn.MatchString(lines[a.line-1]) {
				assert.Fail(t, "not announced", "%s: write of %#x at line %d: %s", name, a.at, a.line, strings.TrimSpace(lines[a.line-1]))
			}
		}
	}
	require.Greater(t, checked, 100*len(names))
}
