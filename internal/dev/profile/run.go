package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/racepred/racepred/internal/conformance/tool"
	"github.com/racepred/racepred/internal/dev/command"
	"github.com/racepred/racepred/internal/dev/fetch"
)

const name = "profile"

// suites are the packages whose tests are profiled by default: handlers, pools, publishers, caches
// and a database, with few goroutines and with a million.
var suites = []string{
	"github.com/go-chi/chi/v5@v5.5.0",
	"github.com/ThreeDotsLabs/watermill@v1.5.1/message",
	"github.com/ThreeDotsLabs/watermill@v1.5.1/pubsub/gochannel",
	"github.com/alitto/pond/v2@v2.7.1",
	"github.com/tidwall/buntdb@v1.3.2",
	"go.uber.org/zap@v1.28.0/zapcore",
	"google.golang.org/grpc@v1.75.0/balancer/ringhash",
}

const (
	enough   = 20 * time.Second // after so much time a suite is not run again
	longest  = "300s"           // the -timeout of each run
	perSuite = 1_000_000        // (P1)
)

// Run is the command.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	f := flag.NewFlagSet(name, flag.ContinueOnError)
	f.SetOutput(stderr)
	n := f.Int("n", 30, "how many `times` the tests of a package run, if they do not take long")
	out := f.String("o", "", "write the profile to this `file`")
	if err := f.Parse(args); err != nil {
		return command.Misused(name, stderr, err)
	}
	if *out == "" {
		return command.Misused(name, stderr, errors.New("-o FILE is needed"))
	}
	which := f.Args()
	if len(which) == 0 {
		which = suites
	}
	err := all(ctx, which, *n, *out, stderr)
	return command.Done(name, stderr, true, err)
}

func all(ctx context.Context, which []string, n int, out string, stderr io.Writer) error {
	dir, err := os.MkdirTemp("", name)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	racepred, err := tool.Build(ctx, dir)
	if err != nil {
		return err
	}
	sum := calls{}
	for i, target := range which {
		one, err := suite(ctx, racepred, target, filepath.Join(dir, strconv.Itoa(i)), n)
		if err != nil {
			return fmt.Errorf("%s: %w", target, err)
		}
		fmt.Fprintf(stderr, "%s: %s: %d calls\n", name, target, len(one))
		sum.add(one, perSuite)
	}
	return os.WriteFile(out, sum.common().text(), 0o666)
}

// suite is the profile of a package's tests.
func suite(ctx context.Context, racepred, target, dir string, n int) (calls, error) {
	module, sub := fetch.Split(target)
	if err := fetch.Module(ctx, module, dir); err != nil {
		return nil, err
	}
	if err := fetch.Dependencies(ctx, dir); err != nil {
		return nil, err
	}
	dir = filepath.Join(dir, filepath.FromSlash(sub))
	binary := filepath.Join(dir, "profiled.test")
	build := exec.CommandContext(ctx, racepred, "test", "-c", "-vet=off", "-o", binary, ".")
	build.Dir = dir
	if b, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, b)
	}
	sum := calls{}
	for began, i := time.Now(), 0; i < n && (i == 0 || time.Since(began) < enough); i++ {
		cpu, text, reports := filepath.Join(dir, "cpu.pprof"), filepath.Join(dir, "calls"), filepath.Join(dir, "reports")
		if err := os.MkdirAll(reports, 0o777); err != nil {
			return nil, err
		}
		test := exec.CommandContext(ctx, binary, "-test.cpuprofile="+cpu, "-test.timeout="+longest)
		test.Dir, test.Env = dir, append(os.Environ(), "RACEPRED_DIR="+reports)
		if err := test.Run(); err != nil && test.ProcessState == nil {
			return nil, err
		}
		if b, err := exec.CommandContext(ctx, "go", "tool", "preprofile", "-i", cpu, "-o", text).CombinedOutput(); err != nil {
			return nil, fmt.Errorf("go tool preprofile: %w\n%s", err, b)
		}
		b, err := os.ReadFile(text)
		if err != nil {
			return nil, err
		}
		if err := sum.read(b); err != nil {
			return nil, err
		}
	}
	return sum, nil
}
