package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"racepred": main})
}

// TestScripts runs the whole command on small modules: seam, rewriter,
// engine, reports. Command-line behaviour that does not need them is tested in
// package gotestplugin, with less to build.
func TestScripts(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a toolchain")
	}
	goEnv := func(key string) string {
		out, err := exec.Command("go", "env", key).Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
	inherited := map[string]string{}
	for _, key := range []string{"GOCACHE", "GOMODCACHE", "GOPROXY", "GOSUMDB"} {
		inherited[key] = goEnv(key)
	}
	cache := os.Getenv("RACEPRED_CACHE")
	if cache == "" {
		dir, err := os.UserCacheDir()
		if err != nil {
			t.Fatal(err)
		}
		cache = filepath.Join(dir, "racepred") // the build cache knows the files by their names there
	}
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			for key, value := range inherited {
				e.Setenv(key, value)
			}
			e.Setenv("GOTOOLCHAIN", "local")
			e.Setenv("GOFLAGS", "-buildvcs=false")
			e.Setenv("RACEPRED_CACHE", cache)
			e.Setenv("TMPDIR", filepath.Join(e.WorkDir, "tmp"))
			return os.Mkdir(filepath.Join(e.WorkDir, "tmp"), 0o777)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"status": status},
		Condition: func(cond string) (bool, error) {
			if cond != "cgo" {
				return false, fmt.Errorf("unknown condition %q", cond)
			}
			return goEnv("CGO_ENABLED") == "1", nil
		},
	})
}

// status runs a command and requires an exit code: status 66 racepred test ./...
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status CODE COMMAND...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var exit *exec.ExitError
	switch err := ts.Exec(args[1], args[2:]...); {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}
