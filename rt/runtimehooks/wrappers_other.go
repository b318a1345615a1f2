//go:build racepred_seam && !(linux && (amd64 || arm64) && go1.26)

package runtime

// Until Go 1.26, recover asks whose frame it is called in, which only the compiler's own wrappers see to.
func rpForwardsRefused() bool { return true }
