//go:build racepred_seam && linux && (amd64 || arm64)

package runtime

import (
	"internal/goarch"
	"internal/runtime/syscall/linux"
)

const rpSysMprotect = goarch.IsAmd64*10 + goarch.IsArm64*226

// rpProtect reports whether a page may be written to.
func rpProtect(page uintptr, write bool) bool {
	prot := uintptr(_PROT_READ)
	if write {
		prot |= _PROT_WRITE
	}
	_, _, e := linux.Syscall6(rpSysMprotect, page, physPageSize, prot, 0, 0, 0)
	return e == 0
}
