//go:build racepred_seam && !(linux && (amd64 || arm64))

package runtime

func rpProtect(page uintptr, write bool) bool { return false }
