//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

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
