// Other processes, and signals.

//go:build linux

package guarded

import (
	"context"
	"io"
	"os"
	"os/exec"
	"os/signal"
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

// Two children, each with its own goroutine.
func TestRaceChildRepeats(t *testing.T) {
	var b box
	_, in1, _ := cat(t)
	_, in2, _ := cat(t)
	together(func() {
		b.x = 1
		b.pass()
		get(in1.Write([]byte("x")))
	}, func() {
		nap()
		get(in2.Write([]byte("x")))
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

// Each kills its own child.
func TestRaceChildKilled(t *testing.T) {
	var b box
	cmd1, _, _ := cat(t)
	cmd2, _, _ := cat(t)
	together(func() {
		b.x = 1
		b.pass()
		must(cmd1.Process.Kill())
	}, func() {
		nap()
		must(cmd2.Process.Kill())
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

func notify(t *testing.T, s os.Signal) chan os.Signal {
	c := make(chan os.Signal, 1)
	signal.Notify(c, s)
	t.Cleanup(func() { signal.Stop(c) })
	return c
}

// timer is that of the process, which sends SIGALRM.
func timer(d time.Duration) {
	v := [2]syscall.Timeval{1: syscall.NsecToTimeval(int64(d))}
	syscall.RawSyscall(syscall.SYS_SETITIMER, 0, uintptr(unsafe.Pointer(&v)), 0)
}
