package gotestplugin

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/report"
)

// testLogModule is a module with each way in which tests and packages end.
var testLogModule = map[string]string{
	"go.mod": "module ex.com/j\n\ngo 1.25\n",
	"a/a_test.go": `package a

import "testing"

func TestOK(t *testing.T) { t.Log("quiet") }
func TestSub(t *testing.T) {
	t.Log("parent")
	t.Run("x", func(t *testing.T) {
		t.Error("bad")
		t.Run("z", func(t *testing.T) { t.Error("worse") })
	})
	t.Run("y", func(t *testing.T) { t.Log("fine") })
}
func TestSkip(t *testing.T) { t.Skip("not today") }
`,
	"b/b_test.go":     "package b\n\nimport \"testing\"\n\nfunc TestOK(t *testing.T) {}\n",
	"bad/bad_test.go": "package bad\n\nvar x int = \"text\"\n",
	"exit/exit_test.go": `package exit

import (
	"fmt"
	"os"
	"testing"
)

func TestFirst(t *testing.T) {}
func TestExit(t *testing.T) {
	fmt.Println("I am leaving")
	os.Exit(3)
}
`,
	"none/none.go": "package none\n",
}

// TestTestLogIsGoTest: what is made of the events is what go test prints by itself.
func TestTestLogIsGoTest(t *testing.T) {
	dir := t.TempDir()
	for name, text := range testLogModule {
		name = filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o777))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o666))
	}
	run := func(args ...string) (stdout, stderr string) {
		cmd := exec.Command("go", append([]string{"test", "-p=1"}, args...)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOFLAGS=-buildvcs=false", "GOPROXY=off", "GOTOOLCHAIN=local", "GOWORK=off")
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		_ = cmd.Run()
		return out.String(), errs.String()
	}
	same := func(s string) string { return regexp.MustCompile(`\d+\.\d+s`).ReplaceAllString(s, "T") }
	wantOut, wantErr := run("./...")
	events, _ := run("-json", "./...")
	var out, errs bytes.Buffer
	l := newTestLog(&out, &errs, false, false, false)
	for chunk := 7; len(events) > 0; chunk = (chunk*5 + 3) % 97 { // lines come in pieces
		n := min(len(events), 1+chunk)
		_, err := l.Write([]byte(events[:n]))
		require.NoError(t, err)
		events = events[n:]
	}
	l.close()
	require.Equal(t, same(wantOut), same(out.String()))
	require.Equal(t, lines(wantErr), lines(errs.String()))

	packages := l.results()
	byName := map[string]report.PackageTests{}
	for _, p := range packages {
		byName[strings.TrimPrefix(p.Package, "ex.com/j/")] = p
	}
	results := func(pkg string) map[string]report.Result {
		m := map[string]report.Result{}
		for _, r := range byName[pkg].Tests {
			m[r.Name] = r.Result
		}
		return m
	}
	require.Equal(t, map[string]report.Result{"TestOK": "pass", "TestSub": "fail", "TestSub/x": "fail", "TestSub/x/z": "fail", "TestSub/y": "pass", "TestSkip": "skip"}, results("a"))
	require.Equal(t, map[string]report.Result{"TestFirst": "pass", "TestExit": report.Broken}, results("exit"))
	require.Contains(t, byName["bad"].Output, "cannot use \"text\"")
	for pkg, failed := range map[string]bool{"a": true, "b": false, "bad": true, "exit": true, "none": false} {
		require.Equal(t, failed, byName[pkg].Failed, pkg)
	}
}

// lines are those of a text, without the comments that name packages, which come in another order.
func lines(s string) (list []string) {
	for line := range strings.Lines(s) {
		if !strings.HasPrefix(line, "#") {
			list = append(list, line)
		}
	}
	return list
}

// TestTestLogRuns: each of the runs of -count has a result, and what did not end is broken.
func TestTestLogRuns(t *testing.T) {
	var out bytes.Buffer
	l := newTestLog(&out, &out, false, false, false)
	_, err := l.Write([]byte(`{"Action":"start","Package":"m"}
{"Action":"run","Package":"m","Test":"TestA"}
{"Action":"output","Package":"m","Test":"TestA","Output":"--- PASS: TestA (0.00s)\n"}
{"Action":"pass","Package":"m","Test":"TestA","Elapsed":1}
{"Action":"run","Package":"m","Test":"TestA"}
{"Action":"output","Package":"m","Test":"TestA","Output":"halfway\n"}
no event`))
	require.NoError(t, err)
	l.close()
	tests := l.results()[0]
	require.True(t, tests.Failed)
	require.Equal(t, []report.TestResult{
		{Name: "TestA", Result: report.Passed, Seconds: 1, Output: "--- PASS: TestA (0.00s)\n"}, {Name: "TestA", Output: "halfway\n"},
	}, tests.Tests)
	require.Equal(t, "no event\nhalfway\n", out.String())
}

// TestTestLogBenches: with -bench and without -v nothing is printed when a benchmark begins.
func TestTestLogBenches(t *testing.T) {
	var out bytes.Buffer
	l := newTestLog(&out, &out, false, true, false)
	l.benches = true
	_, err := l.Write([]byte(`{"Action":"start","Package":"m"}
{"Action":"output","Package":"m","Output":"goos: linux\n"}
{"Action":"run","Package":"m","Test":"BenchmarkA"}
{"Action":"output","Package":"m","Test":"BenchmarkA","Output":"=== RUN   BenchmarkA\n"}
{"Action":"output","Package":"m","Test":"BenchmarkA","Output":"BenchmarkA\n"}
{"Action":"output","Package":"m","Test":"BenchmarkA","Output":"BenchmarkA-2 \t 10\t 5 ns/op\n"}
{"Action":"output","Package":"m","Output":"PASS\n"}
{"Action":"pass","Package":"m"}
`))
	require.NoError(t, err)
	l.close()
	require.Equal(t, "goos: linux\nBenchmarkA-2 \t 10\t 5 ns/op\nPASS\n", out.String())
}
