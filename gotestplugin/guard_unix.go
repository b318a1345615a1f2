//go:build unix

package gotestplugin

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
)

const canGuard = true

// noSession is where /proc does not tell. Zero is a session: one that a process outside of a
// container began.
const noSession = -1

// session is that of this process.
func session() int { return sessionOf(os.Getpid()) }

func sessionOf(pid int) int { return stat(pid, 3) }

// groupOf is the process group of a process.
func groupOf(pid int) int { return stat(pid, 2) }

// stat reads a field of /proc/PID/stat, noSession where there is none.
func stat(pid, field int) int {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return noSession
	}
	return statField(stat, field)
}

// statField is a field counted from the first behind the name, which is in parentheses and may hold
// some itself; noSession for a process that has ended.
func statField(stat []byte, field int) int {
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) <= field || string(fields[0]) == "Z" {
		return noSession
	}
	n, err := strconv.Atoi(string(fields[field]))
	if err != nil {
		return noSession
	}
	return n
}

// processes are all that there are where /proc tells, none but on Linux.
func processes() (pids []int) {
	dirs, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, name := range dirs {
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name))); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// marked reports whether a process has racepred's mark in its environment.
func marked(pid int, mark string) bool {
	env, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "environ"))
	return err == nil && bytes.Contains(append([]byte{0}, env...), []byte("\x00"+envMark+"="+mark+"\x00"))
}

// detach takes a command out of racepred's group, so that what is sent to that does not reach it.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// sweep kills groups and, where /proc tells environments, the processes of a session that have a
// mark; it returns how many there were. (Z3)
func sweep(groups []int, mark string, sid int) (n int) {
	for _, g := range groups {
		if syscall.Kill(-g, syscall.SIGKILL) == nil {
			n++
		}
	}
	for _, pid := range processes() {
		if pid == os.Getpid() || sid == noSession || sessionOf(pid) != sid || !marked(pid, mark) {
			continue
		}
		if syscall.Kill(pid, syscall.SIGKILL) == nil {
			n++
		}
	}
	return n
}
