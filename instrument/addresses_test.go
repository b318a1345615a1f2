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

// addressesOf runs a program and returns all bytes that rewritten code announces, and the first one of each access that the compiler sees.
func addressesOf(t *testing.T, bin string) (announced map[touched]bool, seen []touched) {
	t.Helper()
	var stderr bytes.Buffer
	cmd := exec.Command(bin)
	cmd.Stderr = &stderr
	_ = cmd.Run() // some panic
	announced = map[touched]bool{}
	for line := range strings.Lines(stderr.String()) {
		m := address.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		at, _ := strconv.ParseUint(m[3], 10, 64)
		size, _ := strconv.Atoi(m[4])
		n, _ := strconv.Atoi(m[5])
		if m[1] == "#" {
			seen = append(seen, touched{m[2], n, at})
			continue
		}
		for i := range min(size, 4096) {
			announced[touched{m[2], n, at + uint64(i)}] = true
		}
	}
	return announced, seen
}

// TestAddresses: rewritten code that the compiler instruments, too, announces the very bytes that it accesses. A copy of an operand, evaluated before or after the operand
// itself, might name others.
func TestAddresses(t *testing.T) {
	dir, names := programs(t, "testdata/order/*.go.txt") // those of run make too many new objects
	res, err := instrument.Rewrite(instrument.Config{Dir: dir, Patterns: []string{"./..."}, Options: instrument.Options{All: true}})
	require.NoError(t, err)
	overlay, err := fake.Overlay(t.TempDir(), res.Files, fake.Addresses)
	require.NoError(t, err)
	build(t, dir, "both", "-overlay="+overlay, "-gcflags=-race -l")
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			src, err := os.ReadFile(filepath.Join(dir, name, "main.go"))
			require.NoError(t, err)
			lines := strings.Split(string(src), "\n")
			announced, seen := addressesOf(t, filepath.Join(dir, "bin", "both", name))
			require.NotEmpty(t, seen)
			for _, a := range seen {
				if !announced[a] && a.line > 1 && a.line <= len(lines) && !explained(lines[a.line-1:], unannounced) {
					assert.Fail(t, "not announced", "%s of %#x at line %d: %s", a.kind, a.at, a.line, strings.TrimSpace(lines[a.line-1]))
				}
			}
		})
	}
}
