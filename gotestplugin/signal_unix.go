//go:build unix

package gotestplugin

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/term"
)

// handled are the signals that end a run. Like the go command, racepred stays
// until the tests are gone.
var handled = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}

// group is the process group go test runs in:
//
// (P1) with a terminal on stdin it is racepred's own, so that tests may read
// from it. The terminal sends Ctrl-C and Ctrl-\ to all processes of the group;
// racepred hands on only other signals, to the processes with racepred's mark;
// (P2) otherwise it is a group of its own, and signals are handed on to all of it;
// (P3) instead of a signal that would end it at once, the go command itself gets SIGINT: then it
// waits for the tests, and prints what it kept of their output. If the system does not tell which
// processes there are, it gets the same signal as the others.
type group struct {
	cmd  *exec.Cmd
	own  bool
	mark string
}

func newGroup(cmd *exec.Cmd, stdin io.Reader, mark string) *group {
	f, ok := stdin.(*os.File)
	g := &group{cmd: cmd, own: !ok || !term.IsTerminal(int(f.Fd())), mark: mark}
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
	stays := sig == syscall.SIGINT || sig == syscall.SIGQUIT
	switch {
	case !g.own && stays: // (P1)
	case g.own && (stays || !g.handOn(sig)):
		_ = syscall.Kill(-g.cmd.Process.Pid, sig) // (P2)
	case !g.own && !g.handOn(sig):
		_ = g.cmd.Process.Signal(sig)
	}
}

// handOn sends a signal that would end the go command to all other processes, and reports whether
// it knows them. (P3)
func (g *group) handOn(sig syscall.Signal) bool {
	sid, leader := session(), g.cmd.Process.Pid
	if sid == noSession {
		return false
	}
	_ = g.cmd.Process.Signal(syscall.SIGINT)
	for _, pid := range processes() {
		switch {
		case pid == leader || pid == os.Getpid():
		case g.own && groupOf(pid) == leader, !g.own && sessionOf(pid) == sid && marked(pid, g.mark):
			_ = syscall.Kill(pid, sig)
		}
	}
	return true
}

// wait waits, at most lastWord, until all processes of the group have ended: a test process
// analyses its events before it ends.
func (g *group) wait() {
	for end := time.Now().Add(lastWord); g.own && time.Now().Before(end) && syscall.Kill(-g.cmd.Process.Pid, 0) == nil; {
		time.Sleep(10 * time.Millisecond)
	}
}

// kill ends whatever of the group is still there.
func (g *group) kill() {
	if g.own {
		_ = syscall.Kill(-g.cmd.Process.Pid, syscall.SIGKILL)
	}
}
