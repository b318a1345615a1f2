//go:build racepred_seam && !(linux && (amd64 || arm64))

package runtime

// Constant data cannot be changed (protect_other.go), so no method has a stub.
func rpStub(n uintptr) uintptr { return 0 }
