//go:build racepred_seam && !unix

package runtime

// On these systems no signal of Go's own ends a process: the console's control events go through package os/signal or end it without notice.

var rpDying, rpDead uint32

func rpDyingNow(int64) bool { return false }

func rpDie() {}
