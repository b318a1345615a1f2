//go:build unix

package gotestplugin

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/term"
)

// handled are the signals that end a run. Like the go command, racepred stays
// until the tests are gone.
var handled = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}

// group is the process group go test runs in:
//
// (S1) with a terminal on stdin it is racepred's own, so that tests may read
// from it; what is typed (Ctrl-C, Ctrl-\) reaches everybody from the terminal,
// and only other signals are handed on, to the go command;
// (S2) otherwise it is a group of its own, and signals are handed on to all of it.
type group struct {
	cmd *exec.Cmd
	own bool
}

func newGroup(cmd *exec.Cmd, stdin io.Reader) *group {
	f, ok := stdin.(*os.File)
	g := &group{cmd: cmd, own: !ok || !term.IsTerminal(int(f.Fd()))}
	if g.own {
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	}
	return g
}

// signal hands the signal that ended ctx on.
func (g *group) signal(ctx context.Context) {
	sig := syscall.SIGTERM
	var by killedBy
	if errors.As(context.Cause(ctx), &by) {
		sig, _ = by.Signal.(syscall.Signal)
	}
	switch {
	case g.own:
		_ = syscall.Kill(-g.cmd.Process.Pid, sig) // (S2)
	case sig != syscall.SIGINT && sig != syscall.SIGQUIT:
		_ = g.cmd.Process.Signal(sig) // (S1)
	}
}

// kill ends whatever of the group is still there.
func (g *group) kill() {
	if g.own {
		_ = syscall.Kill(-g.cmd.Process.Pid, syscall.SIGKILL)
	}
}
