//go:build racepred_seam && !(linux && (amd64 || arm64))

package runtime

import "unsafe"

// On systems whose calls are not recorded, the library's annotations of reads and writes are all
// that is known of the world.

func rp_passedOn(fds []uintptr) {}

//go:nosplit
func rpForks() { rpActsOutside(rpChanges) }

//go:linkname rp_transfers
func rp_transfers(address unsafe.Pointer) { rpTransferred = uintptr(address) }

func rpTransfer() bool {
	rpActsOutside(rpChanges)
	return true
}
