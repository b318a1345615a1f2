package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"time"
)

// Usage is the CPU time and memory of one process.
type Usage struct {
	Wall   time.Duration
	CPU    time.Duration // user and system
	Memory int64         // most bytes resident at one time
}

// Samples are the usages of one command, one for each run.
type Samples []Usage

// median is the median of each figure by itself.
func (s Samples) median() Usage {
	pick := func(of func(Usage) int64) int64 {
		var all []time.Duration
		for _, u := range s {
			all = append(all, time.Duration(of(u)))
		}
		return int64(median(all))
	}
	return Usage{
		Wall:   time.Duration(pick(func(u Usage) int64 { return int64(u.Wall) })),
		CPU:    time.Duration(pick(func(u Usage) int64 { return int64(u.CPU) })),
		Memory: pick(func(u Usage) int64 { return u.Memory }),
	}
}

// use runs a command in dir to its end; that it fails is an error.
func use(ctx context.Context, dir string, env []string, command ...string) (Usage, error) {
	u, out, err := run(ctx, dir, env, command...)
	if err != nil {
		return Usage{}, fmt.Errorf("%v: %w\n%s", command, err, tail(out, 2000))
	}
	return u, nil
}

// run runs a command in dir to its end and returns its usage and output, also if it failed.
func run(ctx context.Context, dir string, env []string, command ...string) (Usage, []byte, error) {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	cmd.WaitDelay = 5 * time.Second // for a child that keeps the output open
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	u, err := measured(ctx, cmd)
	return u, out.Bytes(), err
}

func tail(b []byte, n int) []byte { return b[max(0, len(b)-n):] }
