package instrument_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/instrument"
	"github.com/racepred/racepred/internal/dev/fake"
)

// programs lays the programs of testdata/run into a new module, one package each.
func programs(t *testing.T, pattern string) (dir string, names []string) {
	t.Helper()
	dir = t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module prog\n\ngo 1.25\n"), 0o644))
	files, err := filepath.Glob(pattern)
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, f := range files {
		src, err := os.ReadFile(f)
		require.NoError(t, err)
		name := strings.TrimSuffix(filepath.Base(f), ".go.txt")
		require.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name, "main.go"), src, 0o644))
		names = append(names, name)
	}
	return dir, names
}

// build builds all programs of dir into dir/bin/sub.
func build(t *testing.T, dir, sub string, flags ...string) {
	t.Helper()
	bin := filepath.Join(dir, "bin", sub)
	require.NoError(t, os.MkdirAll(bin, 0o755))
	cmd := exec.Command("go", append(append([]string{"build", "-ldflags=-w", "-o", bin + "/"}, flags...), "./...")...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// result is what a program did.
type result struct {
	stdout, stderr string
	code           int
}

func execute(t *testing.T, bin string) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, bin)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		require.NoError(t, err)
	}
	return result{stdout.String(), traceback(stderr.String()), cmd.ProcessState.ExitCode()}
}

var (
	addresses = regexp.MustCompile(`0x[0-9a-f]+|\+0x[0-9a-f]+|\{.*\}|\(.*\)`)
	inRuntime = regexp.MustCompile(`(?m)^runtime\.Racepred.*\n\t.*\n`)
)

// traceback strips what may differ between two builds from a program's standard error.
func traceback(s string) string {
	return addresses.ReplaceAllString(inRuntime.ReplaceAllString(s, ""), "")
}

// TestBehaviour runs each program as it is and rewritten.
func TestBehaviour(t *testing.T) {
	dir, names := programs(t, "testdata/run/*.go.txt")
	build(t, dir, "plain")
	for _, mode := range []struct {
		name string
		all  bool
	}{{"pruned", false}, {"all", true}} {
		if mode.all && !*long {
			continue
		}
		res, err := instrument.Rewrite(instrument.Config{Dir: dir, Patterns: []string{"./..."}, Options: instrument.Options{All: mode.all}})
		require.NoError(t, err)
		for _, p := range res.Packages {
			require.True(t, p.Rewritten, "%s: %s", p.Path, p.Reason)
		}
		for name, b := range res.Files {
			src, err := os.ReadFile(name)
			require.NoError(t, err)
			sameLines(t, name, src, b)
		}
		overlay, err := fake.Overlay(t.TempDir(), res.Files, fake.Quiet)
		require.NoError(t, err)
		build(t, dir, mode.name, "-overlay="+overlay)
		build(t, dir, mode.name+"-l", "-overlay="+overlay, "-gcflags=-l") // it compiles where nothing is inlined, too (G2)
		for _, name := range names {
			t.Run(mode.name+"/"+name, func(t *testing.T) {
				want := execute(t, filepath.Join(dir, "bin", "plain", name))
				got := execute(t, filepath.Join(dir, "bin", mode.name, name))
				require.Equal(t, want, got)
			})
		}
	}
}

// sameLines checks that every line begins with the word it began with, after what was put before
// it. A line that comments of the text number anew counts as that one.
func sameLines(t *testing.T, name string, src, rewritten []byte) {
	t.Helper()
	was, text := strings.Split(string(src), "\n"), strings.Split(string(rewritten), "\n")
	require.GreaterOrEqual(t, len(text), len(was), name)
	is, n := make([]string, len(text)+1), 0
	for _, line := range text {
		if m := numbered.FindStringSubmatch(line); m != nil {
			n, _ = strconv.Atoi(m[1])
			n--
		}
		is[n] = line
		n++
	}
	for i, line := range was {
		// A line may lose its words when an expression over several lines is moved onto one.
		if word := firstWord.FindString(line); word != "" && firstWord.MatchString(lineComment.ReplaceAllString(is[i], "")) {
			require.Contains(t, strings.ToLower(is[i]), strings.ToLower(word), "%s:%d", name, i+1)
		}
	}
}

var numbered = regexp.MustCompile(`^/\*line :([0-9]+):1\*/`)

var lineComment = regexp.MustCompile(`/\*line :[0-9:]+\*/|//.*`)

var firstWord = regexp.MustCompile(`[A-Za-z]+`)

// TestDeterministic rewrites twice.
func TestDeterministic(t *testing.T) {
	dir, _ := programs(t, "testdata/run/*.go.txt")
	cfg := instrument.Config{Dir: dir, Patterns: []string{"./..."}}
	a, err := instrument.Rewrite(cfg)
	require.NoError(t, err)
	b, err := instrument.Rewrite(cfg)
	require.NoError(t, err)
	require.Equal(t, a, b)
}

var (
	wanted = regexp.MustCompile(`//= (.*?)(?: //! .*)?$`)
	logged = regexp.MustCompile(`^@(\w+) (\d+)(?::\d+)? (.*?)(?: of \w+ in \S+)?$`)
)

// TestOrder runs programs that say at each line what is recorded there, in
// which order: those of testdata/order without pruning, those of testdata/once with it.
func TestOrder(t *testing.T) {
	t.Run("all", func(t *testing.T) { testOrder(t, "testdata/order/*.go.txt", true) })
	t.Run("pruned", func(t *testing.T) { testOrder(t, "testdata/once/*.go.txt", false) })
}

func testOrder(t *testing.T, pattern string, all bool) {
	dir, names := programs(t, pattern)
	res, err := instrument.Rewrite(instrument.Config{Dir: dir, Patterns: []string{"./..."}, Options: instrument.Options{All: all}})
	require.NoError(t, err)
	overlay, err := fake.Overlay(t.TempDir(), res.Files, fake.Every)
	require.NoError(t, err)
	build(t, dir, "log", "-overlay="+overlay)
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			checkOrder(t, filepath.Join(dir, name, "main.go"), filepath.Join(dir, "bin", "log", name))
		})
	}
}

// checkOrder runs a program and compares what it logs for each line of its file with what is said
// there.
func checkOrder(t *testing.T, file, bin string) {
	t.Helper()
	src, err := os.ReadFile(file)
	require.NoError(t, err)
	got := map[int][]string{}
	var stderr bytes.Buffer
	cmd := exec.Command(bin)
	cmd.Stderr = &stderr
	err = cmd.Run()
	log := stderr.String()
	require.NoError(t, err, "... %s", log[max(0, len(log)-1000):])
	for line := range strings.Lines(log) {
		if m := logged.FindStringSubmatch(strings.TrimSpace(line)); m != nil && m[1] != "opaque" {
			n, err := strconv.Atoi(m[2])
			require.NoError(t, err)
			got[n] = append(got[n], m[1]+" "+m[3])
		}
	}
	for i, line := range strings.Split(string(src), "\n") {
		want := ""
		if m := wanted.FindStringSubmatch(line); m != nil {
			want = m[1]
		}
		assert.Equal(t, want, strings.Join(got[i+1], ", "), "line %d: %s", i+1, strings.TrimSpace(line))
	}
}
