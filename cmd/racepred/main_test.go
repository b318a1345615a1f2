package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/goproxytest"
	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/tools/txtar"

	"github.com/racepred/racepred/internal/scripttest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"racepred": main})
}

var long = flag.Bool("long", false, "run the scripts of testdata/long, which take minutes, instead of those of testdata/script, and all tests of ready files")

// TestScripts runs the whole command on small modules: seam, rewriter, engine, reports. CI runs it
// with -long, too. Command-line behaviour that does not need them is tested in package
// gotestplugin, with less to build.
//
// Each run of racepred test costs about a second, so testdata/script has the runs that show that
// something works, and testdata/long, often in a script of the same name, those that show the rest
// of it. They run without vet, which is a third of that second, unless they set GOFLAGS.
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
	scripts := "script"
	if *long {
		scripts = "long"
	}
	modules := goproxytest.NewTestServer(t, filepath.Join("testdata", "mod"), "")
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", scripts),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			for key, value := range inherited {
				e.Setenv(key, value)
			}
			e.Setenv("MODULES", modules.URL)
			e.Setenv("GOTOOLCHAIN", "local")
			e.Setenv("GOFLAGS", "-buildvcs=false -vet=off")
			e.Setenv("RACEPRED_CACHE", cache)
			e.Setenv("RACEPRED_OPTS", "schedule=usual") // scripts say what reports look like, which depends on the order of the run
			e.Setenv("GOROOT_PARENT", filepath.Dir(goEnv("GOROOT")))
			e.Setenv("NUMBER", strconv.FormatInt(time.Now().UnixNano()%1e9, 10))
			e.Setenv("TMPDIR", filepath.Join(e.WorkDir, "tmp"))
			return os.Mkdir(filepath.Join(e.WorkDir, "tmp"), 0o777)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"status": scripttest.Status, "sameprofile": sameProfile, "programs": programs, "filesof": filesOf},
		Condition: func(cond string) (bool, error) {
			if cond != "cgo" {
				return false, fmt.Errorf("unknown condition %q", cond)
			}
			return goEnv("CGO_ENABLED") == "1", nil
		},
	})
}

// filesOf lays the files of a script of testdata/script into the directory: filesof NAME
func filesOf(ts *testscript.TestScript, neg bool, args []string) {
	a, err := txtar.ParseFile(filepath.Join(here, "testdata", "script", args[0]+".txtar"))
	ts.Check(err)
	for _, f := range a.Files {
		name := ts.MkAbs(f.Name)
		ts.Check(os.MkdirAll(filepath.Dir(name), 0o777))
		ts.Check(os.WriteFile(name, f.Data, 0o666))
	}
}

// sameProfile requires that two profiles of coverage are the same, but for the order of packages,
// in which they ended: sameprofile A B
func sameProfile(ts *testscript.TestScript, neg bool, args []string) {
	lines := func(name string) []string {
		l := strings.Split(ts.ReadFile(name), "\n")
		slices.Sort(l)
		return l
	}
	a, b := lines(args[0]), lines(args[1])
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			ts.Fatalf("%s and %s differ:\n%s\n%s", args[0], args[1], strings.Join(a[min(i, len(a)):min(i+3, len(a))], "\n"), strings.Join(b[min(i, len(b)):min(i+3, len(b))], "\n"))
		}
	}
}

// programs lays the programs that the rewriter is tested with, and a test that runs each, into a
// new module: programs DIR
func programs(ts *testscript.TestScript, neg bool, args []string) {
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o777))
	ts.Check(os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module prog\n\ngo 1.25\n"), 0o666))
	for _, pattern := range []string{"run", "order", "once"} {
		files, err := filepath.Glob(filepath.Join(here, "..", "..", "instrument", "testdata", pattern, "*.go.txt"))
		ts.Check(err)
		if len(files) == 0 {
			ts.Fatalf("no programs")
		}
		for _, f := range files {
			src, err := os.ReadFile(f)
			ts.Check(err)
			p := filepath.Join(dir, pattern, strings.TrimSuffix(filepath.Base(f), ".go.txt"))
			ts.Check(os.MkdirAll(p, 0o777))
			ts.Check(os.WriteFile(filepath.Join(p, "main.go"), src, 0o666))
			const test = "package main\n\nimport \"testing\"\n\nfunc TestProgram(t *testing.T) {\n\tdefer func() { recover() }()\n\tmain()\n}\n"
			ts.Check(os.WriteFile(filepath.Join(p, "main_test.go"), []byte(test), 0o666))
		}
	}
}

// here is the directory of the tests.
var here, _ = os.Getwd()
