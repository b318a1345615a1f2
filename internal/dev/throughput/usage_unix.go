//go:build unix

package main

import (
	"os"
	"syscall"
	"time"
)

// cpu is the time that this process has been running on some CPU.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// peak is the most resident memory a finished process had, in MB.
func peak(p *os.ProcessState) int {
	if u, ok := p.SysUsage().(*syscall.Rusage); ok {
		return int(u.Maxrss >> 10)
	}
	return 0
}
