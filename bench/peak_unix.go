//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// ownPeak is how many bytes this process had resident at most.
func ownPeak() int64 {
	var ru syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &ru) != nil {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return int64(ru.Maxrss)
	}
	return int64(ru.Maxrss) << 10
}

// peak is how many bytes the process had resident at most.
func peak(p *os.ProcessState) int64 {
	ru, ok := p.SysUsage().(*syscall.Rusage)
	switch {
	case !ok:
		return 0
	case runtime.GOOS == "darwin":
		return int64(ru.Maxrss)
	}
	return int64(ru.Maxrss) << 10 // others count in KiB
}
