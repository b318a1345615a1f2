//go:build unix

package main

import (
	"os"
	"syscall"
)

// peak is the most resident memory a finished process had, in MB.
func peak(p *os.ProcessState) int {
	if u, ok := p.SysUsage().(*syscall.Rusage); ok {
		return int(u.Maxrss >> 10)
	}
	return 0
}
