// Other processes, and signals.

//go:build linux

package guarded

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// cat is a child that repeats what it reads.
func cat(t *testing.T) (cmd *exec.Cmd, in io.WriteCloser, out io.ReadCloser) {
	cmd = exec.Command("cat")
	in, out = get(cmd.StdinPipe()), get(cmd.StdoutPipe())
	must(cmd.Start())
	t.Cleanup(func() {
		in.Close()
		cmd.Process.Kill()
		cmd.Wait()
	})
	return cmd, in, out
}

func TestNoRaceChildRepeats(t *testing.T) {
	var b box
	_, in, out := cat(t)
	together(func() {
		b.x = 1
		b.pass()
		get(in.Write([]byte("x")))
	}, func() {
		get(out.Read(make([]byte, 1)))
		b.pass()
		b.x = 2
	})
}

// The child has it before.
func TestRaceChildRepeats(t *testing.T) {
	var b box
	_, in, out := cat(t)
	together(func() {
		get(in.Write([]byte("x")))
		nap()
		b.x = 1
		b.pass()
	}, func() {
		get(out.Read(make([]byte, 1)))
		longNap()
		b.pass()
		b.x = 2
	})
}

func TestNoRaceChildEnds(t *testing.T) {
	var b box
	cmd, in, _ := cat(t)
	together(func() {
		b.x = 1
		b.countLeft()
		in.Close()
	}, func() {
		get(cmd.Process.Wait())
		b.countRight()
		b.x = 2
	})
}

// The child ends before.
func TestRaceChildEnds(t *testing.T) {
	var b box
	cmd, in, _ := cat(t)
	together(func() {
		in.Close()
		b.x = 1
		b.countLeft()
	}, func() {
		get(cmd.Process.Wait())
		nap()
		b.countRight()
		b.x = 2
	})
}

func TestNoRaceChildOutputEnds(t *testing.T) {
	var b box
	_, in, out := cat(t)
	together(func() {
		b.x = 1
		b.pass()
		in.Close()
	}, func() {
		get(io.ReadAll(out))
		b.pass()
		b.x = 2
	})
}

// The child's first word is not its last.
func TestRaceChildOutputEnds(t *testing.T) {
	var b box
	_, in, out := cat(t)
	together(func() {
		get(in.Write([]byte("x")))
		time.Sleep(30 * time.Millisecond)
		b.x = 1
		b.pass()
		longNap()
		in.Close()
	}, func() {
		get(out.Read(make([]byte, 1)))
		time.Sleep(50 * time.Millisecond)
		b.pass()
		b.x = 2
	})
}

func TestNoRaceChildKilled(t *testing.T) {
	var b box
	cmd, _, _ := cat(t)
	together(func() {
		b.x = 1
		b.pass()
		must(cmd.Process.Kill())
	}, func() {
		if s := get(cmd.Process.Wait()); s.Sys().(syscall.WaitStatus).Signaled() {
			b.pass()
			b.x = 2
		}
	})
}

// It is killed before.
func TestRaceChildKilled(t *testing.T) {
	var b box
	cmd, _, _ := cat(t)
	together(func() {
		must(cmd.Process.Kill())
		nap()
		b.x = 1
		b.pass()
	}, func() {
		get(cmd.Process.Wait())
		longNap()
		b.pass()
		b.x = 2
	})
}

func TestNoRaceChildCanceled(t *testing.T) {
	var b box
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, "sleep", "30")
	must(cmd.Start())
	together(func() {
		b.x = 1
		b.pass()
		cancel()
	}, func() {
		cmd.Wait()
		b.pass()
		b.x = 2
	})
}

// It is canceled before.
func TestRaceChildCanceled(t *testing.T) {
	var b box
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, "sleep", "30")
	must(cmd.Start())
	together(func() {
		cancel()
		b.x = 1
		b.pass()
	}, func() {
		cmd.Wait()
		nap()
		b.pass()
		b.x = 2
	})
}

// A child touches a file.
func TestNoRaceChildTouches(t *testing.T) {
	var b box
	name := filepath.Join(t.TempDir(), "f")
	together(func() {
		b.x = 1
		b.pass()
		must(exec.Command("touch", name).Run())
	}, func() {
		until(t, func() bool { return exists(name) })
		b.pass()
		b.x = 2
	})
}

// The child has touched it before.
func TestRaceChildTouches(t *testing.T) {
	var b box
	name := filepath.Join(t.TempDir(), "f")
	together(func() {
		must(exec.Command("touch", name).Run())
		nap()
		b.x = 1
		b.pass()
	}, func() {
		until(t, func() bool { return exists(name) })
		longNap()
		b.pass()
		b.x = 2
	})
}

// The child reads what the first goroutine has written.
func TestNoRaceChildReads(t *testing.T) {
	var b box
	name := filepath.Join(t.TempDir(), "f")
	together(func() {
		b.x = 1
		b.pass()
		must(os.WriteFile(name, nil, 0o600))
	}, func() {
		until(t, func() bool { return exec.Command("test", "-e", name).Run() == nil })
		b.pass()
		b.x = 2
	})
}

// It is the argument that the child has.
func TestRaceChildReads(t *testing.T) {
	var b box
	name := filepath.Join(t.TempDir(), "f")
	together(func() {
		must(os.WriteFile(name, nil, 0o600))
		b.x = 1
		b.pass()
	}, func() {
		nap()
		until(t, func() bool { return exec.Command("test", "-e", name).Run() == nil })
		b.pass()
		b.x = 2
	})
}

// Somebody else sees the child's end.
func TestNoRaceChildReaped(t *testing.T) {
	var b box
	cmd, in, _ := cat(t)
	pid := cmd.Process.Pid
	together(func() {
		b.x = 1
		b.pass()
		in.Close()
		cmd.Process.Wait()
	}, func() {
		until(t, func() bool { return syscall.Kill(pid, 0) == syscall.ESRCH })
		b.pass()
		b.x = 2
	})
}

// The child is gone before anything is noted.
func TestRaceChildReaped(t *testing.T) {
	var b box
	cmd, in, _ := cat(t)
	pid := cmd.Process.Pid
	together(func() {
		in.Close()
		cmd.Process.Wait()
		b.x = 1
		b.pass()
	}, func() {
		until(t, func() bool { return syscall.Kill(pid, 0) == syscall.ESRCH })
		nap()
		b.pass()
		b.x = 2
	})
}

func TestNoRaceChildWait4(t *testing.T) {
	var b box
	pid := get(syscall.ForkExec(get(exec.LookPath("sleep")), []string{"sleep", "30"}, nil))
	together(func() {
		b.x = 1
		b.pass()
		must(syscall.Kill(pid, syscall.SIGKILL))
	}, func() {
		until(t, func() bool {
			var s syscall.WaitStatus
			return get(syscall.Wait4(pid, &s, syscall.WNOHANG, nil)) == pid
		})
		b.pass()
		b.x = 2
	})
}

// The child is killed before.
func TestRaceChildWait4(t *testing.T) {
	var b box
	pid := get(syscall.ForkExec(get(exec.LookPath("sleep")), []string{"sleep", "30"}, nil))
	together(func() {
		must(syscall.Kill(pid, syscall.SIGKILL))
		nap()
		b.x = 1
		b.pass()
	}, func() {
		get(syscall.Wait4(pid, nil, 0, nil))
		longNap()
		b.pass()
		b.x = 2
	})
}

// A shell says that it is ready when it may go on.
func TestNoRaceChildAnswers(t *testing.T) {
	var b box
	cmd := exec.Command("sh", "-c", "read line; echo got $line")
	in, out := get(cmd.StdinPipe()), get(cmd.StdoutPipe())
	must(cmd.Start())
	together(func() {
		b.x = 1
		b.countLeft()
		get(io.WriteString(in, "it\n"))
	}, func() {
		get(bufio.NewReader(out).ReadString('\n'))
		b.countRight()
		b.x = 2
	})
	must(cmd.Wait())
}

// It says so at once.
func TestRaceChildAnswers(t *testing.T) {
	var b box
	cmd := exec.Command("sh", "-c", "echo ready; read line")
	in, out := get(cmd.StdinPipe()), get(cmd.StdoutPipe())
	must(cmd.Start())
	together(func() {
		time.Sleep(30 * time.Millisecond)
		b.x = 1
		b.countLeft()
		longNap()
		get(io.WriteString(in, "it\n"))
	}, func() {
		get(bufio.NewReader(out).ReadString('\n'))
		time.Sleep(50 * time.Millisecond)
		b.countRight()
		b.x = 2
	})
	must(cmd.Wait())
}

func notify(t *testing.T, s os.Signal) chan os.Signal {
	c := make(chan os.Signal, 1)
	signal.Notify(c, s)
	t.Cleanup(func() { signal.Stop(c) })
	return c
}

func TestNoRaceSignalSelf(t *testing.T) {
	var b box
	c := notify(t, syscall.SIGUSR1)
	together(func() {
		b.x = 1
		b.pass()
		must(syscall.Kill(os.Getpid(), syscall.SIGUSR1))
	}, func() {
		<-c
		b.pass()
		b.x = 2
	})
}

// The signal is sent before.
func TestRaceSignalSelf(t *testing.T) {
	var b box
	c := notify(t, syscall.SIGUSR1)
	together(func() {
		must(syscall.Kill(os.Getpid(), syscall.SIGUSR1))
		nap()
		b.x = 1
		b.pass()
	}, func() {
		<-c
		longNap()
		b.pass()
		b.x = 2
	})
}

func TestNoRaceSignalContext(t *testing.T) {
	var rw sync.RWMutex
	var b box
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGUSR1)
	defer stop()
	together(func() {
		b.x = 1
		rw.Lock()
		rw.Unlock()
		must(get(os.FindProcess(os.Getpid())).Signal(syscall.SIGUSR1))
	}, func() {
		<-ctx.Done()
		rw.RLock()
		rw.RUnlock()
		b.x = 2
	})
}

// The signal is sent before.
func TestRaceSignalContext(t *testing.T) {
	var rw sync.RWMutex
	var b box
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGUSR1)
	defer stop()
	together(func() {
		must(syscall.Kill(os.Getpid(), syscall.SIGUSR1))
		b.x = 1
		rw.Lock()
		rw.Unlock()
	}, func() {
		<-ctx.Done()
		nap()
		rw.RLock()
		rw.RUnlock()
		b.x = 2
	})
}

// A child sends the signal.
func TestNoRaceSignalFromChild(t *testing.T) {
	var b box
	c := notify(t, syscall.SIGUSR2)
	together(func() {
		b.x = 1
		b.pass()
		must(exec.Command("sh", "-c", "kill -USR2 $PPID").Run())
	}, func() {
		<-c
		b.pass()
		b.x = 2
	})
}

// The child has sent it before.
func TestRaceSignalFromChild(t *testing.T) {
	var b box
	c := notify(t, syscall.SIGUSR2)
	together(func() {
		must(exec.Command("sh", "-c", "kill -USR2 $PPID").Run())
		b.x = 1
		b.pass()
	}, func() {
		<-c
		time.Sleep(30 * time.Millisecond)
		b.pass()
		b.x = 2
	})
}

// timer is that of the process, which sends SIGALRM.
func timer(d time.Duration) {
	v := [2]syscall.Timeval{1: syscall.NsecToTimeval(int64(d))}
	syscall.RawSyscall(syscall.SYS_SETITIMER, 0, uintptr(unsafe.Pointer(&v)), 0)
}

func TestNoRaceSignalTimer(t *testing.T) {
	var b box
	c := notify(t, syscall.SIGALRM)
	together(func() {
		b.x = 1
		b.pass()
		timer(time.Millisecond)
	}, func() {
		<-c
		b.pass()
		b.x = 2
	})
}

// The timer is set before.
func TestRaceSignalTimer(t *testing.T) {
	var b box
	c := notify(t, syscall.SIGALRM)
	together(func() {
		timer(5 * time.Millisecond)
		b.x = 1
		b.pass()
	}, func() {
		<-c
		nap()
		b.pass()
		b.x = 2
	})
}

// A limit of the process.
func TestNoRaceRlimit(t *testing.T) {
	var b box
	var old syscall.Rlimit
	must(syscall.Getrlimit(syscall.RLIMIT_CORE, &old))
	defer syscall.Setrlimit(syscall.RLIMIT_CORE, &old)
	must(syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{Cur: 0, Max: old.Max}))
	if old.Max < 4096 {
		t.Skip("the limit cannot be set here")
	}
	together(func() {
		b.x = 1
		b.pass()
		must(syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{Cur: 4096, Max: old.Max}))
	}, func() {
		until(t, func() bool {
			var now syscall.Rlimit
			must(syscall.Getrlimit(syscall.RLIMIT_CORE, &now))
			return now.Cur == 4096
		})
		b.pass()
		b.x = 2
	})
}

// It is set before.
func TestRaceRlimit(t *testing.T) {
	var b box
	var old syscall.Rlimit
	must(syscall.Getrlimit(syscall.RLIMIT_CORE, &old))
	defer syscall.Setrlimit(syscall.RLIMIT_CORE, &old)
	must(syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{Cur: 0, Max: old.Max}))
	if old.Max < 4096 {
		t.Skip("the limit cannot be set here")
	}
	together(func() {
		must(syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{Cur: 4096, Max: old.Max}))
		nap()
		b.x = 1
		b.pass()
	}, func() {
		until(t, func() bool {
			var now syscall.Rlimit
			must(syscall.Getrlimit(syscall.RLIMIT_CORE, &now))
			return now.Cur == 4096
		})
		longNap()
		b.pass()
		b.x = 2
	})
}

// The child's priority.
func TestNoRacePriority(t *testing.T) {
	var b box
	cmd, _, _ := cat(t)
	pid := cmd.Process.Pid
	before := get(syscall.Getpriority(syscall.PRIO_PROCESS, pid))
	together(func() {
		b.x = 1
		b.pass()
		must(syscall.Setpriority(syscall.PRIO_PROCESS, pid, 19))
	}, func() {
		until(t, func() bool { return get(syscall.Getpriority(syscall.PRIO_PROCESS, pid)) != before })
		b.pass()
		b.x = 2
	})
}

// It is set before.
func TestRacePriority(t *testing.T) {
	var b box
	cmd, _, _ := cat(t)
	pid := cmd.Process.Pid
	before := get(syscall.Getpriority(syscall.PRIO_PROCESS, pid))
	together(func() {
		must(syscall.Setpriority(syscall.PRIO_PROCESS, pid, 19))
		b.x = 1
		b.pass()
	}, func() {
		until(t, func() bool { return get(syscall.Getpriority(syscall.PRIO_PROCESS, pid)) != before })
		nap()
		b.pass()
		b.x = 2
	})
}
