// Package tool runs a module's tests under a race detector, the way the
// toolchain's own driver runs them: on one processor, verbose, everything in one stream.
package tool

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/report/format"
)

// Tool is one way to run tests.
type Tool struct {
	Name    string
	command []string // before the flags of go test
}

// Go is plain go test, without a detector.
func Go() *Tool { return &Tool{Name: "go", command: []string{"go", "test"}} }

// GoRace is the toolchain's own detector.
func GoRace() *Tool { return &Tool{Name: "race", command: []string{"go", "test", "-race"}} }

// Racepred is racepred as the binary at the path.
func Racepred(binary string) *Tool {
	return &Tool{Name: "racepred", command: []string{binary, "test"}}
}

// Build builds racepred from the module of the current directory into the
// directory dir and returns the binary's path.
func Build(ctx context.Context, dir string) (string, error) {
	binary := filepath.Join(dir, "racepred")
	cmd := exec.CommandContext(ctx, "go", "build", "-o", binary, "github.com/racepred/racepred/cmd/racepred")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building racepred: %w\n%s", err, out)
	}
	return binary, nil
}

// Binary is the absolute path of the given binary of racepred, or of one that is built into dir if
// none is given.
func Binary(ctx context.Context, given, dir string) (string, error) {
	if given != "" {
		return filepath.Abs(given)
	}
	return Build(ctx, dir)
}

// ReadReport reads a report that racepred wrote with -report.
func ReadReport(file string) (*report.Report, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	rep, err := format.Decode(data)
	if err != nil {
		return nil, fmt.Errorf("%s %w", file, err)
	}
	return rep, nil
}

// Job is one run of the tests.
type Job struct {
	Dir       string   // the module's directory
	Toolchain string   // as in "go1.26.8"; "" is the default one
	Processor int      // GOMAXPROCS; 0 leaves it
	Args      []string // flags and packages
	Timeout   time.Duration
}

// replaced are the variables that would change the tests' results.
var replaced = []string{"GOMAXPROCS=", "GODEBUG=", "GORACE=", "GOTOOLCHAIN=", "GOFLAGS=", "GOWORK="}

func (j *Job) env() []string {
	var env []string
	for _, v := range os.Environ() {
		if !hasPrefix(v, replaced) || j.Toolchain == "" && strings.HasPrefix(v, "GOTOOLCHAIN=") {
			env = append(env, v)
		}
	}
	// The tests race on the same addresses again and again; each has to be reported.
	env = append(env, "GORACE=suppress_equal_stacks=0 suppress_equal_addresses=0", "GOFLAGS=-buildvcs=false", "GOWORK=off")
	if j.Processor > 0 {
		env = append(env, fmt.Sprintf("GOMAXPROCS=%d", j.Processor))
	}
	if j.Toolchain != "" {
		env = append(env, "GOTOOLCHAIN="+j.Toolchain)
	}
	return env
}

func hasPrefix(s string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// Run runs the job and returns stdout and stderr as one stream and the exit
// code. Failing tests are no error.
func (t *Tool) Run(ctx context.Context, j Job) (output string, code int, err error) {
	ctx, cancel := context.WithTimeout(ctx, j.Timeout)
	defer cancel()
	args := append(t.command[1:len(t.command):len(t.command)], j.Args...)
	cmd := exec.CommandContext(ctx, t.command[0], args...)
	cmd.Dir, cmd.Env = j.Dir, j.env()
	cmd.WaitDelay = 5 * time.Second
	// The go command passes an interrupt on to the test binary.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return out.String(), -1, fmt.Errorf("%s: %w after %v", t.Name, ctx.Err(), j.Timeout)
	case errors.As(err, &exit):
		return out.String(), exit.ExitCode(), nil
	case err != nil:
		return out.String(), -1, fmt.Errorf("%s: %w", t.Name, err)
	}
	return out.String(), 0, nil
}

var release = regexp.MustCompile(`[0-9]+\.[0-9]+`)

// Language is the go line of a module for a toolchain's version: 1.26 for go1.26.8.
func Language(version string) string { return release.FindString(version) }

// GoEnv asks the job's go command for a variable.
func GoEnv(ctx context.Context, toolchain, name string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "env", name)
	cmd.Env = (&Job{Toolchain: toolchain}).env()
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go env %s with toolchain %q: %w", name, toolchain, err)
	}
	return strings.TrimSpace(string(out)), nil
}
