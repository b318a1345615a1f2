package gotestplugin

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/racepred/racepred/internal/scripttest"
	"github.com/racepred/racepred/internal/seam"
)

// The scripts run the command with an untouched toolchain and no rewriting:
// the test processes play the recorder themselves (the directory
// testdata/recorder), so that nothing but the command line is under test.
// What a recording build does is tested in cmd/racepred.
var fake = parts{
	prepare: func(c seam.Config) (*seam.Toolchain, error) { return &seam.Toolchain{GOROOT: c.GOROOT}, nil },
	rewrite: func(rewriteConfig) (*rewritten, error) { return &rewritten{}, nil },
	needs:   func(*graph, map[string]bool, map[string]string) map[string]need { return nil }, // the hooks do not exist
}

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"racepred": func() {
			dir, err := os.Getwd()
			if err != nil {
				os.Exit(99)
			}
			self, err := os.Executable()
			if err != nil {
				os.Exit(99)
			}
			c := &call{streams: streams{os.Stdin, os.Stdout, os.Stderr}, self: self, env: os.Environ(), dir: dir, parts: fake}
			os.Exit(c.run(context.Background(), os.Args[1:]))
		},
	})
}

func TestScripts(t *testing.T) {
	goEnv := func(key string) string {
		out, err := exec.Command("go", "env", key).Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
	gocache, gomodcache, goVersion := goEnv("GOCACHE"), goEnv("GOMODCACHE"), goEnv("GOVERSION")
	recorder, err := os.ReadFile(filepath.Join("testdata", "recorder", "recorder.go"))
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("GOCACHE", gocache)
			e.Setenv("GOMODCACHE", gomodcache)
			e.Setenv("GOPROXY", "off")
			e.Setenv("GOFLAGS", "-buildvcs=false -vet=off") // a script that needs vet, which is a third of a run, sets them
			e.Setenv("GOTOOLCHAIN", "local")
			e.Setenv("RACEPRED_CACHE", filepath.Join(e.WorkDir, ".cache"))
			e.Setenv("RECORDER", string(recorder))
			return os.MkdirAll(filepath.Join(e.WorkDir, "recorder"), 0o777)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status":   scripttest.Status,
			"recorder": putRecorder,
			"empty":    empty,
			"sametext": sameText,
			"waitfor":  waitFor,
			"gone":     gone,
			"send":     send,
			"normalize": func(ts *testscript.TestScript, neg bool, args []string) {
				text := strings.ReplaceAll(ts.ReadFile(args[0]), goVersion, "GOVERSION")
				ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o666))
			},
		},
	})
}

// putRecorder writes the package that plays the recorder: recorder DIR
func putRecorder(ts *testscript.TestScript, neg bool, args []string) {
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o777))
	ts.Check(os.WriteFile(filepath.Join(dir, "recorder.go"), []byte(ts.Getenv("RECORDER")), 0o666))
}

// empty requires that a directory holds nothing: empty DIR
func empty(ts *testscript.TestScript, neg bool, args []string) {
	entries, err := os.ReadDir(ts.MkAbs(args[0]))
	ts.Check(err)
	for _, e := range entries {
		ts.Fatalf("%s is left behind in %s", e.Name(), args[0])
	}
}

// sameText compares two files, leaving out what differs from run to run: times.
func sameText(ts *testscript.TestScript, neg bool, args []string) {
	a, b := timeless(ts.ReadFile(args[0])), timeless(ts.ReadFile(args[1]))
	if a != b {
		ts.Fatalf("%s and %s differ:\n%s\n----\n%s", args[0], args[1], a, b)
	}
}
