package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/racepred/racepred/internal/dev/fetch"
	"github.com/racepred/racepred/internal/protocol"
)

// suite is a module whose tests are measured.
type suite struct {
	Module   string   `json:"module"`
	Version  string   `json:"version"`
	Packages []string `json:"packages"` // directories, "." for the root
}

// suites are the modules that `bench modules` measures: much used ones, some of them busy.
var suites = []suite{
	{"github.com/prometheus/client_golang", "v1.25.0", []string{"prometheus", "prometheus/promhttp", "prometheus/push", "prometheus/graphite"}},
	{"github.com/go-chi/chi/v5", "v5.5.0", []string{".", "middleware"}},
	{"github.com/ThreeDotsLabs/watermill", "v1.5.1", []string{"message", "message/router/middleware", "pubsub/gochannel", "components/cqrs", "components/forwarder"}},
	{"github.com/dgraph-io/ristretto/v2", "v2.4.2", []string{".", "z"}},
	{"go.etcd.io/raft/v3", "v3.7.0", []string{".", "confchange", "quorum", "tracker"}},
	{"go.opentelemetry.io/otel/sdk/metric", "v1.47.0", []string{".", "internal/aggregate", "exemplar"}},
	{"go.opentelemetry.io/otel/sdk", "v1.47.0", []string{"trace"}},
	{"go.uber.org/zap", "v1.28.0", []string{".", "zapcore", "zaptest", "internal/pool"}},
	{"github.com/stretchr/testify", "v1.12.1", []string{"assert", "require", "mock", "suite"}},
	{"github.com/labstack/echo/v4", "v4.16.0", []string{".", "middleware"}},
	{"github.com/tidwall/buntdb", "v1.3.0", []string{"."}},
	{"github.com/gorilla/websocket", "v1.5.3", []string{"."}},
	{"github.com/go-co-op/gocron/v2", "v2.21.2", []string{"."}},
}

func (s suite) String() string { return s.Module + "@" + s.Version }

// fetch copies the module to the directory. A module of a repository with several replaces the
// others by their directories, which are not there: then the versions that it requires are used
// instead.
func (s suite) fetch(ctx context.Context, to string) error {
	if err := fetch.Module(ctx, s.String(), to); err != nil {
		return err
	}
	out, err := goCommand(ctx, to, "mod", "edit", "-json")
	if err != nil {
		return err
	}
	var mod struct {
		Replace []struct {
			Old, New struct{ Path, Version string }
		}
	}
	if err := json.Unmarshal(out, &mod); err != nil {
		return fmt.Errorf("%s: %w", s, err)
	}
	dropped := false
	for _, r := range mod.Replace {
		if r.New.Version == "" {
			dropped = true
			if _, err := goCommand(ctx, to, "mod", "edit", "-dropreplace="+r.Old.Path); err != nil {
				return err
			}
		}
	}
	if dropped {
		_, err = goCommand(ctx, to, "mod", "tidy")
	}
	return err
}

// inModule is the environment in which a module is built and run.
var inModule = []string{"GOWORK=off", "GOFLAGS=-buildvcs=false"}

func goCommand(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), inModule...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, tail(out, 2000))
	}
	return out, nil
}

// suiteModes are the modes that each package's test binary is run in.
var suiteModes = []mode{
	{"plain", buildPlain, nil},
	{"-race", buildRace, []string{"GORACE=atexit_sleep_ms=0"}},
	{"racepred", buildRacepred, []string{"RACEPRED_OPTS="}},
}

// buildSuite makes the binaries of a package in the directory to. The one of racepred comes with a
// run of it, whose report it leaves in the file.
func buildSuite(ctx context.Context, dir, pkg, racepred, to, reportFile string, timeout time.Duration) (map[string]string, error) {
	binaries := make(map[string]string)
	for _, m := range suiteModes {
		file := filepath.Join(to, m.build+".test")
		binaries[m.build] = file
		args := map[string][]string{
			buildPlain:    {"go", "test", "-c"},
			buildRace:     {"go", "test", "-race", "-c"},
			buildRacepred: {racepred, "test", "-report", reportFile, "-timeout", timeout.String()},
		}[m.build]
		args = append(args, "-vet=off", "-o", file, "./"+pkg)
		_, out, err := run(ctx, dir, append(inModule, m.env...), args...)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if _, missing := os.Stat(file); missing != nil { // tests that fail are no matter here
			return nil, fmt.Errorf("%s: %v: %s", m.Name, err, firstLines(out, 3))
		}
	}
	return binaries, nil
}

// runTests runs a package's test binary once, in the package's directory below that of the module.
// What racepred leaves in the directory left is removed, with it.
func runTests(ctx context.Context, module, pkg, binary, left string, env []string, timeout time.Duration) (Usage, []byte, error) {
	defer os.RemoveAll(left)
	ctx, cancel := context.WithTimeout(ctx, timeout+time.Minute)
	defer cancel()
	env = slices.Concat(inModule, env, []string{protocol.EnvDir + "=" + left, protocol.EnvRoot + "=" + module})
	return run(ctx, filepath.Join(module, pkg), env, binary, "-test.paniconexit0", "-test.timeout="+timeout.String())
}

// firstLines are some lines of an output in one.
func firstLines(out []byte, n int) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return strings.Join(lines[:min(n, len(lines))], "; ")
}
