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

// noSession is where /proc does not tell. Zero is a session: one that a process outside of a container began.
const noSession = -1

// session is that of this process.
func session() int { return sessionOf("/proc/self") }

// sessionOf reads the sixth field of /proc/PID/stat; the second is a name in parentheses, which may hold some itself.
func sessionOf(proc string) int {
	stat, err := os.ReadFile(filepath.Join(proc, "stat"))
	if err != nil {
		return noSession
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 4 || string(fields[0]) == "Z" {
		return noSession
	}
	sid, err := strconv.Atoi(string(fields[3]))
	if err != nil {
		return noSession
	}
	return sid
}

// detach takes a command out of racepred's group, so that what is sent to that does not reach it.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// sweep kills groups and, where /proc tells environments, the processes of a session that have a mark; it returns how many there were. (Z3)
func sweep(groups []int, mark string, sid int) (n int) {
	for _, g := range groups {
		if syscall.Kill(-g, syscall.SIGKILL) == nil {
			n++
		}
	}
	environs, _ := filepath.Glob("/proc/[0-9]*/environ") // none but on Linux
	for _, name := range environs {
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		if err != nil || pid == os.Getpid() {
			continue
		}
		if sid == noSession || sessionOf(filepath.Dir(name)) != sid {
			continue
		}
		env, err := os.ReadFile(name)
		if err != nil || !bytes.Contains(append([]byte{0}, env...), []byte("\x00"+envMark+"="+mark+"\x00")) {
			continue
		}
		if syscall.Kill(pid, syscall.SIGKILL) == nil {
			n++
		}
	}
	return n
}
