package gotestplugin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// killedBy is why a run is cancelled: a signal racepred got.
type killedBy struct{ os.Signal }

func (k killedBy) Error() string { return "stopped by signal: " + k.String() }

// grace is how long go test may take to end after a signal was handed on, and
// how long its output may stay open after it ended.
const grace = 10 * time.Second

// lastWord is how long test processes may go on after the end of the go command, to write what they
// found.
const lastWord = 3 * time.Second

// streams are the three standard streams of the command.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// ran is how a go command ended.
type ran struct {
	pid, exit   int
	interrupted bool
	killed      bool // by a signal: what it kept of the tests' output is lost
}

// stream runs go with args and the streams s. It hands a signal
// that ends ctx on, by the rules of group, and waits for the end.
func (g goCommand) stream(ctx context.Context, s streams, args ...string) (ran, error) {
	cmd := g.command(ctx, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = s.in, s.out, s.err
	group := newGroup(cmd, s.in, g.guard.markOf())
	cmd.Cancel = func() error {
		group.signal(ctx)
		return nil
	}
	cmd.WaitDelay = grace
	if err := cmd.Start(); err != nil {
		return ran{}, fmt.Errorf("go: %w", err)
	}
	if group.own {
		g.guard.began(cmd.Process.Pid)
		defer g.guard.over(cmd.Process.Pid)
	}
	err := cmd.Wait()
	r := ran{pid: cmd.Process.Pid, interrupted: ctx.Err() != nil}
	if r.interrupted {
		group.wait()
		group.kill()
	}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		r.exit = max(exit.ExitCode(), exitFailed) // -1 when a signal ended it
		r.killed = exit.ExitCode() < 0
	case r.interrupted:
		r.exit = exitFailed
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		return r, fmt.Errorf("go: %w", err)
	}
	return r, nil
}
