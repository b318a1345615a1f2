//go:build unix

package gotestplugin

import (
	"os"
	"strconv"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// waitFor waits until a file is there: waitfor FILE
func waitFor(ts *testscript.TestScript, neg bool, args []string) {
	poll(ts, args[0]+" to appear", func() bool {
		_, err := os.Stat(ts.MkAbs(args[0]))
		return err == nil
	})
}

// send sends a signal to the command in the background: send TERM
func send(ts *testscript.TestScript, neg bool, args []string) {
	sig := map[string]os.Signal{"INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "QUIT": syscall.SIGQUIT, "KILL": syscall.SIGKILL}[args[0]]
	for _, cmd := range ts.BackgroundCmds() {
		ts.Check(cmd.Process.Signal(sig))
	}
}

// gone waits until the process whose number a file holds has ended: gone FILE
func gone(ts *testscript.TestScript, neg bool, args []string) {
	pid, err := strconv.Atoi(ts.ReadFile(args[0]))
	ts.Check(err)
	poll(ts, "process to end", func() bool { return syscall.Kill(pid, 0) != nil || zombie(pid) })
}

// zombie reports whether the process only waits for its parent, which may be
// nobody's business in a container without an init.
func zombie(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	for i := len(stat) - 1; i > 0; i-- {
		if stat[i] == ')' {
			return i+2 < len(stat) && stat[i+2] == 'Z'
		}
	}
	return false
}

func poll(ts *testscript.TestScript, what string, done func() bool) {
	for deadline := time.Now().Add(time.Minute); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			ts.Fatalf("waited in vain for %s", what)
		}
	}
}
