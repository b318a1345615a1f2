//go:build racepred_seam && !(linux && (amd64 || arm64) && go1.26)

package runtime

// Before Go 1.26, recover asks in whose frame it is called, and only the compiler's own wrappers
// answer that.
func rpForwardsRefused() bool { return true }
