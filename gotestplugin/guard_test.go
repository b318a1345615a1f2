//go:build linux

package gotestplugin

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// In a container, a session that began outside of it has the number 0.
func TestSessionOf(t *testing.T) {
	for stat, want := range map[string]int{
		"7 (sh) S 1 7 7 0 -1":          7,
		"7 (a) b (c)) S 1 7 5 0 -1":    5,
		"2 (cat) R 1 0 0 0 -1 4194304": 0,
		"2 (cat) Z 1 0 4 0 -1 4194304": noSession,
		"2 (cat) R":                    noSession,
	} {
		require.Equal(t, want, statField([]byte(stat), 3), stat)
	}
	require.Equal(t, noSession, sessionOf(1<<30))
	require.Equal(t, syscall.Getpgrp(), groupOf(os.Getpid()))
}

func TestGuard(t *testing.T) {
	start := func(mark string, attr syscall.SysProcAttr) *exec.Cmd {
		cmd := exec.Command("sleep", "60")
		cmd.Env = append(os.Environ(), envMark+"="+mark)
		cmd.SysProcAttr = &attr
		require.NoError(t, cmd.Start())
		t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
		return cmd
	}
	killed := func(cmd *exec.Cmd) bool { return zombie(cmd.Process.Pid) }

	mark := newMark()
	group, over := start("of another", syscall.SysProcAttr{Setpgid: true}), start("of another", syscall.SysProcAttr{Setpgid: true})
	marked, other := start(mark, syscall.SysProcAttr{}), start(mark+"0", syscall.SysProcAttr{})
	apart := start(mark, syscall.SysProcAttr{Setsid: true})
	dir := t.TempDir()
	says := fmt.Sprintf("+%d\n+%d\nnonsense\n+1\n-%d\n@%s\n", group.Process.Pid, over.Process.Pid, over.Process.Pid, dir)
	args := []string{mark, strconv.Itoa(session())}

	require.Equal(t, exitClean, runGuard(args, strings.NewReader(says+"done\n")))
	require.False(t, killed(group) || killed(marked), "racepred ended in order")
	require.DirExists(t, dir)

	require.Equal(t, exitClean, runGuard(args, strings.NewReader(says)))
	require.NoDirExists(t, dir)
	require.True(t, killed(group), "a group")
	require.True(t, killed(marked), "what has the mark")
	require.False(t, killed(over), "a group that was over")
	require.False(t, killed(other), "what has another mark")
	require.False(t, killed(apart), "what has a session of its own")
	require.Equal(t, exitUsage, runGuard(nil, strings.NewReader("")))
}
