//go:build unix

package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// The system counts the memory of the process that starts another one to that one's peak: until it
// executes its program, the new process has the old one's memory. So a command is not started by
// this process, which may have had hundreds of megabytes, but by a small one between the two: this
// program again, which only starts the command and reports its usage.

// envBetween is set for the process between. It is not passed on.
const envBetween = "RACEPRED_BENCH_BETWEEN"

// measured runs cmd, which has not been started, with a process between.
func measured(ctx context.Context, cmd *exec.Cmd) (Usage, error) {
	self, err := os.Executable()
	if err != nil {
		return Usage{}, err
	}
	if cmd.Err != nil { // there is no such command
		return Usage{}, cmd.Err
	}
	answer, says, err := os.Pipe()
	if err != nil {
		return Usage{}, err
	}
	defer answer.Close()
	lives, life, err := os.Pipe() // closed when this process ends, or gives up
	if err != nil {
		says.Close()
		return Usage{}, err
	}
	between := exec.CommandContext(ctx, self, append([]string{cmd.Path}, cmd.Args...)...)
	between.Dir, between.Env = cmd.Dir, append(cmd.Env, envBetween+"=1")
	between.Stdout, between.Stderr, between.WaitDelay = cmd.Stdout, cmd.Stderr, cmd.WaitDelay
	between.ExtraFiles = []*os.File{says, lives}
	between.Cancel = life.Close
	err = between.Start()
	says.Close()
	lives.Close()
	defer life.Close()
	if err != nil {
		return Usage{}, err
	}
	var u Usage
	decoded := json.NewDecoder(answer).Decode(&u)
	if err = between.Wait(); err == nil {
		err = decoded
	}
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return u, err
}

// between is the process between, if this process is it.
func between() {
	if os.Getenv(envBetween) == "" || len(os.Args) < 3 {
		return
	}
	os.Unsetenv(envBetween)
	syscall.CloseOnExec(3)
	syscall.CloseOnExec(4)
	cmd := exec.Cmd{Path: os.Args[1], Args: os.Args[2:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}
	begin := time.Now()
	err := cmd.Start()
	if err == nil {
		go func() {
			_, _ = io.Copy(io.Discard, os.NewFile(4, "life"))
			_ = cmd.Process.Kill()
		}()
		err = cmd.Wait()
	}
	if err != nil && !errors.As(err, new(*exec.ExitError)) {
		_, _ = os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(127)
	}
	s := cmd.ProcessState
	if json.NewEncoder(os.NewFile(3, "says")).Encode(Usage{time.Since(begin), s.UserTime() + s.SystemTime(), peak(s)}) != nil || s.ExitCode() < 0 {
		os.Exit(126)
	}
	os.Exit(s.ExitCode())
}
