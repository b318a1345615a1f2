//go:build !unix

package main

import (
	"os"
	"time"
)

var started = time.Now()

// cpu is the time since the process began: what it has been running for is not known here.
func cpu() time.Duration { return time.Since(started) }

// peak is not known here.
func peak(*os.ProcessState) int { return 0 }
