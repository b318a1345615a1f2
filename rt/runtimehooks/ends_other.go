//go:build racepred_seam && !unix

package runtime

// On these systems no signal ends a process by way of Go's handler: the console's control events go
// through package os/signal, or end the process without notice.

var rpDying, rpDead uint32

func rpDyingNow(int64) bool { return false }

func rpDie() {}
