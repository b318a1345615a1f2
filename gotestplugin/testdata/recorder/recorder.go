// Package recorder plays the part of racepred's recorder in a test process:
// it writes the files that the command reads afterwards.
package recorder

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var races, failures int

// Race makes an observed race between two lines of file and fails the test.
func Race(t testing.TB, file string, line1, line2 int) { find(t, "observed", file, line1, line2) }

// Possible makes a possible finding, which fails nothing.
func Possible(t testing.TB, file string, line1, line2 int) { find(t, "possible", file, line1, line2) }

func find(t testing.TB, verdict, file string, line1, line2 int) {
	abs, _ := filepath.Abs(file)
	access := func(op string, line int) string {
		return fmt.Sprintf(`{"op":%q,"file":%q,"line":%d,"column":1,"func":"p.F","goroutine":%d,"expr":"x","stack":[],"created":[],"locks":[]}`,
			op, abs, line, line)
	}
	name := ""
	if t != nil {
		name = t.Name()
	}
	add(".findings", fmt.Sprintf(`{"kind":"race","verdict":%q,"by":["hb"],"package":"p","test":%q,"variable":"x","accesses":[%s,%s]}`+"\n",
		verdict, name, access("write", line1), access("read", line2)))
	if verdict == "possible" {
		return
	}
	races++
	if os.Getenv("RACEPRED_SILENT") == "" {
		fmt.Fprintln(os.Stderr, "WARNING: DATA RACE")
	}
	if t != nil {
		t.Errorf("race detected during execution of test")
	}
}

// Fail notes a failure that is no race.
func Fail(t testing.TB) {
	failures++
	t.Error("failed")
}

// Main is a TestMain.
func Main(m *testing.M) {
	code := m.Run()
	dir, _ := os.Getwd()
	add(".result", fmt.Sprintf(`{"pid":%d,"ppid":%d,"package":"","dir":%q,"exit":%d,"races":%d,"failures":%d,"stats":{"events":3},"uncovered":[]}`,
		os.Getpid(), os.Getppid(), dir, code, races, failures))
	os.Exit(code)
}

func add(suffix, line string) {
	dir := os.Getenv("RACEPRED_DIR")
	if dir == "" || strings.HasPrefix(dir, ".") {
		return
	}
	f, err := os.OpenFile(filepath.Join(dir, fmt.Sprintf("%d-0%s", os.Getpid(), suffix)), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	fmt.Fprint(f, line)
}
