//go:build !unix

// Package cputime measures how long this process has been running on some CPU.
package cputime

import "time"

var started = time.Now()

// Now is the time since the process began: what it has been running for is not known here.
func Now() time.Duration { return time.Since(started) }
