//go:build unix

// Package cputime measures how long this process has been running on some CPU.
package cputime

import (
	"syscall"
	"time"
)

// Now is the time that this process has been running on some CPU.
func Now() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
