//go:build !unix

package gotestplugin

import (
	"context"
	"io"
	"os"
	"os/exec"
)

var handled = []os.Signal{os.Interrupt}

// group is the go command alone: the console sends what is typed to all processes.
type group struct {
	cmd *exec.Cmd
	own bool
}

func newGroup(cmd *exec.Cmd, _ io.Reader, _ string) *group { return &group{cmd: cmd} }

func (g *group) signal(context.Context) {}

func (g *group) wait() {}

func (g *group) kill() { _ = g.cmd.Process.Kill() }
