package gotestplugin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	goversion "go/version"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// supported are the Go releases a tested module may run on.
var supported = []string{"1.25", "1.26", "1.27"}

// withoutExperiments is a toolchain's version without its experiments: those that package seam
// switches off are in the tested process only.
func withoutExperiments(version string) string {
	version, _, _ = strings.Cut(version, "-X:")
	version, _, _ = strings.Cut(version, " X:") // up to Go 1.26
	return version
}

// builtBefore says so if racepred itself is built with an older release than a toolchain's, whose
// packages it then cannot always read. Otherwise it is "".
func builtBefore(goVersion string) string {
	own, theirs := releaseOf(runtime.Version()), releaseOf(goVersion)
	if goversion.Compare(own, theirs) >= 0 {
		return ""
	}
	return fmt.Sprintf("what only %s can read: racepred is built with %s; build it with the release that the tests use, as in GOTOOLCHAIN=%s", theirs, own, withoutExperiments(goVersion))
}

// releaseOf is the release of a toolchain's version: "go1.26" of "go1.26.8-X:nodwarf5".
func releaseOf(version string) string { return goversion.Lang(withoutExperiments(version)) }

// before reports whether a toolchain's version is of an older release than the one given.
func before(version, release string) bool { return goversion.Compare(releaseOf(version), release) < 0 }

// findsBlocked reports whether the runtime of that version knows which lock a goroutine waits for,
// and can find goroutines that nothing can wake.
func findsBlocked(version string) bool { return !before(version, "go1.26") }

// goEnv is what `go env` says in the directory of the tests: the toolchain
// that the module, GOTOOLCHAIN and go env -w select, and its settings.
type goEnv struct {
	GOROOT, GOVERSION, GOMODCACHE, GOFLAGS, GOMOD, GOWORK, GOTMPDIR string
	GOOS, GOARCH, GOEXPERIMENT, CGO_ENABLED                         string
}

// root is the directory files are named relative to.
func (e goEnv) root(dir string) string {
	for _, file := range []string{e.GOWORK, e.GOMOD} {
		if filepath.IsAbs(file) && file != os.DevNull {
			return filepath.Dir(file)
		}
	}
	return dir
}

// goCommand runs one go command after the other in dir.
type goCommand struct {
	path string // of the go command
	dir  string
	env  []string
	asks []string // added to env where racepred reads the answer; see loadingOnly

	guard *guard
}

// asking is the environment of a go command whose answer racepred reads.
func (g goCommand) asking() []string { return append(slices.Clip(g.env), g.asks...) }

// output runs go with args and returns its stdout and stderr.
func (g goCommand) output(ctx context.Context, args ...string) (stdout, stderr []byte, err error) {
	var out, errs strings.Builder
	g.env = g.asking()
	cmd := g.command(ctx, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	group := newGroup(cmd, nil, "")
	cmd.Cancel = func() error {
		group.kill()
		return nil
	}
	cmd.WaitDelay = grace
	if err = cmd.Start(); err != nil {
		return nil, nil, err
	}
	g.guard.began(cmd.Process.Pid)
	err = cmd.Wait()
	g.guard.over(cmd.Process.Pid)
	return []byte(out.String()), []byte(errs.String()), err
}

func (g goCommand) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, g.path, args...)
	cmd.Dir = g.dir
	cmd.Env = append(slices.Clip(g.env), "PWD="+g.dir)
	return cmd
}

// goFailed is a go command that failed with its own words on stderr.
type goFailed struct {
	stderr []byte
	err    error
}

func (e goFailed) Error() string { return strings.TrimSpace(string(e.stderr)) }
func (e goFailed) Unwrap() error { return e.err }

// readGoEnv asks the go command.
func (g goCommand) readGoEnv(ctx context.Context) (goEnv, error) {
	var e goEnv
	out, stderr, err := g.output(ctx, "env", "-json", "GOROOT", "GOVERSION", "GOMODCACHE", "GOFLAGS", "GOMOD", "GOWORK", "GOTMPDIR",
		"GOOS", "GOARCH", "GOEXPERIMENT", "CGO_ENABLED")
	if err != nil {
		if len(stderr) > 0 {
			return e, goFailed{stderr, err}
		}
		return e, fmt.Errorf("go env: %w", err)
	}
	if err := json.Unmarshal(out, &e); err != nil {
		return e, fmt.Errorf("go env: %w", err)
	}
	return e, nil
}

// releases lists the supported Go releases, the last one behind the word given.
func releases(word string) string {
	last := len(supported) - 1
	return strings.Join(supported[:last], ", ") + " " + word + " " + supported[last]
}

// checkSupported says what to do when the toolchain's release is not supported.
func checkSupported(version string) error {
	release := strings.TrimPrefix(version, "go")
	for _, s := range supported {
		rest, ok := strings.CutPrefix(release, s)
		if ok && (rest == "" || rest[0] == '.' || rest[0] == 'r' || rest[0] == '-' || rest[0] == ' ') {
			return nil
		}
	}
	return fmt.Errorf("%s is not supported: the tests must run on Go %s; set GOTOOLCHAIN (as in GOTOOLCHAIN=go%s.0+auto) or the module's go and toolchain lines",
		version, releases("or"), supported[len(supported)-1])
}

// findGo finds the go command in the PATH of env.
func findGo(env []string, dir string) (string, error) {
	name := "go"
	if runtime.GOOS == "windows" {
		name = "go.exe"
	}
	for _, d := range filepath.SplitList(getenv(env, "PATH")) {
		if d == "" || !filepath.IsAbs(d) {
			d = filepath.Join(dir, d)
		}
		path := filepath.Join(d, name)
		if info, err := os.Stat(path); err == nil && !info.IsDir() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0) {
			return path, nil
		}
	}
	return "", errors.New("the go command is not in PATH")
}

// getenv is the last value of a variable in env, as the system reads it.
func getenv(env []string, key string) string {
	for _, kv := range slices.Backward(env) {
		if k, v, ok := strings.Cut(kv, "="); ok && k == key {
			return v
		}
	}
	return ""
}
