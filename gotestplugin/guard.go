package gotestplugin

import (
	"bufio"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Nothing that racepred starts outlives it, however it ends. On a signal, racepred itself ends what
// it started. For the case that racepred is killed at once, another process of the same program
// waits:
//
// (Z1) it has the reading end of a pipe whose other end only racepred holds, so that the pipe ends
// with racepred;
// (Z2) racepred writes to the pipe which process groups it started, which of them are over, and
// that it ends in order;
// (Z3) otherwise those groups are killed, and on Linux whatever in racepred's session has
// racepred's mark in its environment: processes of package packages, and go test with a terminal,
// are in racepred's own group;
// (Z4) then it also removes the directories whose names racepred wrote to it.
//
// The parent's death signal of Linux is not enough: it ends the go command and not the tests that
// it started, and it is sent when the thread that started the child ends, not the process.
//
// A process that a test starts in a session of its own goes on, as with go test.

// guardWord, as the first argument, makes the program the one that waits; its second is the mark,
// its third racepred's session.
const guardWord = "__guard"

// envMark is the variable with racepred's mark.
const envMark = "RACEPRED_RUN"

// guard is racepred's end of the pipe. A nil guard does nothing.
type guard struct {
	mark string
	cmd  *exec.Cmd

	mu   sync.Mutex
	pipe io.WriteCloser
}

// startGuard starts self as the process that waits. Without self, or if that fails, the guard has
// no such process.
func startGuard(self string) *guard {
	g := &guard{mark: newMark()}
	if self == "" || !canGuard {
		return g
	}
	cmd := exec.Command(self, guardWord, g.mark, strconv.Itoa(session()))
	detach(cmd)
	pipe, err := cmd.StdinPipe()
	if err != nil || cmd.Start() != nil {
		return g // then racepred must not be killed
	}
	g.cmd, g.pipe = cmd, pipe
	return g
}

func newMark() string {
	var b [12]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

func (g *guard) say(format string, args ...any) {
	if g == nil || g.pipe == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	_, _ = fmt.Fprintf(g.pipe, format+"\n", args...) // it may have been killed
}

// made tells the guard to remove a directory. (Z4)
func (g *guard) made(dir string) { g.say("@%s", dir) }

// began and over tell the guard which process groups there are. (Z2)
func (g *guard) began(group int) { g.say("+%d", group) }
func (g *guard) over(group int)  { g.say("-%d", group) }

// end ends the other process. It first kills what is left, if the run was broken off.
func (g *guard) end(brokenOff bool) {
	if g == nil {
		return
	}
	if brokenOff {
		sweep(nil, g.mark, session())
	}
	if g.cmd == nil {
		return
	}
	g.say("done")
	_ = g.pipe.Close()
	_ = g.cmd.Wait()
}

// runGuard is what the other process does.
func runGuard(args []string, in io.Reader) int {
	if len(args) != 2 {
		return exitUsage
	}
	own, err := strconv.Atoi(args[1])
	if err != nil {
		return exitUsage
	}
	var groups []int
	var dirs []string
	for lines := bufio.NewScanner(in); lines.Scan(); {
		line := lines.Text()
		if line == "done" {
			return exitClean
		}
		if dir, ok := strings.CutPrefix(line, "@"); ok {
			dirs = append(dirs, dir)
			continue
		}
		n, err := strconv.Atoi(strings.TrimLeft(line, "+-"))
		switch {
		case err != nil || n <= 1:
		case line[0] == '+':
			groups = append(groups, n)
		default:
			groups = slices.DeleteFunc(groups, func(g int) bool { return g == n })
		}
	}
	for range 20 { // a process that is being killed may start another
		if sweep(groups, args[0], own) == 0 {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	for _, dir := range dirs {
		_ = os.RemoveAll(dir) // there is no one left to report to
	}
	return exitClean
}

// markOf is racepred's mark.
func (g *guard) markOf() string {
	if g == nil {
		return ""
	}
	return g.mark
}

// marked adds racepred's mark to an environment.
func (g *guard) marked(env []string) []string {
	return append(slices.Clip(env), envMark+"="+g.mark)
}
